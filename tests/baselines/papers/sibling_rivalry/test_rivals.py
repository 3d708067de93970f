"""Rewards at every step."""

import dataclasses

import numpy as np
import pytest
import torch
from gymnasium import spaces
from hypothesis import given

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.papers.sibling_rivalry.sibling_rivalry import GridOracle, TerminalDistance, plane_of
from procgen_bench.baselines.papers.sibling_rivalry.sibling_rivalry_settings import GridOracleConfiguration
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from tests.baselines.papers.sibling_rivalry.episodes.made_episodes import (
    THRESHOLD,
    distance,
    episode_pairs,
    made_episodes,
)
from tests.baselines.parts.off_policy.beginners import dense_dqn


def solving(collector):
    """Let every row but the first play solutions, so that tasks are solved among those that are cut off."""
    rows, rng = collector.rows, np.random.default_rng(0)
    plans = [[]] * rows.num_rows

    def act(observations, memory):
        for row in np.flatnonzero(rows.starts):
            solution = rows.env.task_space.solve(rows.env.tasks[row]) if row else None
            plans[row] = [] if solution is None else list(solution)
        chosen = [plan.pop(0) if plan else int(rng.integers(9)) for plan in plans]
        return torch.as_tensor(chosen), {"values": memory.sum(dim=1)}, memory

    collector.learner.act = act
    return collector


def test_every_step_is_rewarded_by_how_much_nearer_it_came():
    collector = solving(dense_dqn())
    goals, successes, totals = collector.rows.env, [], np.zeros(collector.rows.num_rows)
    for _ in range(3):
        rollout = collector.collect()
        rewards = collector.learner.rewarded(rollout).rewards
        assert rewards.dtype == np.float32
        following = rollout.following("achieved_goal")
        for t, row in np.ndindex(*rewards.shape):
            goal, achieved = (rollout.observations[name][t, row] for name in ("desired_goal", "achieved_goal"))
            before, after = float((goal != achieved).sum()), np.abs(goal.numpy() - following[t, row]).sum()
            assert rewards[t, row] == before - after + rollout.terminations[t, row]
            totals[row] = rewards[t, row] + (-before if rollout.starts[t, row] else totals[row])
            if rollout.ends[t, row]:
                assert totals[row] == float(after == 0) - after
                successes.append(after == 0)
    assert 0 < sum(successes) < len(successes)
    held = collector.learner.replay
    held.extend(collector.learner.rewarded(rollout), rollout.actions.numpy()[..., None])
    assert np.array_equal(held.rewards[:50], rewards) and goals.distance_threshold == 0


@given(episode_pairs())
def test_the_last_step_is_rewarded_by_equation_2(episodes):
    labels = TerminalDistance(distance, THRESHOLD).label(episodes)
    for row, length in enumerate(episodes.lengths):
        left = abs(float(episodes.ends[row, 0]) - float(episodes.goals[row, 0]))
        assert labels.rewards[length - 1, row] == (1.0 if left <= THRESHOLD else -left)
        labels.rewards[length - 1, row] = 0.0
    assert not labels.rewards.any()
    assert labels.included.all()
    assert labels.anti_goals is None


def test_the_goal_is_reached_just_at_the_threshold():
    ends = [[THRESHOLD], [np.nextafter(THRESHOLD, 1)]]
    labels = TerminalDistance(distance, THRESHOLD).label(made_episodes([1, 1], ends, [[0.0], [0.0]]))
    assert labels.rewards.tolist() == [[1.0, -np.nextafter(THRESHOLD, 1)]]
    assert labels.measures == {"distance": np.mean([end[0] for end in ends])}


@given(episode_pairs())
def test_by_step_every_change_of_the_distance_is_paid(episodes):
    rewards = TerminalDistance(distance, THRESHOLD, per_step=True).label(episodes).rewards
    for row, length in enumerate(episodes.lengths):
        states = np.array([*episodes.observations["achieved_goal"][:length, row], episodes.ends[row]])
        expected = -np.diff(distance(states, episodes.goals[row]))
        expected[-1] += episodes.successes[row]
        assert rewards[:length, row].tolist() == expected.tolist()
        assert not rewards[length:, row].any()


PLANE = spaces.Box(np.array([-4, 0], np.float32), np.array([4, 2], np.float32))


def test_the_end_is_rewarded_by_success_and_regions():
    """Regions of 4 x 1; the start and the end count, what lies behind an episode's end does not."""
    line = made_episodes([3, 1], [[0.0], [5.0]], [[0.0], [0.0]])
    places = np.array([[[-1, 0.5], [-1, 0.5]], [[-2, 0.6], [3, 1.9]], [[1, 0.5], [3, 0.1]]], np.float32)
    episodes = dataclasses.replace(
        line,
        observations=line.observations | {"achieved_goal": torch.as_tensor(places)},
        final_observations=line.final_observations | {"achieved_goal": np.array([[1, 1.5], [-3, 0.9]], np.float32)},
    )
    labels = GridOracle(PLANE, divisions=2, weight=0.25).label(episodes)
    assert labels.rewards.tolist() == [[0, 0.25], [0, 0], [1.75, 0]]  # regions: left, lower right, upper right; left
    assert labels.included.all()
    assert labels.anti_goals is None
    assert labels.measures == {"regions": 2.0}


@pytest.mark.parametrize(
    ("plane", "message"),
    [
        (spaces.Box(0, 1, (3,)), r"goals are of Box\(0\.0, 1\.0, \(3,\), float32\), expected two bounded"),
        (spaces.Box(0, 1, (13, 13)), "expected two bounded coordinates"),
        (spaces.Box(-np.inf, np.inf, (2,)), "expected two bounded coordinates"),
    ],
)
def test_what_is_no_plane_is_refused(plane, message):
    with pytest.raises(InvalidOptionError, match=message):
        GridOracle(plane, divisions=5, weight=1.0)


@pytest.mark.parametrize(
    ("environment_id", "low", "side"), [("SparsePointMaze-v0", -0.5, 2), ("SparseAntMaze-v0", -4, 4.8)]
)
def test_the_papers_mazes_have_25_regions(environment_id, low, side):
    """In the point maze those of the published source: pairs of cells along both sides."""
    plane, divisions = plane_of(environment_id), GridOracleConfiguration().divisions
    assert np.allclose(plane.low, low) and np.allclose((plane.high - plane.low) / divisions, side) and divisions == 5


def test_bits_are_refused_before_anything_is_written(tmp_path):
    train = get_method("ppo-grid-oracle").train
    with pytest.raises(InvalidOptionError, match="expected two bounded coordinates, x and y"):
        train(get_benchmark("bit-grid/test"), GridOracleConfiguration(), 0, 4_000, tmp_path / "run")
    assert not (tmp_path / "run").exists()
