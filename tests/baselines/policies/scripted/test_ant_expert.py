"""The scripted expert walks the suite: proof that its tasks can be solved within the horizon."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.policies.scripted.ant_expert import WAY_GAP, AntExpertPolicy, next_turn
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.registrations import environment_type

ID = "SparseAntMaze-v0"
SUITE = environment_type(ID).task_space.suite("test")


#: The expert's ways for a task on which its ant fell: another way is another walk.
OTHER_GAPS = (1.0, 2.0, 2.5, 1.25, 1.75)


def solved(tasks, way_gap=WAY_GAP) -> tuple[list[bool], list[int]]:
    episodes = play_episodes(AntExpertPolicy(ID, way_gap=way_gap), ID, tasks, range(len(tasks)))
    return [episode.success for episode in episodes], [len(episode.actions) for episode in episodes]


def test_the_expert_solves_most_tasks():
    """The shipped controller's ant falls on its back in a tenth of the episodes."""
    successes, steps = solved(SUITE.tasks[:15])
    assert sum(successes) >= 12 and np.mean(steps) < 400


@pytest.mark.slow
def test_every_task_of_the_suite_can_be_solved():
    """Proof by walking: at once, or on another way around the wall."""
    successes, _ = solved(SUITE.tasks)
    print(f"{sum(successes)} of {len(successes)} solved at once")
    assert np.mean(successes) > 0.9
    left = [task for task, success in zip(SUITE.tasks, successes) if not success]
    for way_gap in OTHER_GAPS:
        if left:
            successes, _ = solved(left, way_gap)
            left = [task for task, success in zip(left, successes) if not success]
            print(f"{len(left)} left after a way {way_gap} off the wall")
    assert not left


def test_waypoints_under_subgoals_solve_tasks_too():
    """What a high-level policy can reach at all: 25 subgoals of at most 5 units."""
    env = gymnasium.make_vec(ID, num_envs=8, control="subgoal", autoreset_mode="Disabled")
    observations, _ = env.reset(seed=0, options={"task": list(SUITE.tasks[-8:])})
    running, solved_rows = np.ones(8, np.bool_), np.zeros(8, np.bool_)
    for _ in range(25):
        turns = [next_turn(*points) for points in zip(observations["achieved_goal"], observations["desired_goal"])]
        subgoals = np.clip(np.array(turns) - observations["achieved_goal"], -5, 5).astype(np.float32)
        env.unwrapped.simulation.step(subgoals, running)
        observations = env.unwrapped.simulation.copy_observations()
        solved_rows |= env.unwrapped.simulation.successes
        running &= ~env.unwrapped.simulation.terminations
    assert solved_rows.sum() >= 6


def test_turns_lead_around_the_wall():
    goal = np.array([0.0, 16.0])
    corner = 12 + WAY_GAP
    for place, turn in (
        ([0.0, 0.0], [corner, 4 - WAY_GAP]),
        ([corner, 4 - WAY_GAP], [corner, 12 + WAY_GAP]),
        ([16.0, 8.0], [corner, 12 + WAY_GAP]),
        ([8.0, 16.0], [0.0, 16.0]),
        ([0.0, 3.9], [corner, 4 - WAY_GAP]),
    ):
        np.testing.assert_allclose(next_turn(np.array(place, np.float32), goal), turn, atol=1e-6)
    assert next_turn(np.array([0.0, 15.0]), np.array([-3.5, 19.5])).tolist() == [-3.5, 19.5]


def test_the_expert_plays_nothing_else():
    with pytest.raises(InvalidPolicyError, match="the ant expert plays 'SparseAntMaze-v0' only, not 'BitGrid-v0'"):
        load_policy("ant-expert", "BitGrid-v0")
