"""Weighted bonuses, scaled by their discounted sums, against a plain loop."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from procgen_bench.baselines.parts.bonuses.curiosity import Curiosity
from procgen_bench.baselines.parts.bonuses.episodic_counts import EpisodicCounts
from procgen_bench.baselines.parts.bonuses.impact import Impact
from procgen_bench.baselines.parts.bonuses.intrinsic_rewards import IntrinsicRewards
from procgen_bench.baselines.parts.bonuses.learned_bonus import tensors_of
from procgen_bench.baselines.training.learner import Rollout
from tests.baselines.parts.bonuses.worlds import (
    CHOICES,
    PLANE,
    PUSHES,
    SETTINGS,
    PlaceEncoder,
    Transitions,
    assert_resumes,
    states_of,
    transitions,
)

ROWS, STEPS, STARTS, WEIGHT, DISCOUNT = 2, 5, 12, 0.5, 0.9


class Height:
    """A bonus that is the next state's height above the last one, to which each action adds."""

    def bonus(self, observations, actions, next_observations):
        return np.abs(next_observations["height"] - observations["height"])[:, 0].astype(np.float64) + actions

    def state(self):
        return {}, {}

    def restore(self, arrays, values):
        assert not arrays


def rollouts(count, seed=0):
    """Rollouts that go on through their episodes' ends; some of their steps may not be learned from."""
    rng = np.random.default_rng(seed)
    heights = rng.integers(4, size=(count * STEPS + 1, ROWS, 1)).astype(np.float32)
    ends = rng.random((count * STEPS, ROWS)) < 0.3
    last = rng.integers(4, size=(*ends.shape, 1)).astype(np.float32)
    train = rng.random(ends.shape) < 0.8
    starts = np.concatenate([np.ones((1, ROWS), bool), ends])
    for begin in range(0, count * STEPS, STEPS):
        part, nothing = slice(begin, begin + STEPS), torch.zeros(ROWS, 0)
        yield Rollout(
            observations={"height": torch.as_tensor(heights[part])},
            actions=torch.as_tensor(rng.integers(3, size=(STEPS, ROWS))),
            aux={},
            rewards=np.zeros((STEPS, ROWS), np.float32),
            terminations=ends[part],
            truncations=np.zeros((STEPS, ROWS), bool),
            starts=starts[part],
            train=train[part],
            memory=nothing,
            last_observations={"height": torch.as_tensor(heights[part.stop])},
            last_starts=starts[part.stop],
            last_memory=nothing,
            end_observations={"height": torch.as_tensor(last[part][ends[part]])},
            cut_memory=nothing,
            rewards_before=np.zeros((STEPS, ROWS), np.float32),
            infos={},
        )


def make(episodic=True):
    return IntrinsicRewards(Height(), WEIGHT, DISCOUNT, STARTS, ROWS, episodic)


def given(intrinsic, played):
    return np.concatenate([intrinsic.of(rollout, rollout.actions.numpy()) for rollout in played])


def plain(played, episodic):
    """The same, one step at a time."""
    rewards, sums, known = [], np.zeros(ROWS), []
    visits = [{} for _ in range(ROWS)]
    for rollout in played:
        heights, following = rollout.observations["height"].numpy(), rollout.following("height")
        bonuses = np.zeros((STEPS, ROWS))
        for step in range(STEPS):
            for row in range(ROWS):
                before, after = float(heights[step, row, 0]), float(following[step, row, 0])
                if rollout.starts[step, row]:
                    visits[row], sums[row] = {before: 1}, 0.0
                visits[row][after] = visits[row].get(after, 0) + 1
                bonus = abs(after - before) + int(rollout.actions[step, row])
                bonuses[step, row] = bonus / np.sqrt(visits[row][after]) if episodic else bonus
                sums[row] = DISCOUNT * sums[row] + bonuses[step, row]
                if rollout.train[step, row]:
                    known.append(sums[row])
        enough = len(known) >= STARTS
        rewards.append(np.minimum(WEIGHT * bonuses / np.std(known), 1) if enough else 0 * bonuses)
    return np.concatenate(rewards)


@pytest.mark.parametrize("episodic", [True, False])
def test_they_are_those_of_a_plain_loop(episodic):
    played = [*rollouts(6)]
    found, expected = given(make(episodic), played), plain(played, episodic)
    assert found.dtype == np.float32 and found == pytest.approx(expected, abs=1e-6)
    assert not found[:STEPS].any() and (found[-STEPS:] > 0).any()


def test_none_is_more_than_a_goal():
    intrinsic = make()
    intrinsic.weight = 100.0
    assert given(intrinsic, rollouts(6)).max() == 1.0


def _counts_never_restart(monkeypatch):
    visit = EpisodicCounts.visit
    nowhere = np.zeros((STEPS, ROWS), bool)
    monkeypatch.setattr(
        EpisodicCounts, "visit", lambda self, before, after, starts: visit(self, before, after, nowhere)
    )


def _counts_do_not_matter(monkeypatch):
    monkeypatch.setattr(EpisodicCounts, "visit", lambda self, before, after, starts: np.ones((STEPS, ROWS)))


def _episodes_end_in_the_next_ones_start(monkeypatch):
    def following(self, name):
        return np.concatenate([self.observations[name][1:], self.last_observations[name][None]])

    monkeypatch.setattr(Rollout, "following", following)


@pytest.mark.parametrize(
    "sabotage", [_counts_never_restart, _counts_do_not_matter, _episodes_end_in_the_next_ones_start]
)
def test_sabotaged_copies_are_caught(sabotage, monkeypatch):
    played = [*rollouts(6)]
    expected = plain(played, episodic=True)
    sabotage(monkeypatch)
    assert not np.allclose(given(make(), played), expected, atol=1e-3)


def test_what_may_not_be_learned_from_measures_nothing():
    intrinsic = make()
    for rollout in rollouts(6):
        intrinsic.of(replace(rollout, train=np.zeros_like(rollout.train)), rollout.actions.numpy())
    assert intrinsic.state()[0]["sums.count"] == 0


def test_restored_ones_go_on():
    played = [*rollouts(8)]
    intrinsic, other = make(), make()
    given(intrinsic, played[:5])
    arrays, values = intrinsic.state()
    other.restore({name: array.copy() for name, array in arrays.items()}, values)
    assert np.array_equal(given(intrinsic, played[5:]), given(other, played[5:]))


ACTIONS = pytest.mark.parametrize("actions", [PUSHES, CHOICES], ids=["pushes", "choices"])


def make_impact(actions) -> Impact:
    torch.manual_seed(0)
    return Impact(PLANE, actions, PlaceEncoder, SETTINGS)


@ACTIONS
def test_the_bonus_is_the_distance_of_the_features(actions):
    impact, seen = make_impact(actions), transitions(actions, 0, 10)
    before = states_of(impact)
    bonus = impact.bonus(*seen)
    with torch.no_grad():
        old, new = (impact.network["encoder"](tensors_of(side)).numpy() for side in (seen.before, seen.after))
    assert bonus == pytest.approx(np.linalg.norm(new - old, axis=1), abs=1e-5)
    assert bonus.dtype == np.float64 and np.all(bonus >= 0)
    after = states_of(impact)
    assert all(np.array_equal(before[name], after[name]) for name in before), "a bonus trained the module"


@ACTIONS
def test_what_changes_nothing_is_worth_nothing(actions):
    impact, seen = make_impact(actions), transitions(actions, 0, 10)
    still = Transitions(seen.before, seen.actions, seen.before)
    for _ in range(10):
        impact.learn(*seen)
    assert np.all(impact.bonus(*still) == 0)
    assert np.all(impact.bonus(*seen) > 0)


@ACTIONS
def test_both_models_teach_the_features_the_forward_one_a_hundred_times_as_much(actions):
    impact, seen = make_impact(actions), transitions(actions, 0, 10)
    before, after = (tensors_of(side) for side in (seen.before, seen.after))
    losses = impact.losses(before, torch.as_tensor(seen.actions), after)
    curious = Curiosity.losses(impact, before, torch.as_tensor(seen.actions), after)
    assert losses["inverse_loss"].item() == pytest.approx(0.1 * curious["inverse_loss"].item())
    weights = list(impact.network["encoder"].parameters())
    gradients = torch.autograd.grad(losses["forward_loss"], weights)
    assert all(gradient.abs().max() > 0 for gradient in gradients)


def test_a_restored_module_goes_on():
    assert_resumes(lambda: make_impact(CHOICES), transitions(CHOICES, 0, 10))


@ACTIONS
def test_the_forward_loss_is_ten_times_the_mean_distance_and_moves_both_features(actions):
    impact, seen = make_impact(actions), transitions(actions, 0, 10)
    before, after, acted = tensors_of(seen.before), tensors_of(seen.after), torch.as_tensor(seen.actions)
    encoder = impact.network["encoder"]
    taken = torch.nn.functional.one_hot(acted, 4).float() if actions is CHOICES else acted / torch.tensor([1, 3])
    predicted = impact.network["forward_model"](torch.cat([encoder(before), taken], dim=1))
    expected = 10 * (predicted - encoder(after)).square().sum(dim=1).sqrt().mean()
    loss = impact.losses(before, acted, after)["forward_loss"]
    assert loss.item() == pytest.approx(expected.item(), rel=1e-4)
    weights = list(encoder.parameters())
    pairs = zip(torch.autograd.grad(loss, weights), torch.autograd.grad(expected, weights), strict=True)
    assert all(torch.allclose(own, other, rtol=1e-3, atol=1e-5) for own, other in pairs)
