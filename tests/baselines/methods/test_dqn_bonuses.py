"""Q-learning with intrinsic rewards: what enters the replay, going on, and tasks that nobody finds by chance."""

import numpy as np
import pytest
import torch
from gymnasium import spaces

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.methods.dqn import make_learner
from procgen_bench.baselines.methods.dqn_settings import ICMConfiguration, RIDEConfiguration, RNDConfiguration
from procgen_bench.baselines.parts.bonuses.curiosity import Curiosity
from procgen_bench.baselines.parts.bonuses.distillation import Distillation
from procgen_bench.baselines.parts.bonuses.impact import Impact
from procgen_bench.baselines.parts.bonuses.intrinsic_rewards import IntrinsicRewards
from procgen_bench.baselines.training.rollouts import Collector
from tests.baselines.parts.off_policy.going_on import assert_a_restored_learner_goes_on_alike, trained
from tests.baselines.training.toys import Pairs, Patience, Poisoned, ToyRows

torch.set_num_threads(1)  # small networks gain nothing from more

SMALL = {
    "num_envs": 32,
    "rollout_steps": 4,
    "learning_rate": 3e-3,
    "batch_size": 64,
    "buffer_size": 20_000,
    "learning_starts": 512,
    "updates_per_step": 1 / 3,
    "discount": 0.97,
    "target_update_interval": 128,
    "exploration_fraction": 0.5,
    "exploration_final": 0.05,
    "width": 32,
    "layers": 1,
    "bonus_learning_rate": 1e-3,
    "bonus_updates_per_step": 1 / 16,
    "bonus_width": 32,
    "bonus_starts": 256,
}
QUICK = {"learning_starts": 64, "bonus_starts": 64, "buffer_size": 256, "batch_size": 16}


BONUSES = {"icm": ICMConfiguration, "rnd": RNDConfiguration, "ride": RIDEConfiguration}
EVERY_BONUS = pytest.mark.parametrize("bonus", BONUSES)


def built(rows, seed=0, bonus="ride", rollouts=40, **settings):
    configuration = BONUSES[bonus](**SMALL | {"num_envs": rows.num_rows} | settings)
    steps = rollouts * configuration.rollout_steps * configuration.num_envs
    return make_learner(configuration, rows.space, rows.action_space, steps, np.random.default_rng(seed))


@EVERY_BONUS
def test_the_rewards_in_the_replay_and_of_the_advantages_are_those_with_the_bonus(bonus, monkeypatch):
    asked = []
    of = IntrinsicRewards.of
    monkeypatch.setattr(IntrinsicRewards, "of", lambda *arguments: asked.append(of(*arguments)) or asked[-1])
    rows = Patience(8)
    learner = built(rows, bonus=bonus, **QUICK)
    collector = Collector(rows, learner, 4)
    own = []
    for number in range(1, 7):
        rollout = collector.collect()
        advantages = learner.advantages(rollout)
        own.append(rollout.rewards.copy())
        measures = learner.update(rollout)
        assert len(asked) == number, "the bonus was computed twice"
        assert measures["bonus"] == pytest.approx(asked[-1].mean(), abs=1e-6)
    rewards = np.concatenate(own) + np.concatenate(asked)
    assert np.array_equal(learner.replay.rewards[: len(rewards)], rewards.astype(np.float32))
    assert (asked[-1] > 0).any() and not asked[0].any()
    values = rollout.aux["values"].numpy()
    ended = rollout.terminations
    assert advantages[ended] == pytest.approx((rollout.rewards + asked[-1] - values)[ended], abs=1e-5)


def test_next_values_are_clipped_to_the_returns_with_the_bonus():
    rows = Patience(8)
    learner = built(rows, **QUICK | {"buffer_size": 10_000, "learning_starts": 10**6})
    trained(rows, learner, 20)
    starts, returns = learner.replay.left[:80] != 0, []
    for row in range(8):
        sums = np.zeros(1)
        for step in range(80):
            sums = sums + learner.replay.rewards[step, row]
            if not starts[step, row]:
                returns.append(sums.item())
                sums = np.zeros(1)
    assert learner._returns.bounds == pytest.approx((min(returns), max(returns)), abs=1e-5)
    assert max(returns) > 1.0  # the best without a bonus


@EVERY_BONUS
def test_a_restored_learner_goes_on_alike(bonus):
    def of_bonus(rows, seed=0, **settings):
        return built(rows, seed, bonus, **settings)

    assert_a_restored_learner_goes_on_alike(Patience, of_bonus, **QUICK)


def test_rows_that_may_not_be_learned_from_alone_change_nothing():
    rows = Poisoned(8)
    rows.train[:] = False
    learner = built(rows, **QUICK)
    before = learner.intrinsic.bonus.state()[0]
    trained(rows, learner, 6)
    after = learner.intrinsic.bonus.state()[0]
    assert all(np.array_equal(before[name], array) for name, array in after.items())


def test_several_actions_are_learned_as_one():
    rows = Pairs(8)
    learner = built(rows, **QUICK)
    trained(rows, learner, 6)
    assert learner.intrinsic.bonus.network["inverse_model"][-1].out_features == 6


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_the_bonus_stays_on_the_processor():
    rows = Patience(8)
    learner = built(rows, device="cuda", **QUICK)
    trained(rows, learner, 6)
    assert {weight.device.type for weight in learner.intrinsic.bonus.network.parameters()} == {"cpu"}


class Corridor(ToyRows):
    """Fifteen places; in each another of two actions leads on, in as many steps as are forgiven more. The end earns 1.

    By chance one of many thousand episodes gets there.
    """

    length, forgiven, back = 15, 5, 1
    space = spaces.Dict({"place": spaces.Box(0, length, (1,), np.float32)})
    action_space = spaces.Discrete(2)

    def __init__(self, num_rows=64, seed=0):
        self.horizon, self._place = self.length + self.forgiven, np.zeros(num_rows, int)
        super().__init__(num_rows, seed)

    def seen(self):
        self._place = np.where(self.elapsed == 0, 0, self._place)
        return {"place": self._place[:, None].astype(np.float32)}

    def judged(self, actions):
        leads_on = actions == self._place * 7 // 3 % 2
        self._place = np.maximum(self._place + np.where(leads_on, 1, -self.back), 0)
        return (self._place == self.length).astype(float), self._place == self.length


class Stairs(Corridor):
    """Who takes the wrong action stays where it was: a change for nothing is no way to be rewarded for changes."""

    forgiven, back = 1, 0


def found(toy, bonus, bonus_weight, rollouts=200, seed=0):
    """Share of the newest 200 episodes that got to the end."""
    rows = toy(32)
    trained(rows, built(rows, seed, bonus, rollouts, bonus_weight=bonus_weight), rollouts)
    return rows.score(200)


TOYS = pytest.mark.parametrize(
    ("bonus", "toy", "weight"), [("icm", Corridor, 0.1), ("rnd", Corridor, 0.1), ("ride", Stairs, 0.3)]
)


@pytest.mark.slow
@TOYS
def test_it_finds_what_hardly_anybody_finds_by_chance(bonus, toy, weight):
    assert min(found(toy, bonus, weight, seed=seed) for seed in range(4)) > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("toy", [Corridor, Stairs])
def test_without_a_bonus_it_does_not(toy):
    """One of the four networks begins with most of the corridor's actions, and finds its end by luck."""
    assert np.median([found(toy, "rnd", 0.0, seed=seed) for seed in range(4)]) < 0.1


@pytest.mark.slow
def test_with_anothers_bonus_it_does_not(monkeypatch):
    """By impact: what is new there rows find together, so that others' bonuses for it are nearly one's own."""
    of, rng = IntrinsicRewards.of, np.random.default_rng(0)

    def shuffled(self, rollout, actions):
        return rng.permuted(of(self, rollout, actions).ravel()).reshape(rollout.rewards.shape)

    monkeypatch.setattr(IntrinsicRewards, "of", shuffled)
    assert found(Stairs, "ride", 0.3) < 0.5, "with its own bonus it finds more than that"


def test_the_bonus_learns_as_often_as_is_due_however_short_rollouts_are():
    rows, calls = Patience(2), []
    learner = built(rows, **QUICK | {"rollout_steps": 1, "learning_starts": 10**6, "bonus_updates_per_step": 1 / 8})
    learner.intrinsic.bonus.learn = lambda *transitions: calls.append(len(transitions[1])) or {}
    trained(rows, learner, 40)
    assert calls == [16] * 10, "80 steps"


@pytest.mark.parametrize(
    ("method", "bonus", "episodic"), [("icm", Curiosity, 0), ("rnd", Distillation, 0), ("ride", Impact, 1)]
)
def test_every_method_has_its_bonus_and_rides_alone_is_divided_by_the_episodes_visits(method, bonus, episodic):
    assert METHODS[f"dqn-{method}"].load("configuration") is BONUSES[method]
    intrinsic = built(Patience(8), bonus=method, **QUICK).intrinsic
    assert type(intrinsic.bonus) is bonus and (intrinsic._counts is not None) == episodic
