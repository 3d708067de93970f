import numpy as np
import pytest

from procgen_bench.tasks.voxel_build import HORIZON, VoxelBuildTask, VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.rules import INVENTORY, LEVEL, act
from procgen_bench.tasks.voxel_build.task import Rectangle
from tests.tasks.voxel_build.reference_world import ReferenceWorld, every_rectangle

SPACE = VoxelBuildTaskSpace()
LONGEST = 90


def assert_solves(task: VoxelBuildTask, actions: np.ndarray) -> None:
    """Played by the reference, ``actions`` build the goal with the last of them."""
    world = ReferenceWorld.of(task, side=len(task.goal))
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


@pytest.mark.slow
def test_every_goal_is_built_from_a_random_start():
    """All 1,602 footprints and heights; the block type, which changes one action, is random."""
    rng, lengths = np.random.default_rng(0), []
    rectangles = every_rectangle()
    assert 3 * len(rectangles) == 4_806
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


@pytest.mark.slow
def test_every_goal_is_built_from_the_centre_with_every_heading():
    """All 4,806, from every start of the paper's."""
    for rectangle in every_rectangle():
        for material, heading in np.ndindex(3, 4):
            goal = Rectangle(*rectangle, material=1 + material).cuboid()
            task = VoxelBuildTask(np.array([5, 5, heading], np.int8), goal)
            assert_rules_solve(task, SPACE.solve(task))


@pytest.mark.parametrize("every", [11, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("measures", [(0, 0, 10, 7, 1), (2, 1, 6, 5, 2)])
def test_the_largest_goals_from_everywhere(measures, every):
    goal = Rectangle(*measures, material=1).cuboid()
    assert np.count_nonzero(goal) in (32, 34)
    lengths = []
    for start in list(np.ndindex(11, 11, 4))[::every]:
        task = VoxelBuildTask(np.array(start, np.int8), goal)
        actions = SPACE.solve(task)
        assert_rules_solve(task, actions)
        lengths.append(len(actions))
    assert max(lengths) <= LONGEST


def test_the_smallest_goal_takes_two_looks_four_turns_and_a_move_between_cells():
    goal = Rectangle(4, 4, 7, 7, height=1, material=3).cuboid()
    solution = SPACE.solve(VoxelBuildTask(np.array([5, 4, 3], np.int8), goal)).tolist()
    assert solution[:3] == [13, 13, 16] and solution.count(16) == 12
    assert sum(9 <= action <= 11 for action in solution) == 4
    assert sum(1 <= action <= 4 for action in solution) == 11 and len(solution) == 2 + 12 + 4 + 11


def test_solver_leaves_the_task_alone_and_repeats():
    task = SPACE.suite("test")["7"]
    fingerprint = task.fingerprint()
    once, again = SPACE.solve(task), SPACE.solve(task)
    assert once.dtype == np.int64 and np.array_equal(once, again)
    assert task.fingerprint() == fingerprint
