"""SparsePointMaze-v0 as a goal environment: rewards, starts and goals, bad input."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.point_maze import GOAL_RADIUS

ID = "SparsePointMaze-v0"


def played(env, actions, **options):
    observation, _ = env.reset(seed=0, options=options or None)
    steps = []
    for action in actions:
        steps.append(env.step(action))
        if steps[-1][2] or steps[-1][3]:
            break
    return observation, steps


def test_solutions_of_every_suite_solve_their_tasks():
    env = gymnasium.make(ID)
    space = env.unwrapped.task_space
    for suite in space.suite_names:
        for task in space.suite(suite).tasks[::75]:
            _, steps = played(env, space.solve(task), task=task)
            assert steps[-1][4]["success"] and steps[-1][1] == 1.0
            assert [step[1] for step in steps[:-1]] == [0.0] * (len(steps) - 1)


@pytest.mark.parametrize("reward", ["sparse", "distance"])
def test_rewards_are_those_that_compute_reward_gives_at_the_end(reward):
    env = gymnasium.make(ID, reward=reward)
    rng = np.random.default_rng(1)
    actions = [env.action_space.high * rng.uniform(-1, 1, 2).astype(np.float32) for _ in range(50)]
    _, steps = played(env, actions)
    assert len(steps) == 50 and steps[-1][3]
    last = steps[-1][0]
    expected = env.unwrapped.compute_reward(last["achieved_goal"], last["desired_goal"], {})
    assert steps[-1][1] == expected
    assert (expected < -GOAL_RADIUS) == (reward == "distance")
    assert all(step[1] == 0 for step in steps[:-1])


def test_start_and_goal_replace_those_of_the_drawn_or_given_task():
    env = gymnasium.make(ID)
    for options in ({}, {"task": "random/3"}):
        observation, _ = env.reset(seed=3, options={**options, "start": [4.0, 4.25], "goal": (7.75, 1.25)})
        assert observation["observation"].tolist() == [4.0, 4.25]
        assert observation["desired_goal"].tolist() == [7.75, 1.25]


def test_rows_take_starts_and_goals_of_their_own():
    env = gymnasium.make_vec(ID, num_envs=3, vectorization_mode="vector_entry_point")
    starts = np.array([[0, 0], [1, 1], [2, 2]], np.float64)
    observations, _ = env.reset(seed=0, options={"start": starts, "goal": [5.0, 5.0]})
    assert observations["observation"].tolist() == starts.tolist()
    assert observations["desired_goal"].tolist() == [[5.0, 5.0]] * 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": [11.0, 0.0]}, r"x of start is 11\.0, expected a number in \[-0\.5, 10\.5\]"),
        ({"goal": [0.0, float("nan")]}, r"y of goal is nan"),
        ({"goal": [0.0, -float("inf")]}, r"y of goal is -inf"),
        ({"start": [1.0]}, r"start's shape is \(1,\), expected \(2,\)"),
        ({"start": ["a", "b"]}, r"start's dtype"),
        ({"start": [-0.4999, 0.0]}, r"x of start is -0\.4999, expected .* off the walls of its cell"),
    ],
)
def test_bad_starts_and_goals_are_refused_in_one_line(options, message):
    env = gymnasium.make(ID)
    with pytest.raises(InvalidTaskError, match=message) as refusal:
        env.reset(seed=0, options=options)
    assert "\n" not in str(refusal.value)
    env.reset(seed=0)
    env.step(env.action_space.sample())
