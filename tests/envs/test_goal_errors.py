"""Bad input to the goal environments: every case of the tables gives one line with the value and what was expected."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError, ProcgenBenchError, UnknownNameError
from procgen_bench.tasks.point_maze.mazes import corridor, u_maze
from tests.envs.conformance.trajectory import assert_equal

BITS, MAZE = "BitGrid-v0", "SparsePointMaze-v0"
WORLDS = {"bits": (BITS, {}), "maze": (MAZE, {}), "track": (MAZE, {"kind": "track", "max_episode_steps": 5})}
GOAL_SHAPES = {"bits": (13, 13), "maze": (2,), "track": (2,)}
ROWS = 3


def single(world: str, **options):
    environment_id, fixed = WORLDS[world]
    return gymnasium.make(environment_id, **fixed, **options)


def vector(world: str, **options):
    environment_id, fixed = WORLDS[world]
    return gymnasium.make_vec(
        environment_id, num_envs=ROWS, vectorization_mode="vector_entry_point", **fixed, **options
    )


def assert_one_line(caught, *parts: str) -> None:
    text = str(caught.value)
    assert isinstance(caught.value, ProcgenBenchError) and "\n" not in text
    for part in parts:
        assert part in text


CELLS = "whole numbers in [0, 12]"
SQUARE = "a number in [-0.5, 10.5]"
RING = "a point 0.85 to 1.15 from (0, 0), at an angle of 18 to 342 degrees"

#: World, the part of the task, its value, the value as the error names it, what the error expects.
PLACES = [
    ("bits", "start", [13, 0], "start is (13, 0)", CELLS),
    ("bits", "start", [0, -1], "start is (0, -1)", CELLS),
    ("bits", "start", [0.5, 1.0], "start is (0.5, 1.0)", CELLS),
    ("bits", "start", [np.nan, 1.0], "start is (nan, 1.0)", CELLS),
    ("bits", "goal", np.full((13, 13), 2), "goal[0, 0] is 2", "0 (off) or 1 (on)"),
    ("bits", "goal", np.full((13, 13), -np.inf), "goal[0, 0] is -inf", "0 (off) or 1 (on)"),
    ("bits", "goal", np.zeros((13, 13)), "goal bits that are on is 0", "at least 1"),
    ("maze", "start", [-0.51, 0], "x of start is -0.51", SQUARE),
    ("maze", "start", [0, 10.6], "y of start is 10.6", SQUARE),
    ("maze", "goal", [1e308, 0], "x of goal is 1e+308", SQUARE),
    ("maze", "goal", [0, np.nan], "y of goal is nan", SQUARE),
    ("maze", "goal", [-np.inf, 0], "x of goal is -inf", SQUARE),
    ("maze", "start", [-0.499, 0], "x of start is -0.499", "in [-0.495, 0.5], 0.005 off the walls of its cell (0, 0)"),
    ("maze", "goal", [9, 9.498], "y of goal is 9.498", "9.495], 0.005 off the walls of its cell (9, 9)"),
    ("maze", "start", [0.501, 9], "x of start is 0.501", "[0.505, 1.5], 0.005 off the walls of its cell (1, 9)"),
    ("track", "start", [0, 0], "start is (0, 0)", RING),
    ("track", "start", [1.0, 0.0], "start is (1.0, 0.0)", RING),
    ("track", "start", [0.0, 1.1501], "start is (0.0, 1.1501)", RING),
    ("track", "goal", [0.0, -0.8499], "goal is (0.0, -0.8499)", RING),
    ("track", "goal", [0.96, -0.3], "goal is (0.96, -0.3)", RING),
    ("track", "goal", [np.nan, 1], "goal is (nan, 1.0)", RING),
    ("track", "start", [0, np.inf], "start is (0.0, inf)", RING),
]

#: Of every world: the part, its value, the value as the error names it.
KINDS_OF_ARRAYS = [
    ("start", [1.0], "start's shape is (1,)"),
    ("start", 3, "start's shape is ()"),
    ("start", np.zeros((ROWS + 1, 2)), f"start's shape is ({ROWS + 1}, 2)"),
    ("start", [[1, 2], [3]], "start is [[1, 2], [3]]"),
    ("start", "middle", "start's dtype is '<U6'"),
    ("start", [None, 1], "start's dtype is 'object'"),
    ("start", [1j, 1], "start's dtype is 'complex128'"),
    ("start", {}, "start's dtype is 'object'"),
    ("goal", np.zeros(3), "goal's shape is (3,)"),
    ("goal", np.zeros((ROWS, 5, 13)), f"goal's shape is ({ROWS}, 5, 13)"),
    ("goal", ["a", "b"], "goal's dtype is '<U1'"),
    ("goal", np.zeros(2, "datetime64[s]"), "goal's dtype is 'datetime64[s]'"),
]
ARRAYS = [
    (world, name, value, given, str((2,) if name == "start" else GOAL_SHAPES[world]))
    for world in WORLDS
    for name, value, given in KINDS_OF_ARRAYS
]


@pytest.mark.parametrize(("world", "name", "value", "given", "expected"), [*PLACES, *ARRAYS])
@pytest.mark.parametrize("make", [single, vector])
def test_bad_parts_are_refused_and_the_episode_goes_on(make, world, name, value, given, expected):
    env, undisturbed = make(world), make(world)
    action = env.action_space.sample()
    for one in (env, undisturbed):
        one.reset(seed=4)
    with pytest.raises(InvalidTaskError) as caught:
        env.reset(seed=9, options={name: value})
    assert_one_line(caught, given, expected)
    assert_equal(env.step(action), undisturbed.step(action), "the refused reset changed the running episode")
    assert_equal(env.reset(), undisturbed.reset(), "the refused reset changed the random stream")


@pytest.mark.parametrize(("world", "name", "value", "given", "expected"), PLACES)
def test_bad_rows_are_refused(world, name, value, given, expected):
    """The same values in one row of three, the others being right."""
    env = vector(world)
    env.reset(seed=0)
    rows = np.array([getattr(task, name) for task in env.unwrapped.tasks], np.float64)
    rows[1] = value
    with pytest.raises(InvalidTaskError) as caught:
        env.reset(options={name: rows})
    assert_one_line(caught, expected)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    ("achieved", "desired", "given"),
    [
        (lambda goal: goal[..., :1], lambda goal: goal, "achieved_goal's shape is ("),
        (lambda goal: goal, lambda goal: np.zeros(3), "desired_goal's shape is (3,)"),
        (lambda goal: 0.0, lambda goal: goal, "achieved_goal's shape is ()"),
        (lambda goal: [goal] * 4, lambda goal: [goal] * 5, "desired_goal's shape is (5, "),
        (lambda goal: goal.astype(str), lambda goal: goal, "achieved_goal's dtype is '<U32'"),
        (lambda goal: goal, lambda goal: None, "desired_goal's dtype is 'object'"),
        (lambda goal: [[1], [1, 2]], lambda goal: goal, "achieved_goal is [[1], [1, 2]]"),
    ],
)
@pytest.mark.parametrize("make", [single, vector])
def test_rewards_of_other_things_than_goals_are_refused(make, world, achieved, desired, given):
    env, goal = make(world).unwrapped, np.zeros(GOAL_SHAPES[world])
    with pytest.raises(InvalidTaskError) as caught:
        env.compute_reward(achieved(goal), desired(goal), {})
    assert_one_line(caught, given, str(GOAL_SHAPES[world])[1:-1])


@pytest.mark.parametrize("world", WORLDS)
def test_one_goal_may_be_held_against_a_batch(world):
    env, goal = single(world).unwrapped, np.ones(GOAL_SHAPES[world])
    batch = np.stack([goal, 0 * goal, goal])
    assert env.compute_reward(batch, goal, {}).tolist() == env.compute_reward(goal, batch, {}).tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("world", "options", "given", "expected"),
    [
        *(
            ("bits", {"side": side}, f"side is {side!r}", "an integer in [3, 32]")
            for side in (2, 0, -1, 33, 13.0, "13", None, True, [3], np.array([3, 4]))
        ),
        *(
            (world, {"reward": reward}, f"reward is {reward!r}", "one of ['sparse', 'distance']")
            for world in WORLDS
            for reward in ("dense", None, ["sparse"], np.array([1, 2]))
        ),
        *(
            (world, {"horizon": horizon}, f"horizon is {horizon!r}", "an integer of at least 1")
            for world in WORLDS
            for horizon in (0, -1, 2.5, True, "5")
        ),
        *(
            ("maze", {"kind": kind}, f"kind is {kind!r}", "one of ['maze', 'track']")
            for kind in ("ring", None, ["maze"], np.array([1, 2]))
        ),
    ],
)
@pytest.mark.parametrize("make", [single, vector])
def test_bad_arguments_are_refused(make, world, options, given, expected):
    with pytest.raises(InvalidOptionError) as caught:
        make(world, **options)
    assert_one_line(caught, f"{given}, expected {expected}")


@pytest.mark.parametrize("make_maze", [corridor, u_maze])
@pytest.mark.parametrize("side", [1, 0, -3, 11, 2.0, "3", None, True, np.array([2, 3])])
def test_sides_that_no_maze_has_are_refused(make_maze, side):
    with pytest.raises(InvalidTaskError) as caught:
        make_maze(side)
    assert_one_line(caught, f"side of the maze is {side!r}, expected an integer in [2, 10]")


@pytest.mark.parametrize(
    ("world", "task", "error", "parts"),
    [
        ("track", "test/0", UnknownNameError, ["unknown task 'test/0'; known: "]),
        ("maze", "track/0", UnknownNameError, ["unknown task 'track/0'; known: ", "test/..., corridor/..."]),
        ("bits", "test/500", UnknownNameError, ["'500'; known: 0, 1, 2"]),
        ("track", {"start": [0, 1]}, InvalidTaskError, ["'goal (missing)'", "['goal', 'start']"]),
        ("track", {"start": [0, 1], "goal": [0, 1.2]}, InvalidTaskError, ["goal[1] is 1.2", "[-1.15, 1.15]"]),
        ("track", {"start": [0, np.nan], "goal": [0, 1]}, InvalidTaskError, ["start[1] is nan", "[-1.15, 1.15]"]),
        *((world, 5, InvalidTaskError, ["task is 5", "a dict of raw parameters"]) for world in WORLDS),
    ],
)
@pytest.mark.parametrize("make", [single, vector])
def test_bad_tasks_are_refused(make, world, task, error, parts):
    with pytest.raises(error) as caught:
        make(world).reset(options={"task": task})
    assert_one_line(caught, *parts)
    with pytest.raises(error) as caught:
        make(world, tasks=task)
    assert_one_line(caught, *parts)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("other", WORLDS)
def test_tasks_of_another_world_are_refused(world, other):
    env, stranger = single(world), single(other)
    stranger.reset(seed=0)
    task = stranger.unwrapped.task
    if world == other:
        env.reset(options={"task": task})
        assert env.unwrapped.task == task
        return
    with pytest.raises(InvalidTaskError) as caught:
        env.reset(options={"task": task})
    assert_one_line(
        caught, f"task is '{type(task).__name__}', expected a {env.unwrapped.task_space.task_type.__name__}"
    )
