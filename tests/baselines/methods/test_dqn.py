"""Q-learning in the one loop solves toys that know their answer, and its sabotaged copies do not."""

import numpy as np
import pytest
import torch
from gymnasium import spaces

from procgen_bench.baselines.action_kinds import UnsupportedActionsError
from procgen_bench.baselines.methods.dqn import DQN
from procgen_bench.baselines.methods.dqn_settings import DQNConfiguration
from procgen_bench.baselines.parts.flat_choices import FlatChoices
from procgen_bench.baselines.parts.q_learning import TorchValues
from procgen_bench.baselines.parts.replay import Replay, SmallReplayError
from procgen_bench.baselines.training.rollouts import Collector
from tests.baselines.parts.off_policy.going_on import (
    assert_a_restored_learner_goes_on_alike,
    assert_the_rate_is_the_players,
    trained,
)
from tests.baselines.training.test_collection import naive_advantages
from tests.baselines.training.toys import Aim, Endless, Pairs, Patience, Poisoned

torch.set_num_threads(1)  # small networks gain nothing from more

SMALL = {
    "num_envs": 32,
    "rollout_steps": 4,
    "learning_rate": 1e-2,
    "batch_size": 64,
    "buffer_size": 4_096,
    "learning_starts": 512,
    "updates_per_step": 1 / 32,
    "target_update_interval": 256,
    "exploration_fraction": 0.5,
    "exploration_final": 0.02,
    "width": 16,
    "layers": 1,
    "clip_next_values": False,
    "restore_on_drop": False,
}
ROLLOUTS = 40


def built(rows, seed=0, **settings):
    configuration = DQNConfiguration(**SMALL | {"num_envs": rows.num_rows} | settings)
    steps = ROLLOUTS * configuration.rollout_steps * configuration.num_envs
    return DQN(rows.space, rows.action_space, configuration, steps, np.random.default_rng(seed))


def score(toy, **settings):
    rows = toy(32)
    learner = built(rows, **settings)
    collector = Collector(rows, learner, learner.configuration.rollout_steps)
    for _ in range(ROLLOUTS):
        learner.update(collector.collect())
    return rows.score(200)


@pytest.mark.parametrize(
    ("toy", "settings", "least"),
    [
        pytest.param(Patience, {}, 0.85, id="patience"),
        pytest.param(Patience, {"clip_next_values": True}, 0.85, id="next values clipped", marks=pytest.mark.slow),
        pytest.param(Pairs, {}, 0.9, id="several actions as one"),
        pytest.param(Poisoned, {}, 0.9, id="poisoned"),
    ],
)
def test_it_solves_what_has_an_answer(toy, settings, least):
    assert score(toy, **settings) > least


def test_what_is_cut_off_goes_on():
    assert score(Endless) == pytest.approx(0.4, abs=0.05)


@pytest.mark.parametrize(
    ("toy", "settings", "most"),
    [
        pytest.param(Patience, {"discount": 0.49}, 0.5, id="discount halved"),
        pytest.param(
            Patience,
            {"target_update_interval": 10**6},
            0.5,
            id="the target network is never renewed",
            marks=pytest.mark.slow,
        ),
        pytest.param(Pairs, {"exploration_final": 1.0}, 0.6, id="exploration never falls", marks=pytest.mark.slow),
        pytest.param(Pairs, {"learning_starts": 10**6}, 0.6, id="learning never starts", marks=pytest.mark.slow),
        pytest.param(Pairs, {"updates_per_step": 0.0}, 0.8, id="no updates", marks=pytest.mark.slow),
    ],
)
def test_settings_without_which_it_does_not(toy, settings, most):
    assert score(toy, **settings) < most


def _rollouts_changed(monkeypatch, change):
    extend = Replay.extend

    def changed(self, rollout, actions):
        actions = change(rollout, actions)
        extend(self, rollout, actions)

    monkeypatch.setattr(Replay, "extend", changed)


def _nothing_ends(rollout, actions):
    rollout.truncations[:] = rollout.ends
    rollout.terminations[:] = False
    return actions


def _a_cut_is_an_end(rollout, actions):
    rollout.terminations[:] = rollout.ends
    return actions


def _learns_from_all(rollout, actions):
    rollout.train[:] = True
    return actions


def _actions_swapped(rollout, actions):
    return 5 - actions


@pytest.mark.parametrize(
    ("change", "toy", "passes"),
    [
        pytest.param(_a_cut_is_an_end, Endless, lambda score: score < 0.5, id="a cut is an end"),
        pytest.param(_nothing_ends, Endless, lambda score: score < 0.5, id="nothing ends", marks=pytest.mark.slow),
        pytest.param(
            _learns_from_all, Poisoned, lambda score: score > 0.5, id="learns from all rows", marks=pytest.mark.slow
        ),
        pytest.param(_actions_swapped, Pairs, lambda score: score > 0.7, id="actions swapped", marks=pytest.mark.slow),
    ],
)
def test_sabotaged_copies_are_caught(change, toy, passes, monkeypatch):
    _rollouts_changed(monkeypatch, change)
    assert not passes(score(toy))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_it_learns_on_cuda():
    assert score(Patience, device="cuda", clip_next_values=True) > 0.85


def test_rows_that_may_not_be_learned_from_alone_change_nothing():
    rows = Poisoned(8)
    rows.train[:] = False
    learner = built(rows, learning_starts=0, updates_per_step=1.0)
    before = learner.policy_weights()
    trained(rows, learner, 3)
    assert all(np.array_equal(before[name], array) for name, array in learner.policy_weights().items())


def test_teachers_hear_of_the_greatest_values_and_their_errors():
    rows = Patience(8)
    learner = built(rows)
    rollout = Collector(rows, learner, 4).collect()
    shown = {name: array.flatten(0, 1) for name, array in rollout.observations.items()}
    values = learner.values(shown).reshape(4, 8)
    assert np.allclose(values, rollout.aux["values"].numpy(), atol=1e-6)
    errors = (rollout.rewards - values)[rollout.terminations]
    assert len(errors) and np.allclose(learner.advantages(rollout)[rollout.terminations], errors, atol=1e-6)


def test_the_rate_is_the_players():
    rows = Patience(32)
    learner = built(rows, learning_starts=0)
    assert_the_rate_is_the_players(Collector(rows, learner, learner.configuration.rollout_steps))


def test_a_restored_learner_goes_on_alike():
    settings = {"learning_starts": 64, "clip_next_values": True, "buffer_size": 256}
    assert_a_restored_learner_goes_on_alike(Patience, built, **settings)


def test_next_values_are_clipped_to_the_returns_in_the_replay():
    rows = Patience(8)
    learner = built(rows, clip_next_values=True, learning_starts=10**6)
    trained(rows, learner, 8)
    assert set(rows.recent) == {0.3, 1.0}
    target = learner.target_networks["q"]
    with torch.no_grad():
        target["head"][-1].bias.copy_(torch.tensor([1_000.0, -1_000.0]))
        shown = {name: torch.as_tensor(array) for name, array in rows.observations.items()}
        values = TorchValues(learner.networks["q"], target, None, learner.settings)
        batch = learner.replay.sample(64)
        expected = batch.rewards + (1 - batch.terminations) * learner.settings.discount * 1.0
        assert learner.next_value_bounds == pytest.approx((0.3, 1.0))
        assert torch.allclose(values.targets(batch, learner.next_value_bounds), expected)
        assert learner.networks["q"](shown).abs().max() < 10


def test_returns_leave_the_replay_with_their_episodes():
    rows = Patience(8)
    learner = built(rows, learning_starts=10**6, buffer_size=8 * 6)
    trained(rows, learner, 6)
    assert len(learner._returns._returns) == int((learner.replay.left == 0).sum())


def test_the_network_is_restored_on_a_drop_from_above_zero():
    learner = built(Patience(8), restore_on_drop=True)
    weight = learner.networks["q"]["head"][0].weight

    def evaluated(return_):
        with torch.no_grad():
            weight.fill_(return_)
        scores = {"return": return_, "success": 0.0, "length": 10 * return_}
        learner.after_evaluation(scores)
        assert scores["evaluated_return"] == return_ and scores["length"] == 10 * scores["return"]
        return scores["restored"], weight.flatten()[0].item(), scores["return"]

    assert evaluated(-0.5) == (0, -0.5, -0.5)
    assert evaluated(-0.75) == (0, -0.75, -0.75)  # a drop, but not from above 0
    assert evaluated(0.5) == (0, 0.5, 0.5)
    assert evaluated(0.25) == (1, 0.5, 0.5)
    assert evaluated(0.75) == (0, 0.75, 0.75)


def test_choices_of_several_actions_are_their_combinations():
    choices = FlatChoices(spaces.MultiDiscrete([2, 3]))
    actions = choices.actions(torch.arange(6))
    assert choices.count == 6 and actions.dtype == torch.int64
    assert sorted(map(tuple, actions.tolist())) == [(a, b) for a in range(2) for b in range(3)]
    assert choices.numbers(actions.numpy()[np.newaxis]).tolist() == [[0, 1, 2, 3, 4, 5]]


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (Aim.action_space, "expected discrete ones"),
        (spaces.Discrete(3, start=1), "expected discrete ones"),
        (spaces.MultiDiscrete([250, 25]), "6250 in all, expected at most 256"),
    ],
)
def test_other_actions_are_refused(space, message):
    with pytest.raises(UnsupportedActionsError, match=message):
        FlatChoices(space)


def test_a_replay_smaller_than_a_rollout_is_refused():
    with pytest.raises(SmallReplayError, match="holds 2 steps of 32 rows, expected at least 4"):
        built(Patience(32), buffer_size=64)


def test_all_actions_are_random_until_learning_starts_and_then_by_epsilon():
    rows = Patience(64)
    learner = built(rows, learning_starts=512, exploration_fraction=1e-6, exploration_final=0.0, updates_per_step=0.0)
    assert learner.configuration.rollout_steps == 4, "two rollouts are random"
    collector, others = Collector(rows, learner, 4), []
    for _ in range(3):
        shown = {name: torch.as_tensor(array) for name, array in rows.observations.items()}
        actions = torch.stack([learner.act(shown, torch.zeros(64, 0))[0] for _ in range(8)])
        others.append(float((actions != learner.networks["q"](shown).argmax(dim=1)).float().mean()))
        learner.update(collector.collect())
    assert others == [pytest.approx(0.5, abs=0.1), pytest.approx(0.5, abs=0.1), 0.0]


def test_gradient_steps_are_due_after_the_random_steps_alone():
    rows = Patience(8)
    learner, taken = built(rows, learning_starts=64, updates_per_step=0.3), []
    learner.train = lambda steps: taken.append(steps) or {}
    trained(rows, learner, 5)
    assert taken == [9, 10, 9], "of 96, 128 and 160 steps: 9.6, 19.2 and 28.8"


def test_returns_that_may_not_be_learned_from_bound_nothing():
    rows = Poisoned(8)
    learner = built(rows, learning_starts=10**6)
    trained(rows, learner, 6)
    assert learner._returns.bounds == (0, 1), "in the other rows 10 are earned"


@pytest.mark.parametrize("toy", [Patience, Endless])
def test_advantages_are_those_of_the_definition(toy):
    rows = toy(8)
    learner = built(rows, discount=0.8)
    collector = Collector(rows, learner, 12)
    rollout = collector.collect()
    after = {name: torch.as_tensor(rollout.following(name)).flatten(0, 1) for name in rollout.observations}
    following, values = learner.values(after).reshape(12, 8), rollout.aux["values"].numpy()
    expected = naive_advantages(rollout.rewards, values, following, rollout.terminations, rollout.ends, 0.8, 0.95)
    assert rollout.ends.any() and np.allclose(learner.advantages(rollout), expected, atol=1e-5)
