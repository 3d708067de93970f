"""Soft actor-critic in the one loop solves toys that know their answer, and its sabotaged copies do not."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from gymnasium import spaces

from procgen_bench.baselines.action_kinds import UnsupportedActionsError
from procgen_bench.baselines.methods.sac import SAC, SquashedRange
from procgen_bench.baselines.methods.sac_settings import SACConfiguration
from procgen_bench.baselines.parts.observation_parts import NormalisedReals
from procgen_bench.baselines.parts.replay import Transitions
from procgen_bench.baselines.parts.replay_settings import TargetUpdates
from procgen_bench.baselines.training.rollouts import Collector
from tests.baselines.parts.off_policy.going_on import (
    assert_a_restored_learner_goes_on_alike,
    assert_the_rate_is_the_players,
)
from tests.baselines.training.toys import Aim, Endless, Pairs, Patience, Walk, by_sign

torch.set_num_threads(1)  # small networks gain nothing from more

SMALL = {
    "num_envs": 32,
    "rollout_steps": 4,
    "learning_rate": 1e-2,
    "batch_size": 64,
    "buffer_size": 4_096,
    "learning_starts": 512,
    "updates_per_step": 1 / 32,
    "entropy_weight": 0.05,
    "discount": 0.9,
    "width": 32,
    "layers": 1,
}


def built(rows, seed=0, target_share=0.1, **settings):
    configuration = SACConfiguration(**SMALL | {"num_envs": rows.num_rows} | settings)
    goals = rows if isinstance(rows, Walk) else None
    learner = SAC(rows.space, rows.action_space, configuration, np.random.default_rng(seed), goals)
    learner.settings = replace(learner.settings, target_updates=TargetUpdates(target_share, "gradient steps"))
    return learner


def score(toy, rollouts=40, sabotage=lambda learner: None, **settings):
    rows = toy(32)
    learner = built(rows, **settings)
    sabotage(learner)
    collector = Collector(rows, learner, learner.configuration.rollout_steps)
    for _ in range(rollouts):
        learner.update(collector.collect())
    return rows.score(100)


def fix_entropy_weight(learner):
    """The weight of the entropy stays where it begins."""
    learner.optimizers["entropy"].step = lambda: None


PATIENT = {"discount": 0.99, "entropy_weight": 0.02}
Patient, Lasting = by_sign(Patience), by_sign(Endless)


@pytest.mark.parametrize(
    ("toy", "settings", "least"),
    [
        pytest.param(Walk, {}, 0.9, id="walk, by hindsight"),
        pytest.param(Patient, PATIENT, 0.9, id="patience", marks=pytest.mark.slow),
        pytest.param(Aim, {}, 0.6, id="aim", marks=pytest.mark.slow),
    ],
)
def test_it_solves_what_has_an_answer(toy, settings, least):
    assert score(toy, **settings) > least


def test_what_is_cut_off_goes_on():
    assert score(Lasting, **PATIENT) == pytest.approx(0.4, abs=0.05)


@pytest.mark.parametrize(
    ("toy", "settings", "most"),
    [
        pytest.param(Walk, {"hindsight": 0}, 0.6, id="no hindsight", marks=pytest.mark.slow),
        pytest.param(Patient, PATIENT | {"discount": 0.49}, 0.5, id="discount halved"),
        pytest.param(
            Patient,
            PATIENT | {"target_share": 0.0},
            0.5,
            id="the target network is never renewed",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            Aim,
            {"entropy_weight": 30.0, "sabotage": fix_entropy_weight},
            0.0,
            id="entropy above all",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_settings_without_which_it_does_not(toy, settings, most):
    assert score(toy, **settings) < most


def _actions_swapped(monkeypatch):
    kept_actions = SAC.kept_actions
    monkeypatch.setattr(SAC, "kept_actions", lambda self, actions: -kept_actions(self, actions))


def _nothing_is_normalised(monkeypatch):
    monkeypatch.setattr(NormalisedReals, "update_normaliser", lambda self, values: None)


@pytest.mark.parametrize(
    ("sabotage", "toy"),
    [
        pytest.param(_actions_swapped, Walk, id="actions swapped", marks=pytest.mark.slow),
        pytest.param(_nothing_is_normalised, Aim, id="nothing is normalised", marks=pytest.mark.slow),
    ],
)
def test_sabotaged_copies_are_caught(sabotage, toy, monkeypatch):
    sabotage(monkeypatch)
    assert score(toy) < 0.4


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_it_learns_on_cuda():
    assert score(Walk, device="cuda") > 0.9


def test_the_rate_is_the_players():
    rows = Patient(32)
    learner = built(rows, learning_starts=0)
    assert_the_rate_is_the_players(Collector(rows, learner, learner.configuration.rollout_steps))


def test_a_restored_learner_goes_on_alike():
    assert_a_restored_learner_goes_on_alike(Walk, built, learning_starts=64, buffer_size=256)


def test_random_actions_at_first_are_uniform():
    rows = Walk(64)
    learner = built(rows, learning_starts=10**6)
    drawn = torch.cat([learner.act(_shown(rows), torch.zeros(64, 0))[0] for _ in range(40)]).numpy()
    assert drawn.min() > -1 and drawn.max() < 1
    assert np.allclose(np.histogram(drawn, 4, (-1, 1))[0] / drawn.size, 0.25, atol=0.04)


def test_states_are_worth_what_the_more_sceptical_critic_says():
    rows = Walk(8)
    learner = built(rows)
    _, noted, _ = learner.act(_shown(rows), torch.zeros(8, 0))
    assert np.array_equal(noted["values"].numpy(), learner.values(_shown(rows)))
    with torch.no_grad():
        learner.critic.heads[1][-1].bias += 100
    assert np.array_equal(noted["values"].numpy() < 90, learner.values(_shown(rows)) < 90)


def test_discrete_actions_are_refused():
    with pytest.raises(UnsupportedActionsError, match="expected a bounded Box"):
        SquashedRange(Pairs.action_space)


def _shown(rows):
    return {name: torch.as_tensor(array) for name, array in rows.observations.items()}


def test_the_entropy_that_is_aimed_at_grows_with_the_actions_numbers():
    space = spaces.Box(-1.0, 1.0, (3,), np.float32)
    configuration = SACConfiguration(**SMALL)
    learner = SAC(Walk.space, space, configuration, np.random.default_rng(0))
    assert learner.target_entropy == -3.0


def test_actions_are_drawn_by_the_actors_means_and_deviations():
    rows = Walk(8)
    learner = built(rows, learning_starts=0)
    shown = {name: array[:1].repeat(4_000, 1) for name, array in _shown(rows).items()}
    with torch.no_grad():
        learner.actor["log_deviation"].bias.fill_(-1.0)
        mean, log_deviation = learner.actor(shown)
    reals = torch.atanh(learner.act(shown, torch.zeros(4_000, 0))[0])
    assert reals.mean().item() == pytest.approx(mean[0].item(), abs=0.03)
    assert reals.std().item() == pytest.approx(log_deviation[0].exp().item(), rel=0.05)


MEANS = torch.tensor([0.5, -0.25])


def constant(log_deviation, **settings):
    """A learner whose networks say the same of all states: critics 5 and 6, and their targets 2 and 3."""
    configuration = SACConfiguration(**SMALL | {"entropy_weight": 0.3} | settings)
    learner = SAC(Endless.space, spaces.Box(-1.0, 1.0, (2,), np.float32), configuration, np.random.default_rng(0))
    with torch.no_grad():
        for parameter in (*learner.networks.parameters(), *learner.target_networks.parameters()):
            if parameter is not learner.log_entropy_weight:
                parameter.zero_()
        learner.actor["mean"].bias.copy_(MEANS)
        learner.actor["log_deviation"].bias.fill_(log_deviation)
        for critic, first in ((learner.critic, 5.0), (learner.target_networks["critic"], 2.0)):
            for place in range(2):
                critic.heads[place][-1].bias.fill_(first + place)
    return learner


def learned_step(learner, log_deviation, count):
    """A gradient step on transitions of which the second half end for good.

    Returns:
        Measures, and the log-probabilities (n, 1) of the actions that were drawn before and after the transitions.
    """
    seen, ends = {"one": torch.ones(count, 1)}, torch.arange(count)[:, None] >= count / 2
    rewards = torch.arange(count)[:, None].float()
    normal, logs = torch.distributions.Normal(MEANS, np.exp(log_deviation)), []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        measures = learner.learn(Transitions(seen, torch.zeros(count, 2), rewards, seen, ends.float()))
        torch.manual_seed(0)
        for _ in range(2):
            reals = MEANS + np.exp(log_deviation) * torch.normal(torch.zeros(count, 2), torch.ones(count, 2))
            slopes = 1 - torch.tanh(reals).square()
            logs.append((normal.log_prob(reals) - slopes.log()).sum(dim=1, keepdim=True))
    return measures, *logs


def test_a_gradient_steps_losses_are_those_of_the_formulas():
    """The entropy counts in what follows, by its weight, but not behind an episode's real end."""
    learner = constant(-1.0, learning_rate=0.0)
    measures, now, after = learned_step(learner, -1.0, count=4)
    rewards, goes_on = torch.arange(4.0)[:, None], torch.tensor([1.0, 1.0, 0.0, 0.0])[:, None]
    targets = rewards + 0.9 * goes_on * (2.0 - 0.3 * after)
    expected = 0.5 * ((5.0 - targets).square().mean() + (6.0 - targets).square().mean())
    assert measures["critic_loss"] == pytest.approx(expected.item(), rel=1e-4)
    assert measures["actor_loss"] == pytest.approx((0.3 * now - 5.0).mean().item(), rel=1e-4)
    assert measures["ent_coef"] == pytest.approx(0.3)


@pytest.mark.parametrize(("log_deviation", "moved"), [(-3.0, 0.01), (-1.0, -0.01)])
def test_the_weight_of_the_entropy_rises_while_there_is_too_little(log_deviation, moved):
    """And falls while there is more than is aimed at: -1 for each of the action's two numbers."""
    learner = constant(log_deviation, learning_rate=0.01)
    measures, now, _ = learned_step(learner, log_deviation, count=64)
    assert (-now.mean().item() < -2.0) == (moved > 0)
    assert measures["ent_coef_loss"] == pytest.approx(-np.log(0.3) * (now.mean().item() - 2.0), rel=1e-3)
    # Adam's first step is as long as the learning rate, whatever the gradient.
    assert learner.log_entropy_weight.item() == pytest.approx(np.log(0.3) + moved, abs=1e-5)
