"""The actor-critic learner solves toys that know their answer, and its sabotaged copies do not."""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.fast.ppo import FastPolicyGradient, twin_of
from procgen_bench.baselines.methods import ppo as learner_module
from procgen_bench.baselines.methods.ppo import PolicyGradient
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.papers.open_ended.agents import AgentPolicyGradient
from procgen_bench.baselines.papers.open_ended.agents_settings import AgentPPOConfiguration
from procgen_bench.baselines.parts.actor_critic import ActorCritic
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.parts.observation_parts import NormalisedReals
from procgen_bench.baselines.training.rollouts import Collector
from tests.baselines.training.toys import Aim, Endless, Pairs, Patience, Poisoned, Recall, SixHeads, learn

torch.set_num_threads(1)  # small networks gain nothing from more

SMALL = {"width": 32, "layers": 1, "learning_rate": 1e-2, "rollout_steps": 8, "entropy_weight": 0.01}
PLAIN = {"epochs": 1, "minibatches": 1, "clip_range": 0.0}


def built(rows, seed=0, **settings):
    """A learner, of XLand's agents where returns are normalised."""
    normalised = "popart_share" in settings
    configuration = (AgentPPOConfiguration if normalised else PPOConfiguration)(**SMALL | settings)
    torch.manual_seed(seed)
    actions = actions_of(rows.action_space)
    network = ActorCritic(rows.space, actions.sizes, configuration.width, configuration.layers, configuration.memory)
    learner_type = AgentPolicyGradient if normalised else PolicyGradient
    return learner_type(network, actions, configuration, np.random.default_rng(seed))


def score(toy, updates, **settings):
    rows = toy()
    learner = built(rows, **settings)
    learn(rows, learner, updates)
    return rows.score()


@pytest.mark.parametrize(
    ("toy", "updates", "settings", "least"),
    [
        pytest.param(Recall, 25, {"memory": 16}, 0.95, id="recall"),
        pytest.param(Patience, 40, {}, 0.9, id="patience"),
        pytest.param(Patience, 40, {"popart_share": 0.1}, 0.9, id="normalised returns", marks=pytest.mark.slow),
        pytest.param(Poisoned, 20, {}, 0.95, id="poisoned"),
        pytest.param(Pairs, 20, {}, 0.95, id="pairs"),
        pytest.param(Aim, 45, {}, 0.75, id="aim"),
        pytest.param(Pairs, 60, PLAIN, 0.95, id="plain gradient", marks=pytest.mark.slow),
        pytest.param(Pairs, 60, PLAIN | {"optimiser": "rmsprop"}, 0.9, id="a2c"),
    ],
)
def test_it_solves_what_has_an_answer(toy, updates, settings, least):
    assert score(toy, updates, **settings) > least


class Rich(Patience):
    """The same for a thousand times as much."""

    def judged(self, actions):
        rewards, terminations = super().judged(actions)
        return 1000 * rewards, terminations


def test_returns_are_normalised_for_the_critic_alone():
    rows = Rich()
    learner = built(rows, popart_share=0.1, discount=0.9)
    learn(rows, learner, 40)
    assert rows.score() > 900
    values = learner.values({"elapsed": torch.arange(4.0)[:, None]})
    assert values == pytest.approx(1000 * 0.9 ** np.array([3, 2, 1, 0]), rel=0.15)
    again = built(Rich(), seed=1, popart_share=0.1)
    again.restore(*learner.state())
    assert (again.values({"elapsed": torch.arange(4.0)[:, None]}) == values).all()


def test_what_is_cut_off_goes_on():
    assert score(Endless, 60) == pytest.approx(0.4, abs=0.05)


@pytest.mark.parametrize(
    ("toy", "updates", "settings", "most"),
    [
        pytest.param(Recall, 25, {}, 0.65, id="no memory", marks=pytest.mark.slow),
        pytest.param(Patience, 40, {"discount": 0.5}, 0.5, id="discount halved"),
        pytest.param(Aim, 10, {"learning_rate": 0.0}, 0.0, id="no learning rate", marks=pytest.mark.slow),
        pytest.param(Pairs, 20, {"entropy_weight": 10.0}, 0.7, id="entropy above all", marks=pytest.mark.slow),
    ],
)
def test_settings_without_which_it_does_not(toy, updates, settings, most):
    assert score(toy, updates, **settings) < most


def entropies(updates, **settings):
    """Of the actions and its weight, in each of so many updates on pairs, whose entropy is 1.8 at first."""
    rows = Pairs()
    learner = built(rows, **settings)
    collector = Collector(rows, learner, learner.configuration.rollout_steps)
    measures = [learner.update(collector.collect()) for _ in range(updates)]
    return [np.array([measure[name] for measure in measures]) for name in ("entropy", "entropy_weight")]


@pytest.mark.parametrize("start", [0.05, 1.0])
def test_the_weight_of_the_entropy_is_adapted_to_its_target(start):
    """The target needs a weight of about 0.7."""
    entropy, weight = entropies(100, entropy_target=0.5, entropy_weight=start)
    assert weight[0] == start and np.mean(entropy[-25:]) == pytest.approx(0.5, abs=0.2)
    rises = weight[1:] > weight[:-1]
    assert np.array_equal(rises, (entropy[:-1] < 0.5) & (weight[:-1] < 1.0))


@pytest.mark.parametrize("start", [0.05, pytest.param(1.0, marks=pytest.mark.slow)])
def test_where_the_weight_of_the_entropy_goes_the_other_way_its_target_is_left(start, monkeypatch):
    adapted = learner_module.adapted_entropy_weight

    def turned(weight, entropy, target):
        return adapted(weight, 2 * target - entropy, target)

    monkeypatch.setattr(learner_module, "adapted_entropy_weight", turned)
    entropy, _ = entropies(60, entropy_target=0.5, entropy_weight=start)
    assert abs(np.mean(entropy[-25:]) - 0.5) > 0.4


def score_of_the_stubborn(compiled, **settings):
    """Of one whose fourth action is the same at first but for once in five hundred million times."""
    rows = SixHeads()
    learner = built(rows, normalise=False, **settings)
    with torch.no_grad():
        learner.network.actor.heads[3].bias[0] += 20
    learner = twin_of(learner) if compiled else learner
    assert isinstance(learner, FastPolicyGradient) is compiled
    learn(rows, learner, 60)
    return rows.score()


@pytest.mark.parametrize("compiled", [False, True])
def test_the_barrier_alone_brings_back_an_action_that_is_never_taken(compiled):
    assert score_of_the_stubborn(compiled, barrier_weight=0.01) > 0.9
    assert score_of_the_stubborn(compiled) < 0.6


def test_the_weight_of_the_entropy_has_bounds():
    for entropy, bound in ((0.0, 1.0), (9.0, 1e-4)):
        weight = 0.01
        for _ in range(200):
            weight = learner_module.adapted_entropy_weight(weight, entropy, 0.5)
        assert weight == bound


def _no_bootstrap(monkeypatch):
    estimate = learner_module.rollout_advantages

    def cut(rollout, values, last_values, cut_values, *settings):
        return estimate(rollout, values, last_values, 0 * cut_values, *settings)

    monkeypatch.setattr(learner_module, "rollout_advantages", cut)


def _learns_from_all(monkeypatch):
    split = learner_module.parts_of

    def everything(rollout, *arguments):
        rollout.train[:] = True
        return split(rollout, *arguments)

    monkeypatch.setattr(learner_module, "parts_of", everything)


def _negated(monkeypatch):
    estimate = learner_module.rollout_advantages
    monkeypatch.setattr(learner_module, "rollout_advantages", lambda *arguments: -estimate(*arguments))


def _nothing_is_normalised(monkeypatch):
    monkeypatch.setattr(NormalisedReals, "update_normaliser", lambda self, values: None)


@pytest.mark.parametrize(
    ("sabotage", "toy", "updates", "settings", "passes"),
    [
        pytest.param(
            _no_bootstrap, Endless, 60, {}, lambda score: score < 0.5, id="a cut is an end", marks=pytest.mark.slow
        ),
        pytest.param(
            _learns_from_all,
            Poisoned,
            20,
            {},
            lambda score: score > 0.5,
            id="learns from all rows",
            marks=pytest.mark.slow,
        ),
        pytest.param(_negated, Pairs, 20, {}, lambda score: score > 0.5, id="advantages negated"),
        pytest.param(
            _nothing_is_normalised,
            Aim,
            60,
            {},
            lambda score: score > 0.5,
            id="nothing is normalised",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_sabotaged_copies_are_caught(sabotage, toy, updates, settings, passes, monkeypatch):
    sabotage(monkeypatch)
    assert not passes(score(toy, updates, **settings))


def test_what_is_recomputed_is_what_was_done():
    """Log-probabilities and values of a rollout are those under which it was collected, with memory across ends."""
    rows = Recall(8)
    learner = built(rows, memory=16, minibatches=1)
    collector = Collector(rows, learner, 11)
    collector.collect()
    rollout = collector.collect()
    assert rollout.memory.abs().sum() > 0 and rollout.starts[1:].any()
    (minibatch,) = learner_module.minibatches_of(
        rollout, learner.network.prepare, learner.advantages(rollout), 1, np.random.default_rng(0)
    )
    judged, kept = learner.judged(minibatch), minibatch.kept
    assert torch.allclose(judged.log_probabilities, kept["log_probabilities"], atol=1e-5)
    assert torch.allclose(judged.values, kept["returns"] - kept["advantages"], atol=1e-5)


@pytest.mark.parametrize("memory", [0, 16])
def test_a_restored_learner_goes_on_alike(memory):
    rows = Recall()
    learner = built(rows, memory=memory)
    learn(rows, learner, 2)
    other = built(rows, seed=1, memory=memory)
    other.restore(*learner.state())
    learn(Recall(seed=5), learner, 2)
    learn(Recall(seed=5), other, 2)
    weights, others = learner.policy_weights(), other.policy_weights()
    assert all(np.array_equal(weights[name], others[name]) for name in weights)


def test_rows_that_may_not_be_learned_from_alone_change_nothing():
    rows = Poisoned()
    rows.train[:] = False
    learner = built(rows)
    before = learner.policy_weights()
    assert learner.update(Collector(rows, learner, 8).collect()) == {}
    assert all(np.array_equal(before[name], array) for name, array in learner.policy_weights().items())


@pytest.mark.parametrize("memory", [0, 16])
def test_rows_of_which_nothing_may_be_learned_make_no_minibatch(memory):
    rows = Poisoned()
    rows.train[1:] = False
    learner = built(rows, memory=memory, minibatches=4)
    measures = learner.update(Collector(rows, learner, 8).collect())
    assert all(np.isfinite(value) for value in measures.values())
    assert all(np.isfinite(array).all() for array in learner.policy_weights().values())
