"""Saved episodes of the goal families go on under another goal: what is observed, earned and ended."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError
from procgen_bench.core.success import success_info
from tests.envs.conformance.trajectory import assert_equal, seeded_space

FAMILIES = [
    pytest.param(name, options, id=" ".join([name, *options.values()]))
    for name, options in (
        ("BitGrid-v0", {}),
        ("SparsePointMaze-v0", {}),
        ("SparsePointMaze-v0", {"kind": "track"}),
        ("SparseAntMaze-v0", {}),
        ("VoxelBuild-v0", {}),
        ("VoxelBuild-v0", {"observation": "pose"}),
        ("VoxelBuildSmall-v0", {}),
    )
]
STEPS = 30


def played(name: str, options: dict):
    """An environment some steps after its beginning, with what it saw last, and the actions that are to follow."""
    env = gymnasium.make(name, reward="distance", horizon=STEPS + 4, **options).unwrapped
    actions = seeded_space(env.action_space, 2)
    env.reset(seed=5)
    for _ in range(STEPS):
        observation, *_ = env.step(actions.sample())
    return env, observation, [actions.sample() for _ in range(6)]


@pytest.mark.parametrize(("name", "options"), FAMILIES)
def test_another_goal_is_observed_and_earned(name, options):
    env, seen, actions = played(name, options)
    state, other = env.save_state(), gymnasium.make(name, reward="distance", horizon=STEPS + 4, **options).unwrapped
    other.reset(seed=8)
    goal = other.task.goal
    found, info = other.reset(options={"state": state, "goal": goal})
    assert not np.array_equal(found["desired_goal"], seen["desired_goal"]) and not info["success"]
    assert np.array_equal(found["desired_goal"], goal.astype(found["desired_goal"].dtype))
    assert np.array_equal(other.task.goal, goal) and np.array_equal(other.task.start, state.task.start)
    for number, action in enumerate(actions, start=STEPS + 1):
        ours, reward, terminated, _, _ = other.step(action)
        theirs, *_ = env.step(action)
        assert_equal(ours | {"desired_goal": 0}, theirs | {"desired_goal": 0}, f"the way depends on the goal: {number}")
        earned = env.compute_reward(ours["achieved_goal"], ours["desired_goal"], None)
        expected = earned if number == STEPS + 4 or terminated else 0.0
        assert reward == pytest.approx(expected, rel=1e-5), number


@pytest.mark.parametrize(("name", "options"), FAMILIES)
def test_an_episode_that_reached_its_goal_goes_on_under_another(name, options):
    """With the goal where the next step leads, that step is the last; from there it goes on to the old one."""
    env, _, actions = played(name, options)
    state = env.save_state()
    reached = env.step(actions[0])[0]["achieved_goal"]
    if name.startswith("VoxelBuild"):  # goals are outlines of rectangles on the ground
        with pytest.raises(InvalidTaskError):
            env.reset(options={"state": state, "goal": reached})
        return
    env.reset(options={"state": state, "goal": reached})
    assert env.step(actions[0])[1:] == (1.0, True, False, success_info(True))
    ended = env.save_state()
    assert ended.ended
    _, info = env.reset(options={"state": ended, "goal": state.task.goal})
    assert info == success_info(False) and not env.save_state().ended
    terminated = env.step(actions[1])[2]
    rows = gymnasium.make_vec(name, num_envs=2, **options)
    rows.reset(options={"state": [ended, ended], "goal": np.stack([state.task.goal] * 2)})
    assert (rows.step(np.stack([actions[1]] * 2))[2] == terminated).all()
    rows.close()


@pytest.mark.parametrize(("name", "options"), FAMILIES)
def test_rows_take_goals_beside_states(name, options):
    env, _, actions = played(name, options)
    state = env.save_state()
    goals = [gymnasium.make(name, **options).unwrapped for _ in range(2)]
    for seed, one in enumerate(goals, start=8):
        one.reset(seed=seed)
    goals = [one.task.goal for one in goals]
    rows = gymnasium.make_vec(
        name, num_envs=2, reward="distance", horizon=STEPS + 4, max_episode_steps=STEPS + 4, **options
    )
    found, _ = rows.reset(options={"state": state, "goal": np.stack(goals)})
    steps = [rows.step(np.stack([action, action])) for action in actions[:4]]
    assert steps[-1][3].all(), "rows count the saved steps to their limit"
    for k, goal in enumerate(goals):
        first, _ = env.reset(options={"state": state, "goal": goal})
        assert_equal({part: array[k] for part, array in found.items()}, first, f"row {k}")
        for (observations, rewards, *_), action in zip(steps, actions):
            observation, reward, *_ = env.step(action)
            assert_equal({part: array[k] for part, array in observations.items()}, observation, f"row {k}")
            assert rewards[k] == reward


@pytest.mark.parametrize(("name", "options"), FAMILIES)
def test_a_start_beside_a_state_is_refused(name, options):
    env, *_ = played(name, options)
    state, rows = env.save_state(), gymnasium.make_vec(name, num_envs=2, **options)
    rows.reset(seed=0)
    for reset in (env.reset, rows.reset):
        with pytest.raises(InvalidOptionError, match="a state and a start, expected one of them"):
            reset(options={"state": state, "start": state.task.start})


@pytest.mark.parametrize(
    ("made", "other", "found", "expected"),
    [
        (("BitGrid-v0", {"side": 5}), ("BitGrid-v0", {}), "BitGridEnv of side 5", "BitGridEnv of side 13"),
        (
            ("SparsePointMaze-v0", {"kind": "track"}),
            ("SparsePointMaze-v0", {}),
            "SparsePointMazeEnv of kind 'track'",
            "SparsePointMazeEnv of kind 'maze'",
        ),
        (
            ("VoxelBuild-v0", {"observation": "pose"}),
            ("VoxelBuild-v0", {}),
            "VoxelBuildEnv with observation 'pose'",
            "VoxelBuildEnv with observation 'picture'",
        ),
        (
            ("VoxelBuild-v0", {}),
            ("BitGrid-v0", {}),
            "VoxelBuildEnv with observation 'picture'",
            "BitGridEnv of side 13",
        ),
    ],
)
def test_states_of_another_kind_are_refused(made, other, found, expected):
    env = gymnasium.make(made[0], **made[1]).unwrapped
    env.reset(seed=0)
    for one in (gymnasium.make(other[0], **other[1]), gymnasium.make_vec(other[0], num_envs=2, **other[1])):
        with pytest.raises(
            InvalidOptionError, match=f"the saved state belongs to {found}; this environment needs one of {expected}"
        ):
            one.reset(options={"state": env.save_state()})


def test_rows_of_states_are_checked():
    rows = gymnasium.make_vec("BitGrid-v0", num_envs=2).unwrapped
    rows.reset(seed=0)
    with pytest.raises(InvalidOptionError, match="rows hold 2, expected integers from 0 to 1"):
        rows.save_states([2])
    with pytest.raises(InvalidOptionError, match=r"state lists 3 entries, expected one per row \(2\)"):
        rows.reset(options={"state": [*rows.save_states(), None]})
    with pytest.raises(InvalidOptionError, match="a state and a task, expected one of them"):
        rows.reset(options={"state": [*rows.save_states([0]), None], "task": "test/0"})
