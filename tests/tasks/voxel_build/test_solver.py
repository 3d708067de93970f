"""The small arena's tasks: which goals there are, what is drawn, held out and built."""

from collections import Counter

import numpy as np
import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.voxel_build import HORIZON, VoxelBuildSmallTaskSpace, VoxelBuildTask, VoxelBuildTaskSpace
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


SMALL_SPACE = VoxelBuildSmallTaskSpace()
SUITE = SMALL_SPACE.suite("small")
SPANS = [(low, high) for low in range(5) for high in range(low + 1, 5)]
RECTANGLES = [
    Rectangle(west, north, east, south, height, material)
    for west, east in SPANS
    for north, south in SPANS
    for height in (1, 2)
    for material in (1, 2, 3)
]


def test_all_600_goals_and_no_others_are_drawn_equally_often():
    rng, draws = np.random.default_rng(0), 6_000
    tasks = [SMALL_SPACE.sample_task(rng) for _ in range(draws)]
    counts = Counter(task.goal.tobytes() for task in tasks)
    assert set(counts) == {rectangle.cuboid(5).tobytes() for rectangle in RECTANGLES} and len(counts) == 600
    statistic = sum((count - draws / 600) ** 2 / (draws / 600) for count in counts.values())
    assert abs(statistic - 599) < 4 * (2 * 599) ** 0.5  # chi squared: its mean and deviation
    assert {tuple(task.start.tolist()) for task in tasks} == {(2, 2, heading) for heading in range(4)}


def test_parameters_decode_to_goals_and_tasks_to_parameters():
    rng = np.random.default_rng(1)
    for _ in range(300):
        task = SMALL_SPACE.decode(SMALL_SPACE.sample(rng))
        SMALL_SPACE.validate(task)
        assert SMALL_SPACE.decode(SMALL_SPACE.encode(task)) == task
        assert SMALL_SPACE.mutate(task, rng).goal.shape == (5, 5, 3)
        assert VoxelBuildTask.from_text(task.to_text()) == task


@pytest.mark.parametrize("every", [41, pytest.param(1, marks=pytest.mark.slow)])
def test_every_goal_is_built_within_56_steps(every):
    """From every third start. Walls that enclose nothing are left for the outside."""
    lengths = []
    for rectangle in RECTANGLES[::every]:
        for start in list(np.ndindex(5, 5, 4))[::3]:
            task = VoxelBuildTask(np.array(start, np.int8), rectangle.cuboid(5))
            lengths.append(len(SMALL_SPACE.solve(task)))
        assert_rules_solve(task, SMALL_SPACE.solve(task))
    assert max(lengths) <= 56


def test_suite_is_built_by_the_reference_s_rules_at_its_recorded_lengths():
    assert len(SUITE) == 200 == len({task.goal.tobytes() for task in SUITE})
    for task, length, blocks in zip(SUITE, SUITE.records["length"], SUITE.records["blocks"], strict=True):
        solution = SMALL_SPACE.solve(task)
        assert_solves(task, solution)
        assert len(solution) == length and np.count_nonzero(task.goal) == blocks


def test_no_held_out_goal_is_trained_on():
    benchmark, held_out = get_benchmark("voxel-build/small"), {task.goal.tobytes() for task in SUITE}
    rng = np.random.default_rng(2)
    assert not held_out & {benchmark.draw(rng).goal.tobytes() for _ in range(500)}


def test_tasks_of_the_other_arena_are_refused():
    for space, other in ((SMALL_SPACE, VoxelBuildTaskSpace()), (VoxelBuildTaskSpace(), SMALL_SPACE)):
        task = other.sample_task(np.random.default_rng(3))
        with pytest.raises(InvalidTaskError, match="goal's shape"):
            space.resolve(task)


def test_bad_goals_are_refused():
    goal = Rectangle(0, 0, 3, 0, 1, 1).cuboid(5)
    with pytest.raises(InvalidTaskError, match="goal's shorter side is 1, expected at least 2"):
        VoxelBuildTask(np.zeros(3, np.int8), goal).validate(5)
    with pytest.raises(InvalidTaskError, match=r"start is \(5, 0, 0\)"):
        VoxelBuildTask(np.array([5, 0, 0], np.int8), RECTANGLES[0].cuboid(5)).validate(5)
    with pytest.raises(InvalidTaskError, match="11 lines of 11 symbols or 5 lines of 5 symbols"):
        VoxelBuildTask.from_text("0 0 north\n" + "....\n" * 4)


PAPER_SUITE = SPACE.suite("test")


def test_blocks_are_counted():
    assert [np.count_nonzero(task.goal) for task in PAPER_SUITE] == PAPER_SUITE.records["blocks"].tolist()


def test_every_task_is_built_at_exactly_its_recorded_length():
    for task, length in zip(PAPER_SUITE, PAPER_SUITE.records["length"]):
        solution = SPACE.solve(task)
        assert len(solution) == length <= HORIZON
        assert_rules_solve(task, solution)


def test_suite_is_of_the_paper_s_distribution():
    rectangles = [Rectangle.around(task.goal) for task in PAPER_SUITE]
    assert {(rectangle.height, rectangle.material) for rectangle in rectangles} == {
        (h, m) for h in (1, 2) for m in (1, 2, 3)
    }
    assert {tuple(task.start.tolist()) for task in PAPER_SUITE} == {(5, 5, heading) for heading in range(4)}
    assert PAPER_SUITE.records["blocks"].max() == 34 and PAPER_SUITE.records["blocks"].min() == 12
