"""Self reward-play pays for every change of the reward, once, and counts no further than the next."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from procgen_bench.baselines.parts import policy_gradient
from procgen_bench.baselines.parts.policy_gradient import reward_flips, rollout_advantages
from procgen_bench.baselines.training.learner import Rollout

DISCOUNT = 0.9


def rollout_of(rewards, before, starts, truncations):
    """A rollout (T, 1) of these rewards, in which nothing is observed."""
    length = len(rewards)
    column = lambda values, kind: np.array(values, kind).reshape(length, 1)  # noqa: E731 - four of them
    nothing = torch.zeros(1, 0)
    return Rollout(
        observations={},
        actions=torch.zeros(length, 1),
        aux={},
        rewards=column(rewards, np.float32),
        terminations=np.zeros((length, 1), bool),
        truncations=column(truncations, bool),
        starts=column(starts, bool),
        train=np.ones((length, 1), bool),
        memory=nothing,
        last_observations={},
        last_starts=np.zeros(1, bool),
        last_memory=nothing,
        end_observations={},
        cut_memory=nothing,
        rewards_before=column(before, np.float32),
        infos={},
    )


#: The episode before the rollout was rewarded; a new one begins at the sixth step.
TOGGLE = rollout_of(
    rewards=[1, 1, 0, 0, 1, 1, 1],
    before=[1, 1, 1, 0, 0, 0, 1],
    starts=[0, 0, 0, 0, 0, 1, 0],
    truncations=[0, 0, 0, 0, 1, 0, 0],
)


def returns(rollout=TOGGLE, reward_play=True):
    """Discounted returns where the critic says 0, but for 5 after the rollout and 3 where the episode was cut."""
    zeros = np.zeros((7, 1), np.float32)
    cut = np.array([3.0], np.float32)
    advantages = rollout_advantages(rollout, zeros, np.array([5.0], np.float32), cut, DISCOUNT, 1.0, reward_play)
    return advantages[:, 0]


def test_every_change_is_paid_and_nothing_is_counted_beyond_it():
    assert policy_gradient.reward_flips(TOGGLE)[:, 0].tolist() == [False, False, True, False, True, True, False]
    assert returns() == pytest.approx([0.9**2, 0.9, 1.0, 0.9, 1.0, 1.0, 0.9 * 5], rel=1e-6)


def test_true_rewards_are_counted_without_it():
    cut, last = 0.9 * 3, 1 + 0.9 * (1 + 0.9 * 5)
    fourth = 0.9 * (1 + cut)
    assert returns(reward_play=False)[2:] == pytest.approx([0.9 * fourth, fourth, 1 + cut, last, 1 + 0.9 * 5], rel=1e-6)


def test_the_rollout_itself_stays_as_it_was():
    rewards, terminations = TOGGLE.rewards.copy(), TOGGLE.terminations.copy()
    returns()
    assert (TOGGLE.rewards == rewards).all() and (TOGGLE.terminations == terminations).all()


def never_paid_for_stopping(rollout):
    return (rollout.rewards > 0) & ~(rollout.rewards_before > 0)


def without_the_step_before_the_rollout(rollout):
    return reward_flips(replace(rollout, rewards_before=np.vstack([[[0]], rollout.rewards[:-1]])))


@pytest.mark.parametrize("flips", [never_paid_for_stopping, without_the_step_before_the_rollout])
def test_wrong_flips_are_noticed(monkeypatch, flips):
    monkeypatch.setattr(policy_gradient, "reward_flips", flips)
    with pytest.raises(AssertionError):
        test_every_change_is_paid_and_nothing_is_counted_beyond_it()
