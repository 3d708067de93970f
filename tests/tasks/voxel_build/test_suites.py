import numpy as np

from procgen_bench.tasks.voxel_build import HORIZON, VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.generate import generate
from procgen_bench.tasks.voxel_build.suites import CHECKSUMS
from procgen_bench.tasks.voxel_build.task import Rectangle
from tests.tasks.voxel_build.test_solver import assert_rules_solve

SPACE = VoxelBuildTaskSpace()
SUITE = SPACE.suite("test")


def test_suite_is_whole():
    assert len(SUITE) == len(SUITE.task_names) == len(SUITE.records["length"]) == 500
    assert len({task.goal.tobytes() for task in SUITE}) == 500
    for task, blocks in zip(SUITE, SUITE.records["blocks"]):
        SPACE.validate(task)
        assert np.count_nonzero(task.goal) == blocks


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
    assert SUITE.records["blocks"].max() == 33 and SUITE.records["blocks"].min() == 1


def test_generating_again_gives_the_committed_suite(tmp_path):
    assert generate(tmp_path) == CHECKSUMS
