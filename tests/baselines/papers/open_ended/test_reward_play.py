"""Self reward-play pays for every change of the reward, once, and counts no further than the next."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.open_ended import agents
from procgen_bench.baselines.papers.open_ended.agents import AgentPolicyGradient, flipped
from procgen_bench.baselines.papers.open_ended.agents_settings import AgentPPOConfiguration
from procgen_bench.baselines.parts.actor_critic import ActorCritic
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.parts.policy_gradient import rollout_advantages
from procgen_bench.baselines.training.learner import Rollout
from procgen_bench.baselines.training.rollouts import Collector
from tests.baselines.training.toys import Paid

DISCOUNT = 0.9


def rollout_of(rewards, before, starts, truncations, terminations=None):
    """A rollout (T, 1) of these rewards, in which nothing is observed."""
    length = len(rewards)
    column = lambda values, kind: np.array(values, kind).reshape(length, 1)  # noqa: E731 - four of them
    nothing = torch.zeros(1, 0)
    return Rollout(
        observations={},
        actions=torch.zeros(length, 1),
        aux={},
        rewards=column(rewards, np.float32),
        terminations=column(terminations or [0] * length, bool),
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
    paid = agents.flipped(rollout) if reward_play else rollout
    advantages = rollout_advantages(paid, zeros, np.array([5.0], np.float32), cut, DISCOUNT, 1.0)
    return advantages[:, 0]


def test_every_change_is_paid_and_nothing_is_counted_beyond_it():
    assert agents.flipped(TOGGLE).rewards[:, 0].tolist() == [0, 0, 1, 0, 1, 1, 0]
    assert returns() == pytest.approx([0.9**2, 0.9, 1.0, 0.9, 1.0, 1.0, 0.9 * 5], rel=1e-6)


def test_true_rewards_are_counted_without_it():
    cut, last = 0.9 * 3, 1 + 0.9 * (1 + 0.9 * 5)
    fourth = 0.9 * (1 + cut)
    assert returns(reward_play=False)[2:] == pytest.approx([0.9 * fourth, fourth, 1 + cut, last, 1 + 0.9 * 5], rel=1e-6)


def test_the_rollout_itself_stays_as_it_was():
    rewards, terminations = TOGGLE.rewards.copy(), TOGGLE.terminations.copy()
    returns()
    assert (TOGGLE.rewards == rewards).all() and (TOGGLE.terminations == terminations).all()


def test_nothing_is_carried_over_an_episodes_end():
    """Neither over a real end, after which nothing counts, nor over a cut; in neither step does the reward change."""
    rollout = rollout_of(
        rewards=[0, 0, 1, 1, 0, 0, 1],
        before=[0, 0, 0, 1, 0, 0, 0],
        starts=[1, 0, 1, 0, 1, 0, 1],
        truncations=[0, 0, 0, 0, 0, 1, 0],
        terminations=[0, 1, 0, 1, 0, 0, 0],
    )
    assert returns(rollout) == pytest.approx([0.0, 0.0, 1.0, 0.0, 0.9**2 * 3, 0.9 * 3, 1.0], rel=1e-6)


def test_every_episode_begins_unrewarded_and_goes_on_from_rollout_to_rollout():
    """PPO's advantages in two rows that pay at every step: one is cut off after four steps, one ends after two."""
    rows, configuration = Paid(2), AgentPPOConfiguration(reward_play=True, discount=DISCOUNT, gae_lambda=1.0)
    actions = actions_of(rows.action_space)
    network = ActorCritic(rows.space, actions.sizes, 4, 0, 0)
    with torch.no_grad():
        network.critic.weight.zero_()
        network.critic.bias.fill_(7.0)
    learner = AgentPolicyGradient(network, actions, configuration, np.random.default_rng(0))
    collector, counted = Collector(rows, learner, 3), []
    for _ in range(2):
        rollout = collector.collect()
        counted.append(learner.advantages(rollout) + 7.0)
    one, two = 0.9 * 7, 0.9**2 * 7  # steps before what follows is worth 7
    expected = [[1, two, one, one, 1, one], [1, 0, 1, 0, 1, 0]]
    np.testing.assert_allclose(np.concatenate(counted).T, expected, rtol=1e-5, atol=1e-5)


def never_paid_for_stopping(rollout):
    starts = (rollout.rewards > 0) & ~(rollout.rewards_before > 0)
    return replace(rollout, rewards=starts.astype(np.float32), terminations=rollout.terminations | starts)


def without_the_step_before_the_rollout(rollout):
    return flipped(replace(rollout, rewards_before=np.vstack([[[0]], rollout.rewards[:-1]])))


@pytest.mark.parametrize("flips", [never_paid_for_stopping, without_the_step_before_the_rollout])
def test_wrong_flips_are_noticed(monkeypatch, flips):
    monkeypatch.setattr(agents, "flipped", flips)
    with pytest.raises(AssertionError):
        test_every_change_is_paid_and_nothing_is_counted_beyond_it()
