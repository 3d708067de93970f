import numpy as np
import pytest

from procgen_bench.tasks.voxel_build import HORIZON, VoxelBuildTask, VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.rules import INVENTORY, LEVEL, act
from procgen_bench.tasks.voxel_build.task import Rectangle
from tests.tasks.voxel_build.reference_world import ReferenceWorld, every_rectangle

SPACE = VoxelBuildTaskSpace()
LONGEST = 80


def assert_solves(task: VoxelBuildTask, actions: np.ndarray) -> None:
    """Played by the reference, ``actions`` build the goal with the last of them."""
    world = ReferenceWorld.of(task)
    reached = [world.step(int(action))[1] for action in actions]
    assert reached == [False] * (len(actions) - 1) + [True]


def assert_rules_solve(task: VoxelBuildTask, actions: np.ndarray) -> None:
    """The same by the compiled rules, which are quicker."""
    arena, inventory = np.zeros_like(task.goal), np.full(3, INVENTORY)
    x, y, heading = task.start
    pose = np.array([x, y, 0, heading, LEVEL])
    for action in actions:
        assert not np.array_equal(arena, task.goal)
        assert act(arena, pose, inventory, action), f"action {action} was refused"
    assert np.array_equal(arena, task.goal)


def any_start(rng: np.random.Generator) -> np.ndarray:
    return rng.integers([11, 11, 4]).astype(np.int8)


def test_every_goal_is_built_from_a_random_start():
    """All 6,235 footprints and heights; the block type, which changes one action, is random."""
    rng, lengths = np.random.default_rng(0), []
    rectangles = every_rectangle()
    assert 3 * len(rectangles) == 18_705
    for rectangle in rectangles:
        goal = Rectangle(*rectangle, material=int(rng.integers(1, 4))).cuboid()
        task = VoxelBuildTask(any_start(rng), goal)
        actions = SPACE.solve(task)
        assert_rules_solve(task, actions)
        lengths.append(len(actions))
    assert max(lengths) <= LONGEST < HORIZON


def test_solutions_are_the_reference_s():
    rng = np.random.default_rng(1)
    for _ in range(150):
        task = SPACE.decode(SPACE.sample(rng))
        assert_solves(task, SPACE.solve(task))


@pytest.mark.parametrize("west", [0, 8])
def test_the_largest_goal_from_everywhere(west):
    """33 blocks in three lines along a side, from all 484 starts."""
    goal = Rectangle(west, 0, west + 2, 10, height=1, material=1).cuboid()
    lengths = []
    for start in np.ndindex(11, 11, 4):
        task = VoxelBuildTask(np.array(start, np.int8), goal)
        actions = SPACE.solve(task)
        assert_rules_solve(task, actions)
        lengths.append(len(actions))
    assert max(lengths) == LONGEST


def test_one_block_before_the_feet_takes_two_looks_and_a_placement():
    goal = Rectangle(5, 4, 5, 4, height=1, material=3).cuboid()
    solution = SPACE.solve(VoxelBuildTask(np.array([5, 5, 0], np.int8), goal))
    assert solution.tolist() == [13, 13, 16]
    stacked = SPACE.solve(VoxelBuildTask(np.array([5, 5, 1], np.int8), np.roll(goal, 1, axis=2) + goal))
    assert len(stacked) == 5 and stacked[-1] == 16


def test_solver_leaves_the_task_alone_and_repeats():
    task = SPACE.suite("test")["7"]
    fingerprint = task.fingerprint()
    once, again = SPACE.solve(task), SPACE.solve(task)
    assert once.dtype == np.int64 and np.array_equal(once, again)
    assert task.fingerprint() == fingerprint
