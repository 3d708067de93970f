import numpy as np

from procgen_bench.tasks.voxel_build import HORIZON, VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.task import Rectangle
from tests.tasks.voxel_build.test_solver import assert_rules_solve

SPACE = VoxelBuildTaskSpace()
SUITE = SPACE.suite("test")


def test_blocks_are_counted():
    assert [np.count_nonzero(task.goal) for task in SUITE] == SUITE.records["blocks"].tolist()


def test_every_task_is_built_at_exactly_its_recorded_length():
    for task, length in zip(SUITE, SUITE.records["length"]):
        solution = SPACE.solve(task)
        assert len(solution) == length <= HORIZON
        assert_rules_solve(task, solution)


def test_suite_is_of_the_paper_s_distribution():
    rectangles = [Rectangle.around(task.goal) for task in SUITE]
    assert {(rectangle.height, rectangle.material) for rectangle in rectangles} == {
        (h, m) for h in (1, 2) for m in (1, 2, 3)
    }
    assert {tuple(task.start.tolist()) for task in SUITE} == {(5, 5, heading) for heading in range(4)}
    assert SUITE.records["blocks"].max() == 34 and SUITE.records["blocks"].min() == 12
