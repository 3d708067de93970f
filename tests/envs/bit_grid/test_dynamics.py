"""The compiled rules against the specification in plain Python, in lockstep."""

from collections import Counter
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.success import success_info
from procgen_bench.envs.bit_grid import BitGridEnv, rendering
from procgen_bench.tasks.bit_grid import BitGridTask, BitGridTaskSpace
from tests.envs.conformance import vector_checks
from tests.tasks.bit_grid.reference_grid import ReferenceGrid

TOGGLE = 4


def assert_same_observation(found: dict, grid: ReferenceGrid, place: str) -> None:
    expected = grid.observation()
    assert set(found) == set(expected)
    for name, values in expected.items():
        assert found[name].dtype == np.float32
        assert np.array_equal(found[name], np.array(values)), f"{place}: {name} differs"


def play_in_lockstep(env, task: BitGridTask, actions, **options) -> Counter:
    """Counts what the episode met."""
    grid, seen = ReferenceGrid.of(task, **options), Counter()
    observation, info = env.reset(options={"task": task})
    assert_same_observation(observation, grid, "reset")
    assert info == success_info(False)
    for number, action in enumerate(actions, start=1):
        before = grid.at
        expected_reward, expected_success = grid.step(int(action))
        observation, reward, terminated, truncated, info = env.step(int(action))
        place = f"step {number}, action {action}"
        assert (reward, terminated, info) == (expected_reward, expected_success, success_info(expected_success)), place
        assert truncated == (number == 50), place
        assert_same_observation(observation, grid, place)
        seen[("stayed at the edge" if before == grid.at else "moved") if action != TOGGLE else "toggled"] += 1
        seen["switched a bit off"] += action == TOGGLE and grid.at not in grid.on
        seen["solved"] += terminated
        seen["paid the distance"] += reward < 0
        if terminated:
            break
    return seen


@pytest.mark.parametrize(("side", "reward"), [(3, "sparse"), (3, "distance"), (13, "sparse"), (13, "distance")])
def test_random_play_equals_the_reference(side, reward):
    env, rng = gymnasium.make("BitGrid-v0", side=side, reward=reward), np.random.default_rng(5)
    space = BitGridTaskSpace(side)
    seen: Counter = Counter()
    for _ in range(60):
        task = space.sample_task(rng)
        seen += play_in_lockstep(env, task, rng.integers(9, size=50), distance_reward=reward == "distance")
    for event in ("moved", "stayed at the edge", "toggled", "switched a bit off"):
        assert seen[event] >= 5, f"random play met '{event}' {seen[event]} times: {seen}"
    assert (seen["paid the distance"] > 30) == (reward == "distance")


@pytest.mark.parametrize("reward", ["sparse", "distance"])
def test_solutions_equal_the_reference(reward):
    env = gymnasium.make("BitGrid-v0", reward=reward)
    space = env.unwrapped.task_space
    for task in space.suite("test").tasks[:150]:
        seen = play_in_lockstep(env, task, space.solve(task), distance_reward=reward == "distance")
        assert seen["solved"] == 1 and seen["paid the distance"] == 0


def one_bit_task() -> BitGridTask:
    goal = np.zeros((13, 13), np.int8)
    goal[2, 4] = 1
    return BitGridTask(np.array([4, 2], np.int8), goal)


@pytest.mark.parametrize(("last", "expected"), [(TOGGLE, (1.0, True, True)), (0, (-1.0, False, True))])
def test_the_last_step_earns_the_success_or_minus_the_distance(last, expected):
    env = gymnasium.make("BitGrid-v0", reward="distance")
    env.reset(options={"task": one_bit_task()})
    for action in [0, 8] * 23 + [0, 5, 7]:  # 49 moves that come back to the bit
        assert env.step(action)[1:3] == (0.0, False)
    assert env.step(last)[1:4] == expected


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_the_distance_is_paid_at_the_chosen_horizon_only(make):
    env = make("BitGrid-v0", reward="distance", horizon=7, max_episode_steps=10)
    env.reset(seed=0, options={"task": one_bit_task()})
    stay = 0 if make is gymnasium.make else np.zeros(1, int)
    rewards = [float(np.squeeze(env.step(stay)[1])) for _ in range(10)]
    assert rewards == [0] * 6 + [-1] + [0] * 3


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"side": 2}, "side is 2, expected an integer in [3, 32]"),
        ({"side": 33}, "side is 33, expected an integer in [3, 32]"),
        ({"side": True}, "side is True, expected an integer in [3, 32]"),
        ({"side": 13.0}, "side is 13.0, expected an integer in [3, 32]"),
        ({"side": "13"}, "side is '13', expected an integer in [3, 32]"),
        ({"reward": "dense"}, "reward is 'dense', expected one of ['sparse', 'distance']"),
        ({"reward": None}, "reward is None, expected one of ['sparse', 'distance']"),
        ({"horizon": 0}, "horizon is 0, expected an integer of at least 1"),
        ({"horizon": 50.0}, "horizon is 50.0, expected an integer of at least 1"),
    ],
)
def test_bad_arguments_are_refused(make, options, message):
    with pytest.raises(InvalidOptionError) as caught:
        make("BitGrid-v0", **options)
    assert str(caught.value) == message


@pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.name)
@pytest.mark.parametrize("options", [{"side": 3}, {"side": 32, "reward": "distance"}], ids=["3", "32, distance"])
def test_rows_equal_single_with_options(options, mode):
    vector_checks.check_rows_equal_single(
        partial(gymnasium.make_vec, "BitGrid-v0", vectorization_mode="vector_entry_point", **options),
        partial(gymnasium.make, "BitGrid-v0", **options),
        mode,
    )


def test_drawn_tasks_are_played_as_their_tasks():
    """What a reset without a task draws, is the task that ``task`` reports, and one that the solver solves."""
    env, again = (gymnasium.make("BitGrid-v0") for _ in range(2))
    env.reset(seed=7)
    for _ in range(200):
        observation, _ = env.reset()
        task = env.unwrapped.task
        expected, _ = again.reset(options={"task": task})
        assert all(np.array_equal(observation[name], expected[name]) for name in expected)
        env.unwrapped.task_space.validate(task)
        for action in env.unwrapped.task_space.solve(task):
            *_, info = env.step(action)
        assert info["success"]


def test_environments_draw_what_the_space_draws():
    """Goals of a fresh vector environment have the sizes of ``sample_task``'s, and their starts are anywhere."""
    env = gymnasium.make_vec("BitGrid-v0", num_envs=3_000)
    observations, _ = env.reset(seed=1)
    sizes = observations["desired_goal"].sum(axis=(1, 2))
    space, rng = env.unwrapped.task_space, np.random.default_rng(2)
    expected = np.array([space.sample_task(rng).goal.sum() for _ in range(3_000)])
    for size in (2, 4, 6, 8):
        assert abs(np.mean(sizes == size) - np.mean(expected == size)) < 0.05
    places = observations["observation"][..., 1]
    assert (places.sum(axis=(1, 2)) == 1).all() and (places.sum(axis=0) > 0).all()


def test_observations_are_views_of_the_simulation_s_arrays():
    env = gymnasium.make_vec("BitGrid-v0", num_envs=4, copy=False)
    observations, _ = env.reset(seed=0)
    for array in observations.values():
        assert np.shares_memory(array, env.unwrapped.simulation.observation_rows)
    env.step(np.full(4, TOGGLE))
    assert observations["achieved_goal"].sum() == 4
    assert np.array_equal(observations["achieved_goal"], observations["observation"][..., 0])


TOGGLE_DRAWN, RIGHT = 4, 7
GOAL = np.zeros((13, 13), np.int8)
GOAL[0, 1:3] = 1  # (1, 0) and (2, 0)
TASK = BitGridTask(np.array([0, 0], np.int8), GOAL)


def after(render_mode: str, actions=()) -> BitGridEnv:
    env = BitGridEnv(render_mode=render_mode)
    env.reset(seed=0, options={"task": TASK})
    for action in actions:
        env.step(action)
    return env


def tile(frame: np.ndarray, x: int, y: int) -> np.ndarray:
    return frame[32 * y : 32 * (y + 1), 32 * x : 32 * (x + 1)]


def share(pixels: np.ndarray, colour: tuple[int, int, int]) -> float:
    return float((pixels == colour).all(axis=-1).mean())


@pytest.mark.parametrize("side", [3, 13, 32])
def test_frames_are_uint8_and_of_the_documented_size(side):
    env = BitGridEnv(render_mode="rgb_array", side=side)
    env.reset(seed=0)
    frame = env.render()
    assert frame.shape == (32 * side, 32 * side, 3) and frame.dtype == np.uint8


def test_everything_is_drawn_in_its_colour_on_its_cell():
    """A wrong bit at (0, 0), one that is right at (1, 0) with the agent gone on, and one missing at (2, 0)."""
    frame = after("rgb_array", [TOGGLE_DRAWN, RIGHT, TOGGLE_DRAWN, RIGHT]).render()
    things = {
        rendering.WRONG_COLOUR: {(0, 0)},
        rendering.ON_COLOUR: {(1, 0)},
        rendering.GOAL_COLOUR: {(1, 0), (2, 0)},
        rendering.AGENT_COLOUR: {(2, 0)},
    }
    for colour, cells in things.items():
        found = {(x, y) for x in range(13) for y in range(13) if share(tile(frame, x, y), colour) > 0.05}
        assert found == cells, colour
    assert share(tile(frame, 5, 5), rendering.OFF_COLOUR) > 0.9


def test_the_agent_hides_neither_bit_nor_goal():
    frame = after("rgb_array", [RIGHT, TOGGLE_DRAWN]).render()
    for colour in (rendering.AGENT_COLOUR, rendering.ON_COLOUR, rendering.GOAL_COLOUR):
        assert share(tile(frame, 1, 0), colour) > 0.05


def test_text_tells_the_four_kinds_of_cells_and_the_agent():
    env = after("ansi")
    lines = env.render().split("\n")
    assert lines == [".@o o " + ". " * 10] + [". " * 13] * 12
    for action in (TOGGLE_DRAWN, RIGHT, TOGGLE_DRAWN):
        env.step(action)
    assert env.render().split("\n")[0] == "x #@o " + ". " * 10


def test_a_frame_is_the_callers_own():
    env = after("rgb_array")
    frame = env.render()
    kept = frame.copy()
    frame[:] = 0
    assert np.array_equal(env.render(), kept)


@pytest.mark.parametrize("render_mode", ["rgb_array", "ansi"])
def test_a_vector_environment_renders_every_row_as_the_single_one(render_mode):
    env = gymnasium.make_vec("BitGrid-v0", num_envs=3, render_mode=render_mode, side=4)
    env.reset(seed=0)
    for picture, task in zip(env.render(), env.unwrapped.tasks, strict=True):
        single = BitGridEnv(render_mode=render_mode, side=4)
        single.reset(options={"task": task})
        assert np.array_equal(picture, single.render())


def test_every_key_moves_where_it_points():
    """Keys around the right hand's home row for the diagonals, w a s d (and so the arrows) for the straight moves."""
    ways = {
        "w": (0, -1),
        "a": (-1, 0),
        "s": (0, 1),
        "d": (1, 0),
        "u": (-1, -1),
        "o": (1, -1),
        "j": (-1, 1),
        "l": (1, 1),
    }
    env = BitGridEnv()
    assert set(env.keys_to_action) == {*ways, "t"} and sorted(env.keys_to_action.values()) == list(range(9))
    for key, (x, y) in ways.items():
        env.reset(options={"task": TASK, "start": [6, 6]})
        observation, *_ = env.step(env.keys_to_action[key])
        assert np.argwhere(observation["observation"][..., 1]).tolist() == [[6 + y, 6 + x]]
    observation, *_ = env.step(env.keys_to_action["t"])
    assert np.argwhere(observation["achieved_goal"]).tolist() == [[7, 7]]
