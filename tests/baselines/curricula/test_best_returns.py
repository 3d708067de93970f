"""What the solver earns on a level, beside what one finds by hand."""

import numpy as np
import pytest

from procgen_bench.baselines.curricula.best_returns import BestReturns
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import UnsolvedTaskError
from procgen_bench.tasks.ued_maze.task import UEDMazeTask
from tests.baselines.curricula.students import levels_of


def corridor(direction: int, wall: bool = False) -> UEDMazeTask:
    """The goal is ten tiles to the right of the agent, behind a wall of the whole height or not."""
    walls = np.zeros((13, 13), np.int8)
    walls[:, 6] = wall
    return UEDMazeTask(walls, np.array([11, 4], np.int8), np.array([1, 4, direction], np.int8))


def test_a_maze_of_which_the_way_is_known():
    """Ten steps ahead, one turn before them, or two; each step of 250 costs a part of 0.9."""
    best = BestReturns(levels_of("ued-maze/random", True), {})
    expected = [1 - 0.9 * steps / 250 for steps in (10, 11, 12, 11)]
    assert best.of([corridor(direction) for direction in range(4)]) == pytest.approx(expected)


def test_what_cannot_be_solved_has_none():
    assert np.isnan(BestReturns(levels_of("ued-maze/random", True), {}).of([corridor(0, wall=True)])).all()
    levels = levels_of("ued-maze/random", True)

    def fail(task):
        raise UnsolvedTaskError("no luck")

    levels.task_space.solve = fail
    assert np.isnan(BestReturns(levels, {}).of([corridor(0)])).all()


@pytest.mark.parametrize("name", ["grid-world/graded", "cminigrid/sparse", "gminiwob/test"])
def test_no_solution_of_a_suite_earns_less_than_an_agent_that_does_nothing(name):
    """Solvers of other families are played the same way: what they solve is worth something."""
    benchmark = get_benchmark(name)
    best = BestReturns(levels_of(name, True), {})
    tasks = list(benchmark.task_suite())[:5]
    returns = best.of(tasks)
    assert (returns > 0).all() and best.of(tasks).tolist() == returns.tolist()
