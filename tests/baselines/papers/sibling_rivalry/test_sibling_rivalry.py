"""Mutual relabelling and selective inclusion, against the paper's loop."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.baselines.papers.sibling_rivalry.episode_learner import EpisodeLearner
from procgen_bench.baselines.papers.sibling_rivalry.episode_settings import EpisodicConfiguration
from procgen_bench.baselines.papers.sibling_rivalry.sibling_rivalry import SiblingRivalry, self_balancing_reward
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic
from tests.baselines.methods.algorithm_1 import algorithm_1, equation_3
from tests.baselines.papers.sibling_rivalry.episodes.made_episodes import (
    QUARTERS,
    THRESHOLD,
    distance,
    episode_pairs,
    made_episodes,
)
from tests.baselines.papers.sibling_rivalry.episodes.random_play import BITS, MAZE, collector_of

EPSILONS = st.one_of(st.just(0.0), st.just(math.inf), QUARTERS)


@given(episode_pairs(), EPSILONS)
def test_labels_are_those_of_algorithm_1(episodes, epsilon):
    labels = SiblingRivalry(distance, THRESHOLD, epsilon).label(episodes)
    buffer, rewards = algorithm_1(episodes.ends, episodes.goals, distance, THRESHOLD, epsilon)
    assert np.flatnonzero(labels.included).tolist() == buffer
    for row, length in enumerate(episodes.lengths):
        assert labels.rewards[length - 1, row] == rewards[row]
    assert np.count_nonzero(labels.rewards) == sum(reward != 0 for reward in rewards.values())
    for row in range(len(episodes.lengths)):
        sibling = row ^ 1
        achieved = episodes.goals[sibling] if episodes.successes[sibling] else episodes.ends[sibling]
        assert np.array_equal(labels.anti_goals[row], achieved)


def test_a_successful_siblings_anti_goal_is_the_goal():
    """One that failed beside it earns nothing; by its sibling's end, 0.25 before the goal, it would earn -0.25."""
    episodes = made_episodes([2, 3], [[0.25], [3.0]], [[0.0], [0.0]])
    labels = SiblingRivalry(distance, THRESHOLD, 0.0).label(episodes)
    assert labels.anti_goals.tolist() == [[3.0], [0.0]]
    assert labels.rewards.sum(axis=0).tolist() == [1.0, 0.0]


@given(
    QUARTERS, QUARTERS, QUARTERS, st.sampled_from([THRESHOLD, np.nextafter(THRESHOLD, 0), np.nextafter(THRESHOLD, 1)])
)
def test_the_reward_is_equation_3(end, goal, anti_goal, delta):
    end, goal, anti_goal = np.array([end]), np.array([goal]), np.array([anti_goal])
    reward = self_balancing_reward(distance(end, goal), distance(end, anti_goal), delta)
    assert reward == equation_3(end, goal, anti_goal, distance, delta)


@pytest.mark.parametrize(
    ("ends", "epsilon", "buffer"),
    [
        ([1.0, 3.0], 0.0, [1]),  # the closer one is left out
        ([3.0, 1.0], 0.0, [0]),
        ([1.0, 1.0], 0.0, [0, 1]),  # within epsilon: at the same place
        ([1.0, 3.0], 2.0, [0, 1]),  # within epsilon: just
        ([1.0, 3.0], 1.75, [1]),
        ([0.5, 3.0], 0.0, [0, 1]),  # the closer one reached the goal: just
        ([0.75, 3.0], 0.0, [1]),
        ([1.0, -1.0], 0.0, [0]),  # equally far: the second counts as the closer one
        ([1.0, -1.0], 2.0, [0, 1]),
        ([0.25, 0.5], 0.0, [0, 1]),  # both reached the goal
        ([1.0, 24.0], math.inf, [0, 1]),
    ],
)
def test_who_is_learned_from(ends, epsilon, buffer):
    episodes = made_episodes([2, 3], np.array(ends)[:, None], np.zeros((2, 1)))
    labels = SiblingRivalry(distance, THRESHOLD, epsilon).label(episodes)
    assert np.flatnonzero(labels.included).tolist() == buffer


@given(episode_pairs())
def test_by_step_every_change_is_paid_whatever_the_sibling_has(episodes):
    """What equation 3 cuts off at 0 is paid, too: nearer by 1 is worth 1 far behind the sibling and far before it."""
    at_the_end, by_step = (SiblingRivalry(distance, THRESHOLD, 0.0, per_step) for per_step in (False, True))
    labels = by_step.label(episodes)
    assert np.array_equal(labels.included, at_the_end.label(episodes).included)
    for row, length in enumerate(episodes.lengths):
        states = [*episodes.observed("achieved_goal")[:length, row], episodes.ends[row]]
        balances = [distance(s, labels.anti_goals[row]) - distance(s, episodes.goals[row]) for s in states]
        if episodes.successes[row]:
            balances[-1] = (
                distance(episodes.goals[row], labels.anti_goals[row]) - distance(states[-1], episodes.goals[row]) + 1
            )
        assert labels.rewards[:length, row].tolist() == np.diff(balances).tolist()
        assert not labels.rewards[length:, row].any()


def test_measures_are_means():
    episodes = made_episodes([1, 1, 1, 1], [[1.0], [3.0], [0.25], [6.0]], np.zeros((4, 1)))
    measures = SiblingRivalry(distance, THRESHOLD, 0.0).label(episodes).measures
    assert measures == {"distance": (1 + 3 + 0.25 + 6) / 4, "sibling_distance": (2 + 6) / 2, "included": 3 / 4}


@pytest.fixture(params=[MAZE, BITS])
def played(request):
    """Rows of an environment, and pairs of episodes that were played at random in them, to be learned from."""
    collector = collector_of(request.param, count=40, siblings="start and goal")
    episodes = collector.collect()
    yield collector.rows.env, replace(episodes, train=np.ones(40, np.bool_))
    collector.rows.close()


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 5.0, math.inf])
def test_algorithm_1s_transitions_are_learned_from(played, epsilon, monkeypatch):
    rows, episodes = played
    network = GoalActorCritic(rows.single_observation_space, rows.single_action_space, anti_goal=True)
    torch.nn.init.zeros_(network.critic[-1].weight)
    torch.nn.init.zeros_(network.critic[-1].bias)
    figures = {
        "minibatches": 1,
        "epochs": 1,
        "learning_rate_decay": 1.0,
        "discount": 1.0,
        "gae_lambda": 1.0,
        "entropy_weight": 0.0,
    }
    labeller = SiblingRivalry(rows.distance, rows.distance_threshold, epsilon)
    learner = EpisodeLearner(network, labeller, EpisodicConfiguration(**figures), np.random.default_rng(0))
    steps = []
    monkeypatch.setattr(EpisodeLearner, "_step", lambda self, *given: steps.append(given) or {})
    learner.update(episodes)
    chosen, rewards = algorithm_1(episodes.ends, episodes.goals, rows.distance, rows.distance_threshold, epsilon)
    expected = [
        (
            *(episodes.observed("observation")[step, row].ravel() + 0.0).tolist(),
            *(episodes.goals if episodes.successes[row ^ 1] else episodes.ends)[row ^ 1].ravel().tolist(),
            *np.ravel(episodes.actions[step, row]).tolist(),
            float(np.float32(rewards[row])),  # with neither a discount nor a critic, every step's return is the reward
        )
        for row in chosen
        for step in range(episodes.lengths[row])
    ]
    ((seen, given),) = steps
    kept = zip(seen["observation"], seen["anti_goal"], given["actions"], given["returns"])
    found = [(*o.flatten().tolist(), *g.flatten().tolist(), *a.flatten().tolist(), r.item()) for o, g, a, r in kept]
    assert sorted(found) == sorted(expected)


def test_some_of_the_played_episodes_are_left_out(played):
    """Otherwise the comparison above could not tell inclusion from exclusion."""
    rows, episodes = played
    sizes = [
        SiblingRivalry(rows.distance, rows.distance_threshold, epsilon).label(episodes).included.sum()
        for epsilon in (0.0, math.inf)
    ]
    assert 20 <= sizes[0] < sizes[1] == 40
