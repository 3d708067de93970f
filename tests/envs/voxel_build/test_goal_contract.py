"""What goal environments promise, where VoxelBuild's goals differ from BitGrid's: cuboids of block types."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.voxel_build import VoxelBuildTask
from procgen_bench.tasks.voxel_build.task import Rectangle
from tests.envs.conformance.trajectory import assert_equal

ROWS = 3
GOAL = Rectangle(5, 2, 8, 5, height=2, material=3).cuboid()


def make(**options):
    return gymnasium.make("VoxelBuild-v0", **options)


def make_vec(**options):
    return gymnasium.make_vec("VoxelBuild-v0", num_envs=ROWS, **options)


def cuboids(count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.integers(1, 4, (count, 11, 11, 3)) * (rng.random((count, 11, 11, 3)) < 0.05)).astype(np.uint8)


@pytest.mark.parametrize("factory", [make, make_vec])
@pytest.mark.parametrize("reward", ["sparse", "distance"])
def test_compute_reward_is_equation_1_or_2_for_goals_and_batches(factory, reward):
    env = factory(reward=reward).unwrapped
    achieved, desired = cuboids(20, 0), cuboids(20, 1)
    desired[::2] = achieved[::2]
    differences = [sum(a != b for a, b in zip(one.flat, other.flat)) for one, other in zip(achieved, desired)]
    expected = [1.0 if d == 0 else -float(d) if reward == "distance" else 0.0 for d in differences]
    batch = env.compute_reward(achieved, desired, [{}] * 20)
    assert batch.dtype == np.float64 and batch.tolist() == expected
    assert min(differences) == 0 and max(differences) > 20
    assert env.distance(achieved, desired).tolist() == differences
    assert env.distance(achieved.reshape(4, 5, 11, 11, 3), desired[:5]).shape == (4, 5)
    for one, other, value in zip(achieved, desired, expected):
        single = env.compute_reward(one.astype(np.float32), other, {})
        assert type(single) is float and single == value


def test_a_wrong_block_type_differs_by_one():
    other = GOAL.copy()
    other[2, 5, 0] = 1  # by 2 from diamond, as numbers
    assert make().unwrapped.distance(GOAL, other) == 1.0


def test_infos_tell_the_structure_completion():
    """Correct less incorrect blocks over the goal's, as counted here one by one."""
    env, rows = make(), make_vec()
    achieved, desired = cuboids(20, 0), cuboids(20, 1)
    desired[::3] = achieved[::3]
    found = env.unwrapped.completion(achieved, desired)
    for one, other, completion in zip(achieved, desired, found):
        built = [(a, b) for a, b in zip(one.flat, other.flat) if a]
        correct = sum(a == b for a, b in built)
        assert completion == (correct - (len(built) - correct)) / np.count_nonzero(other)
    assert found[0] == 1.0 and found.min() < 0
    goal = Rectangle(3, 3, 6, 6, height=1, material=2).cuboid()
    options = {"task": VoxelBuildTask(np.array([3, 4, 0], np.int8), goal)}
    _, info = env.reset(options=options)
    assert info["completion"] == 0.0
    actions = [13, 13, 15, 15]  # the corner, and a second block upon it
    assert [env.step(action)[4]["completion"] for action in actions] == [0, 0, 1 / 12, 0]
    rows.reset(options=options)
    steps = [rows.step(np.full(rows.num_envs, action))[4] for action in actions]
    assert [infos["completion"].tolist() for infos in steps] == [[x] * rows.num_envs for x in (0, 0, 1 / 12, 0)]


def test_siblings_share_start_and_goal():
    env = make()
    observation, _ = env.reset(seed=4)
    start = env.unwrapped.task.start
    sibling, _ = env.reset(options={"start": start, "goal": observation["desired_goal"]})
    assert_equal(sibling, observation, "the sibling begins elsewhere")


def test_rows_get_the_starts_and_goals_that_single_environments_get():
    env, single = make_vec(), make()
    starts = np.array([[0, 0, 3], [10, 4, 1], [5, 10, 2]])
    goals = np.array([np.roll(GOAL, (row, row), axis=(0, 1)) for row in range(ROWS)])
    observations, _ = env.reset(seed=10, options={"task": [None, "test/1", None], "start": starts, "goal": goals})
    for row in range(ROWS):
        expected, _ = single.reset(options={"start": starts[row], "goal": goals[row]})
        assert_equal({name: array[row] for name, array in observations.items()}, expected, f"row {row}")
        assert env.unwrapped.tasks[row] == single.unwrapped.task


def changed(y: int, x: int, z: int, value) -> np.ndarray:
    goal = GOAL.astype(np.result_type(GOAL, type(value)))
    goal[y, x, z] = value
    return goal


FULL = np.zeros((11, 11, 3), int)
FULL[:5, :7, 0] = 1
FLOATING = np.roll(GOAL, 1, axis=2)
TALL = Rectangle(4, 4, 7, 7, height=2, material=2).cuboid()
TALL[4, 4, 2] = 2
BAD_PARTS = [
    (
        {"start": [11, 0, 0]},
        "start is (11, 0, 0), expected x, y and heading, whole numbers in [0, 10], [0, 10] and [0, 3]",
    ),
    ({"start": [0, -1, 0]}, "start is (0, -1, 0), expected x, y and heading"),
    ({"start": [0, 0, 4]}, "start is (0, 0, 4), expected x, y and heading"),
    ({"start": [0.5, 0, 1]}, "start is (0.5, 0.0, 1.0), expected x, y and heading"),
    ({"start": [np.nan, 0, 1]}, "start is (nan, 0.0, 1.0), expected x, y and heading"),
    ({"start": [1, 2]}, "start's shape is (2,), expected (3,)"),
    ({"start": "centre"}, "start's dtype is '<U6', expected numbers, as an array of shape (3,)"),
    ({"goal": GOAL[:5]}, "goal's shape is (5, 11, 3), expected (11, 11, 3)"),
    ({"goal": GOAL.astype(str)}, "expected numbers, as an array of shape (11, 11, 3)"),
    ({"goal": GOAL * 0}, "number of goal blocks is 0, expected 1 to 34"),
    ({"goal": FULL}, "number of goal blocks is 35, expected 1 to 34"),
    ({"goal": changed(0, 0, 0, 4)}, "goal[0, 0, 0] is 4, expected 0 (empty) to 3"),
    ({"goal": changed(0, 0, 0, -1)}, "goal[0, 0, 0] is -1, expected 0 (empty) to 3"),
    ({"goal": GOAL.astype(np.float64)}, "goal's dtype is 'float64', expected whole numbers (uint8), as goals are"),
    ({"goal": changed(0, 0, 0, np.nan)}, "goal's dtype is 'float64', expected whole numbers"),
    ({"goal": changed(3, 6, 1, 1)}, "goal[3, 6, 1] is 1, expected 0: blocks of one type, the outline"),
    ({"goal": changed(3, 5, 0, 0)}, "goal[3, 5, 0] is 0, expected 3: blocks of one type, the outline"),
    ({"goal": changed(3, 6, 2, 3)}, "goal[3, 6, 2] is 3, expected 0: blocks of one type, the outline"),
    ({"goal": FLOATING}, "goal[2, 5, 0] is 0, expected 3: blocks of one type, the outline"),
    ({"goal": TALL}, "goal[4, 4, 2] is 2, expected 0: blocks of one type, the outline"),
]


@pytest.mark.parametrize(("options", "part"), BAD_PARTS, ids=range(len(BAD_PARTS)))
@pytest.mark.parametrize("factory", [make, make_vec])
def test_bad_parts_are_refused_and_the_episode_goes_on(factory, options, part):
    env, undisturbed = factory(), factory()
    action = 3 if factory is make else np.full(ROWS, 3)
    for one in (env, undisturbed):
        one.reset(seed=4, options={"task": "test/7"})
        one.step(action)
    with pytest.raises(InvalidTaskError) as caught:
        env.reset(seed=9, options=options)
    assert part in str(caught.value) and "\n" not in str(caught.value)
    assert_equal(env.step(action), undisturbed.step(action), "the refused reset changed the running episode")
    assert_equal(env.reset(), undisturbed.reset(), "the refused reset changed the random stream")
