import numpy as np
import pytest

from procgen_bench.tasks.bit_grid import BitGridTask, BitGridTaskSpace, solver
from tests.tasks.bit_grid.reference_grid import (
    ReferenceGrid,
    breadth_first_length,
    goal_cells,
    permutation_length,
)


def random_task(rng: np.random.Generator, side: int, num_on: int) -> BitGridTask:
    goal = np.zeros(side * side, np.int8)
    goal[rng.permutation(side * side)[:num_on]] = 1
    return BitGridTask(rng.integers(side, size=2).astype(np.int8), goal.reshape(side, side))


def assert_solves(task: BitGridTask, actions: np.ndarray) -> None:
    """Played by the reference, ``actions`` reach the goal with the last of them."""
    grid = ReferenceGrid.of(task)
    reached = [grid.step(int(action))[1] for action in actions]
    assert reached == [False] * (len(actions) - 1) + [True]


def test_lengths_are_those_of_a_search_over_all_states():
    rng, space = np.random.default_rng(0), BitGridTaskSpace(3)
    lengths = []
    for case in range(45):
        task = random_task(rng, side=3, num_on=1 + case % 9)
        solution = space.solve(task)
        assert len(solution) == breadth_first_length(ReferenceGrid.of(task))
        assert_solves(task, solution)
        lengths.append(len(solution))
    assert max(lengths) >= 17


@pytest.mark.parametrize(("side", "num_on"), [(13, 1), (13, 3), (13, 6), (32, 2), (32, 4), (32, 6)])
def test_lengths_are_those_of_the_best_order(side, num_on):
    rng, space = np.random.default_rng([side, num_on]), BitGridTaskSpace(side)
    for _ in range(15):
        task = random_task(rng, side, num_on)
        solution = space.solve(task)
        expected = permutation_length(tuple(task.start.tolist()), goal_cells(task))
        assert (None if solution is None else len(solution)) == (expected if expected <= 50 else None)
        if solution is not None:
            assert_solves(task, solution)


@pytest.mark.parametrize("column", [12, 31])
def test_the_horizon_decides(column):
    """The goal lies on a line of 32 cells: to one end of it, and then to ``column``."""
    goal = np.zeros((32, 32), np.int8)
    goal[0, [0, column]] = 1
    for start_x in range(32):
        task = BitGridTask(np.array([start_x, 31], np.int8), goal)
        expected = 2 + column + max(31, min(start_x, abs(column - start_x)))
        solution = BitGridTaskSpace(32).solve(task)
        assert (None if solution is None else len(solution)) == (expected if expected <= 50 else None)


def test_twelve_bits_are_exact_and_quick():
    """A ring of twelve cells around the start, one step apart."""
    goal = np.zeros((13, 13), np.int8)
    goal[4:8, 4:8] = 1
    goal[5:7, 5:7] = 0
    task = BitGridTask(np.array([5, 5], np.int8), goal)
    solution = BitGridTaskSpace().solve(task)
    assert len(solution) == 12 + 12
    assert_solves(task, solution)


@pytest.mark.parametrize("num_on", [13, 16, 18, 20])
def test_more_bits_are_solved_by_a_tour_close_to_the_bound(num_on):
    rng, space = np.random.default_rng(num_on), BitGridTaskSpace(7)
    for _ in range(10):
        task = random_task(rng, 7, num_on)
        solution = space.solve(task)
        assert 2 * num_on - 1 <= len(solution) <= 3 * num_on
        assert_solves(task, solution)
        assert space.is_solvable(task) == (len(solution) <= 50)


def test_what_the_bound_proves_unsolvable_is_none():
    space = BitGridTaskSpace()
    assert space.solve(random_task(np.random.default_rng(0), 13, 51)) is None
    scattered = np.zeros((13, 13), np.int8)
    scattered[::4, ::4] = 1  # 16 bits, 4 apart: 16 toggles and 15 ways of 4
    task = BitGridTask(np.array([0, 0], np.int8), scattered)
    assert space.solve(task) is None and not space.is_solvable(task)


def test_tours_of_more_bits_are_close_to_exact_ones(monkeypatch):
    """The heuristic and its bound, on goals whose shortest solution is known."""
    rng, space = np.random.default_rng(4), BitGridTaskSpace()
    tasks = [random_task(rng, 13, 3 + case % 6) for case in range(60)]
    exact = [space.solve(task) for task in tasks]
    monkeypatch.setattr(solver, "MAX_EXACT_BITS", 0)
    ratios = []
    for task, shortest in zip(tasks, exact):
        found = space.solve(task)
        if shortest is None:
            assert found is None or len(found) > 50
            continue
        assert len(found) >= len(shortest)  # in particular, the bound did not exceed 50
        assert_solves(task, found)
        ratios.append(len(found) / len(shortest))
    assert len(ratios) > 40 and np.mean(ratios) < 1.04 and max(ratios) < 1.35


def test_solver_leaves_the_task_alone_and_repeats():
    task = BitGridTaskSpace().suite("test")["7"]
    fingerprint = task.fingerprint()
    once, again = BitGridTaskSpace().solve(task), BitGridTaskSpace().solve(task)
    assert once.dtype == np.int64 and np.array_equal(once, again)
    assert task.fingerprint() == fingerprint
