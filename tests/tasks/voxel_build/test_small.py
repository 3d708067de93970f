"""The small arena's tasks: which goals there are, what is drawn, held out and built."""

from collections import Counter

import numpy as np
import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.voxel_build import VoxelBuildSmallTaskSpace, VoxelBuildTask, VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.task import Rectangle
from tests.tasks.voxel_build.test_solver import assert_rules_solve, assert_solves

SPACE = VoxelBuildSmallTaskSpace()
SUITE = SPACE.suite("small")
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
    tasks = [SPACE.sample_task(rng) for _ in range(draws)]
    counts = Counter(task.goal.tobytes() for task in tasks)
    assert set(counts) == {rectangle.cuboid(5).tobytes() for rectangle in RECTANGLES} and len(counts) == 600
    statistic = sum((count - draws / 600) ** 2 / (draws / 600) for count in counts.values())
    assert abs(statistic - 599) < 4 * (2 * 599) ** 0.5  # chi squared: its mean and deviation
    assert {tuple(task.start.tolist()) for task in tasks} == {(2, 2, heading) for heading in range(4)}


def test_parameters_decode_to_goals_and_tasks_to_parameters():
    rng = np.random.default_rng(1)
    for _ in range(300):
        task = SPACE.decode(SPACE.sample(rng))
        SPACE.validate(task)
        assert SPACE.decode(SPACE.encode(task)) == task
        assert SPACE.mutate(task, rng).goal.shape == (5, 5, 3)
        assert VoxelBuildTask.from_text(task.to_text()) == task


@pytest.mark.parametrize("every", [41, pytest.param(1, marks=pytest.mark.slow)])
def test_every_goal_is_built_within_56_steps(every):
    """From every third start. Walls that enclose nothing are left for the outside."""
    lengths = []
    for rectangle in RECTANGLES[::every]:
        for start in list(np.ndindex(5, 5, 4))[::3]:
            task = VoxelBuildTask(np.array(start, np.int8), rectangle.cuboid(5))
            lengths.append(len(SPACE.solve(task)))
        assert_rules_solve(task, SPACE.solve(task))
    assert max(lengths) <= 56


def test_suite_is_built_by_the_reference_s_rules_at_its_recorded_lengths():
    assert len(SUITE) == 200 == len({task.goal.tobytes() for task in SUITE})
    for task, length, blocks in zip(SUITE, SUITE.records["length"], SUITE.records["blocks"], strict=True):
        solution = SPACE.solve(task)
        assert_solves(task, solution)
        assert len(solution) == length and np.count_nonzero(task.goal) == blocks


def test_no_held_out_goal_is_trained_on():
    benchmark, held_out = get_benchmark("voxel-build/small"), {task.goal.tobytes() for task in SUITE}
    rng = np.random.default_rng(2)
    assert not held_out & {benchmark.draw(rng).goal.tobytes() for _ in range(500)}


def test_tasks_of_the_other_arena_are_refused():
    for space, other in ((SPACE, VoxelBuildTaskSpace()), (VoxelBuildTaskSpace(), SPACE)):
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
