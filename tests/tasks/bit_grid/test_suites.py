import numpy as np

from procgen_bench.tasks.bit_grid import HORIZON, BitGridTaskSpace
from tests.tasks.bit_grid.reference_grid import goal_cells, permutation_length
from tests.tasks.bit_grid.test_solver import assert_solves

SPACE = BitGridTaskSpace()
SUITE = SPACE.suite("test")


def test_every_task_is_solved_at_exactly_its_recorded_length():
    for task, length in zip(SUITE, SUITE.records["length"]):
        solution = SPACE.solve(task)
        assert len(solution) == length <= HORIZON
        assert_solves(task, solution)


def test_recorded_lengths_are_shortest():
    few = [k for k, task in enumerate(SUITE) if task.goal.sum() <= 6]
    assert len(few) > 100
    for k in few[:100]:
        task = SUITE.tasks[k]
        assert permutation_length(tuple(task.start.tolist()), goal_cells(task)) == SUITE.records["length"][k]


def test_suite_is_of_the_paper_s_distribution():
    assert {int(task.goal.sum()) for task in SUITE} == {2, 4, 6, 8}  # eight toggles in all
    assert len({tuple(task.start.tolist()) for task in SUITE}) > 140
    assert np.std(SUITE.records["length"]) > 2
