"""The sparse reward with a scaled bonus for every step."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
import torch
from hypothesis import given

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.baselines.papers.sibling_rivalry.bonus_rewards import (
    BonusRewards,
    StateEncoder,
    bonus_settings,
    state_space,
)
from procgen_bench.baselines.papers.sibling_rivalry.episode_settings import EpisodicConfiguration
from tests.baselines.papers.sibling_rivalry.episodes.made_episodes import episode_pairs, made_episodes


class CountedBonus:
    """Rewards by step and row, more with everything that it has learned; keeps what it was given."""

    def __init__(self):
        self.calls, self.factor = [], 1.0

    def bonus(self, *transitions):
        self.calls.append(("bonus", transitions))
        step, row = transitions[0]["observation"].T
        return self.factor * (step + row / 10)

    def learn(self, *transitions):
        self.calls.append(("learn", transitions))
        self.factor += 1.0
        return {"loss": self.factor}

    def state(self):
        return {"factor": np.array(self.factor)}, {"calls": len(self.calls)}

    def restore(self, arrays, values):
        self.factor = float(arrays["factor"])


def expected_rewards(all_episodes, weight, discount):
    """The rewards of the last episodes, found step by step; scaled by the deviation of all sums so far."""
    sums = []
    for factor, episodes in enumerate(all_episodes, start=1):
        rewards = np.zeros(episodes.actions.shape)
        for row, length in enumerate(episodes.lengths):
            total = 0.0
            for step in range(length):
                rewards[step, row] = factor * (step + 1 + (row + 1) / 10)
                total = discount * total + rewards[step, row]
                sums.append(total)
    rewards *= weight / max(np.std(sums), 1e-8)
    for row, length in enumerate(episodes.lengths):
        rewards[length - 1, row] += float(episodes.successes[row])
    return rewards


@given(episode_pairs(), episode_pairs())
def test_rewards_are_success_and_scaled_bonuses(first, second):
    labeller = BonusRewards(CountedBonus(), weight=0.5, discount=0.9, scaled=True)
    for played in ([first], [first, second]):
        labels = labeller.label(played[-1])
        assert labels.rewards == pytest.approx(expected_rewards(played, 0.5, 0.9), rel=1e-4, abs=1e-4)
        assert labels.included.all()
        assert labels.anti_goals is None


def test_bonuses_may_be_given_as_they_are():
    episodes = made_episodes([2, 1], [[9.0], [9.0]], [[0.0], [0.0]])
    labels = BonusRewards(CountedBonus(), weight=0.01, discount=0.9, scaled=False).label(episodes)
    assert labels.rewards == pytest.approx(0.01 * np.array([[1.1, 1.2], [2.1, 0.0]]))
    assert labels.measures["bonus_scale"] == 1.0


@given(episode_pairs())
def test_the_bonus_is_given_every_transition_once_and_learns_afterwards(episodes):
    bonus = CountedBonus()
    labels = BonusRewards(bonus, 1.0, 1.0, scaled=True).label(episodes)
    assert [name for name, _ in bonus.calls] == ["bonus", "learn"]
    assert labels.measures["loss"] == 2.0
    for _, (before, actions, after) in bonus.calls:
        assert before.keys() == after.keys() == {"observation", "achieved_goal"}, "the goal is no part of the state"
        assert len(actions) == episodes.lengths.sum()
        for place, action, following in zip(before["observation"], actions, after["observation"]):
            step, row = (int(number) - 1 for number in place)
            assert action == step * 1_000 + row
            assert following.tolist() == [step + 2, row + 1]
        ends = after["achieved_goal"][before["observation"][:, 0] == episodes.lengths[0]]
        assert episodes.ends[0] in ends


def test_the_bonus_learns_nothing_of_episodes_that_may_not_be_learned_from():
    bonus = CountedBonus()
    episodes = made_episodes([3, 2], [[0.0], [9.0]], [[0.0], [0.0]])
    BonusRewards(bonus, 1.0, 1.0, scaled=True).label(replace(episodes, train=np.array([True, False])))
    assert [(name, len(actions)) for name, (_, actions, _) in bonus.calls] == [("bonus", 5), ("learn", 3)]
    BonusRewards(bonus, 1.0, 1.0, scaled=True).label(replace(episodes, train=np.zeros(2, np.bool_)))
    assert [name for name, _ in bonus.calls] == ["bonus", "learn", "bonus"]


def test_no_bonus_at_all_leaves_the_sparse_reward():
    bonus = CountedBonus()
    bonus.factor = 0.0
    episodes = made_episodes([2, 1], [[0.0], [9.0]], [[0.0], [0.0]])
    assert BonusRewards(bonus, 1.0, 1.0, scaled=True).label(episodes).rewards.tolist() == [[0, 0], [1, 0]]


def test_a_restored_labeller_goes_on():
    episodes = made_episodes([2, 4], [[0.0], [9.0]], [[0.0], [0.0]])
    labeller, other = (
        BonusRewards(CountedBonus(), 1.0, 0.9, scaled=True),
        BonusRewards(CountedBonus(), 1.0, 0.9, scaled=True),
    )
    labeller.label(episodes)
    other.restore(*labeller.state())
    assert np.array_equal(labeller.label(episodes).rewards, other.label(episodes).rewards)


@pytest.mark.parametrize("environment_id", ["BitGrid-v0", "SparsePointMaze-v0"])
def test_states_are_encoded_by_the_policys_network_without_the_goal(environment_id):
    with gymnasium.make(environment_id) as env:
        space = state_space(env.observation_space)
        encoder = StateEncoder(space)
        observation, _ = env.reset(seed=0)
    state = {name: torch.as_tensor(observation[name])[None] for name in space}
    features = encoder(state)
    assert features.shape == (1, encoder.features)
    other_goal = state | {"desired_goal": torch.ones_like(torch.as_tensor(observation["desired_goal"]))[None]}
    assert torch.equal(encoder(other_goal), features)
    elsewhere = {name: 1 - tensor for name, tensor in state.items()}
    assert not torch.equal(encoder(elsewhere), features)


def test_a_bonus_learns_as_often_as_the_policy_and_more_slowly():
    configuration = EpisodicConfiguration(
        epochs=3, minibatches=5, learning_rate=0.5, learning_rate_decay=0.75, precision="bfloat16"
    )
    found = bonus_settings(configuration, rate=0.5)
    assert (found.epochs, found.minibatches) == (3, 5)
    assert (found.learning_rate, found.learning_rate_decay) == (0.25, 0.75)
    assert (found.adam_epsilon, found.precision) == (1e-3, "bfloat16")
