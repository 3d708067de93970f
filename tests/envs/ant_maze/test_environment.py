"""SparseAntMaze-v0 as a goal environment: both controls, rewards, ends, saved states, bad input."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import DivergedError, InvalidActionError, InvalidOptionError, InvalidTaskError
from procgen_bench.core.success import success_info
from procgen_bench.tasks.ant_maze import GOAL_RADIUS, AntMazeTask
from tests.envs.conformance.trajectory import assert_equal, play, play_vector

ID = "SparseAntMaze-v0"
CONTROLS = ("torque", "subgoal")
#: A goal that an ant at the origin walks to in some ten subgoals.
NEAR = {"start": [0.0, 0.0], "goal": [3.0, 0.0]}


def make(**options):
    return gymnasium.make(ID, **options)


def make_vec(num_envs=3, **options):
    return gymnasium.make_vec(ID, num_envs=num_envs, vectorization_mode="vector_entry_point", **options)


def walked(env, subgoal=(5.0, 0.0), **options):
    """Observations, rewards and ends of an episode under one subgoal."""
    steps = [(*env.reset(seed=0, options=options), None)]
    while len(steps) == 1 or not (steps[-1][2] or steps[-1][3]):
        steps.append(env.step(np.array(subgoal, np.float32)))
    return steps


@pytest.mark.parametrize("control", CONTROLS)
def test_observations_are_the_state_the_places_and_the_time(control):
    env = make(control=control)
    observation, _ = env.reset(seed=3, options={"start": [1.0, -2.0], "goal": [2.0, 16.0]})
    standing = [1.0, -2.0, 0.55, 1, 0, 0, 0, *[0, 1] * 4, *[0] * 14, 0]
    np.testing.assert_allclose(observation["observation"], standing, rtol=1e-6)
    horizon = {"torque": 500, "subgoal": 25}[control]
    for step in range(1, 4):
        observation, reward, *ends, info = env.step(env.action_space.sample())
        bodies = env.unwrapped.simulation.bodies
        state = np.concatenate([bodies.positions[0], bodies.velocities[0], [step / horizon]]).astype(np.float32)
        assert np.array_equal(observation["observation"], state)
        assert np.array_equal(observation["achieved_goal"], state[:2])
        assert observation["desired_goal"].tolist() == [2.0, 16.0]
        assert (reward, ends, info) == (0.0, [False, False], success_info(False))


@pytest.mark.parametrize("reward", ["sparse", "distance"])
def test_an_ant_that_arrives_succeeds_at_once(reward):
    steps = walked(make(control="subgoal", reward=reward), **NEAR)
    observation, last, terminated, truncated, info = steps[-1]
    assert (last, terminated, truncated, info["success"]) == (1.0, True, False, True)
    assert all(step[1:4] == (0.0, False, False) for step in steps[1:-1])
    distance = np.linalg.norm(observation["achieved_goal"] - observation["desired_goal"])
    assert 0.7 < distance <= GOAL_RADIUS, "the step ends where the goal is reached, not after its 20 steps"


@pytest.mark.parametrize(("control", "horizon"), [("torque", 500), ("subgoal", 25)])
@pytest.mark.parametrize("reward", ["sparse", "distance"])
def test_failures_end_at_the_horizon_and_cost_the_distance(control, horizon, reward):
    env = make(control=control, reward=reward)
    observation, _ = env.reset(seed=0, options={"task": "test/0"})
    rewards, truncated = [], False
    while not truncated:
        observation, last, terminated, truncated, _ = env.step(np.zeros(env.action_space.shape, np.float32))
        rewards.append(last)
        assert not terminated
    assert len(rewards) == horizon and not any(rewards[:-1])
    goals = observation["achieved_goal"], observation["desired_goal"]
    assert rewards[-1] == env.unwrapped.compute_reward(*goals, {})
    assert (rewards[-1] < -5) == (reward == "distance") and observation["observation"][-1] == 1


def test_subgoals_are_twenty_steps_of_the_controllers_torques():
    """The same walk by hand: torques from the observation's exact state, one at a time."""
    env, by_hand = make(control="subgoal"), make()
    env.reset(options={"task": "test/1"})
    by_hand.reset(options={"task": "test/1"})
    bodies, controller = by_hand.unwrapped.simulation.bodies, env.unwrapped.simulation.controller
    torques, rows = np.zeros((1, 8)), np.ones(1, np.bool_)
    for subgoal in np.array([[5, 0], [4, -1], [-2, 2]], np.float32):
        env.step(subgoal)
        target = bodies.positions[:, :2] + subgoal
        for _ in range(20):
            controller.walk(bodies.positions, bodies.velocities, target, rows, torques)
            bodies.push(rows, torques)
        np.testing.assert_array_equal(env.unwrapped.simulation.bodies.states, bodies.states)


@pytest.mark.parametrize("mode", ["NextStep", pytest.param("SameStep", marks=pytest.mark.slow)])
def test_rows_under_subgoals_equal_single_environments(mode):
    """Through ends of both kinds: the rows' goals are near, so that some are reached."""
    rows, tasks = 4, [AntMazeTask(np.zeros(2), np.array(goal)) for goal in ([1.6, 0.0], [0.0, 1.6], [16.0, 8.0])]
    native = make_vec(rows, control="subgoal", tasks=tasks, autoreset_mode=mode)
    sync = gymnasium.make_vec(
        ID,
        num_envs=rows,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": native.metadata["autoreset_mode"]},
        control="subgoal",
        tasks=tasks,
    )
    ends = np.zeros(2, np.int64)
    for number, (ours, theirs) in enumerate(zip(play_vector(native, 0, 32), play_vector(sync, 0, 32), strict=True)):
        assert_equal(ours[:4], theirs[:4], f"moment {number}")
        if ours.reward is not None:
            ends += [ours.terminated.sum(), ours.truncated.sum()]
    assert (ends > 0).all(), "not both kinds of end were seen"


def test_every_seed_draws_its_own_start_and_goal():
    env = make()
    starts, goals = [], []
    for seed in range(200):
        env.reset(seed=seed)
        starts.append(env.unwrapped.task.start)
        goals.append(env.unwrapped.task.goal)
        env.unwrapped.task.validate()
    for points, low, high in ((starts, [-0.1, -0.1], [0.1, 0.1]), (goals, [-3.5, 12.5], [3.5, 19.5])):
        assert (np.min(points, axis=0) >= low).all() and (np.max(points, axis=0) <= high).all()
        np.testing.assert_allclose(np.mean(points, axis=0), np.mean([low, high], axis=0), atol=0.2 * (high[0] - low[0]))


def test_without_tasks_of_its_own_it_draws_from_the_suite():
    env = make(tasks="test")
    suite = set(env.unwrapped.task_space.suite("test"))
    drawn = set()
    for seed in range(20):
        env.reset(seed=seed)
        drawn.add(env.unwrapped.task)
    assert drawn <= suite and len(drawn) > 15


BAD_PARTS = [
    ({"start": [5.0, 8.0]}, "start is (5.0, 8.0), expected a point 1.0 off the wall"),
    ({"start": [-3.5, 0.0]}, "x of start is -3.5, expected a number in [-3.0, 19.0]"),
    ({"start": [0.0, np.nan]}, "y of start is nan"),
    ({"start": [0.0]}, "start's shape is (1,), expected (2,)"),
    ({"start": "here"}, "start's dtype is '<U4', expected numbers"),
    ({"goal": [30.0, 0.0]}, "x of goal is 30.0, expected a number in [-3.5, 19.5]"),
    ({"goal": [0, 12]}, "goal is (0, 12), expected a point 0.5 off the wall"),
    ({"goal": [[1.0, 2.0], [3.0]]}, "expected an array of shape (2,)"),
]


@pytest.mark.parametrize(("options", "part"), BAD_PARTS, ids=range(len(BAD_PARTS)))
@pytest.mark.parametrize("factory", [make, make_vec])
def test_bad_starts_and_goals_are_refused(factory, options, part):
    with pytest.raises(InvalidTaskError) as caught:
        factory().reset(seed=0, options=options)
    assert part in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("control", ["torques", None, 3, ["torque"]])
@pytest.mark.parametrize("factory", [make, make_vec])
def test_other_controls_are_refused(factory, control):
    with pytest.raises(InvalidOptionError, match=r"control is .*, expected one of \['torque', 'subgoal'\]"):
        factory(control=control)


@pytest.mark.parametrize(("control", "size", "most"), [("torque", 8, 30.0), ("subgoal", 2, 5.0)])
def test_actions_outside_the_space_are_refused(control, size, most):
    env, rows = make(control=control), make_vec(control=control)
    env.reset(seed=0)
    rows.reset(seed=0)
    assert env.action_space.shape == (size,) and (env.action_space.high == most).all()
    for action in (np.full(size, most + 1), np.zeros(size + 1), np.full(size, np.nan)):
        action = action.astype(np.float32)
        with pytest.raises(InvalidActionError):
            env.step(action)
        with pytest.raises(InvalidActionError):
            rows.step(np.tile(action, (3, 1)))


def test_without_mujoco_make_names_the_extra():
    program = (
        "import sys; sys.modules['mujoco'] = None\n"
        "import gymnasium, procgen_bench\n"
        "from procgen_bench.core.errors import MissingExtraError\n"
        "try:\n    gymnasium.make('SparseAntMaze-v0')\n"
        "except MissingExtraError as error:\n    print(error)\n"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout == "mujoco is not installed; install it with: pip install 'procgen-bench[mujoco]'\n"


@pytest.mark.parametrize(("control", "count"), [("torque", 16), ("subgoal", 4)])
def test_keys_are_actions_of_the_control(control, count):
    env = make(control=control)
    assert all(env.action_space.contains(action) for action in env.unwrapped.keys_to_action.values())
    assert len({action.tobytes() for action in env.unwrapped.keys_to_action.values()}) == count


def test_playing_leaves_the_model_as_it_is():
    env = make()
    model = env.unwrapped.simulation.bodies.model
    before = model.geom_pos.copy(), model.body_mass.copy()
    play(env, 0, 30)
    assert np.array_equal(before[0], model.geom_pos) and np.array_equal(before[1], model.body_mass)
    assert make().unwrapped.simulation.bodies.model is model


@pytest.mark.parametrize("control", CONTROLS)
def test_rows_are_the_same_for_any_number_of_threads(control):
    """Through ends and states that are gone on with, among five rows."""
    steps = {"torque": 12, "subgoal": 4}[control]
    played = []
    for num_threads in (1, 2, 3):
        env = make_vec(5, num_threads=num_threads, control=control, max_episode_steps=steps // 2)
        first = play_vector(env, 3, steps)
        env.reset(options={"state": env.unwrapped.save_states()[::-1]})
        played.append((first, play_vector(env, 4, steps // 2)))
        env.close()
        env.close()
    assert_equal(played[1:], played[:1] * 2, "threads change what happens")


def test_a_diverged_row_is_named_among_threads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warning into a file there
    env = make_vec(4, num_threads=2)
    env.reset(seed=0)
    env.unwrapped.simulation.bodies.velocities[2, 0] = np.nan
    with pytest.raises(DivergedError, match=r"the physics of row 2 diverged under the torques \[0.0, "):
        env.step(np.zeros((4, 8), np.float32))
    env.reset(seed=0)
    assert np.isfinite(env.step(np.zeros((4, 8), np.float32))[0]["observation"]).all()
