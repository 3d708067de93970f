import numpy as np
import pytest

from procgen_bench.tasks.bit_grid import HORIZON, BitGridTask, BitGridTaskSpace, solver
from procgen_bench.tasks.bit_grid.tours import shortest_order
from tests.tasks.bit_grid.reference_grid import ReferenceGrid, breadth_first_length, goal_cells, permutation_length


def random_task(rng: np.random.Generator, side: int, num_on: int) -> BitGridTask:
    goal = np.zeros(side * side, np.int8)
    goal[rng.permutation(side * side)[:num_on]] = 1
    return BitGridTask(rng.integers(side, size=2).astype(np.int8), goal.reshape(side, side))


def assert_solves(task: BitGridTask, actions: np.ndarray) -> None:
    """Played by the reference, ``actions`` reach the goal with the last of them."""
    grid = ReferenceGrid.of(task)
    reached = [grid.step(int(action))[1] for action in actions]
    assert reached == [False] * (len(actions) - 1) + [True]


def ways_between(task: BitGridTask) -> np.ndarray:
    """Steps between the start and the goal's bits, each to each."""
    places = np.array([task.start.tolist(), *sorted(goal_cells(task))])
    return abs(places[:, np.newaxis] - places).max(axis=-1)


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


@pytest.mark.parametrize("num_on", [13, 16, 20, 25])
def test_many_bits_are_solved_within_the_horizon_or_proven_to_take_more(num_on):
    rng, space = np.random.default_rng(num_on), BitGridTaskSpace(7)
    for _ in range(6):
        task = random_task(rng, 7, num_on)
        solution = space.solve(task)
        assert space.is_solvable(task) == (solution is not None)
        if solution is not None:
            assert 2 * num_on - 1 <= len(solution) <= 50
            assert_solves(task, solution)


def test_no_drawn_task_has_a_plan_past_the_horizon():
    """Of uniform draws, one in twenty has more than 12 bits, and many of those take more than 50 steps."""
    rng, space = np.random.default_rng(0), BitGridTaskSpace()
    solutions = [space.solve(space.decode(space.sample(rng))) for _ in range(600)]
    lengths = [len(solution) for solution in solutions if solution is not None]
    assert max(lengths) <= 50 and len(lengths) < 600


def test_what_the_bound_lets_pass_is_still_proven_to_take_more():
    """The tree's bound allows 50 steps, and no tour of these 16 bits does."""
    task = random_task(np.random.default_rng(12), 11, 16)
    ways = ways_between(task)
    order = solver._order_by_sets(ways)
    shortest = 16 + ways[order[:-1], order[1:]].sum()
    assert 16 + solver._spanning_tree_length(ways) <= 50 < shortest
    assert BitGridTaskSpace().solve(task) is None


def test_what_the_bound_proves_unsolvable_is_none():
    space = BitGridTaskSpace()
    assert space.solve(random_task(np.random.default_rng(0), 13, 51)) is None
    scattered = np.zeros((13, 13), np.int8)
    scattered[::4, ::4] = 1  # 16 bits, 4 apart: 16 toggles and 15 ways of 4
    task = BitGridTask(np.array([0, 0], np.int8), scattered)
    assert space.solve(task) is None and not space.is_solvable(task)


@pytest.mark.parametrize("num_on", [3, 6, 9, 12, 14])
def test_both_searches_find_tours_of_one_length(num_on):
    """The sets of bits gone through, and the integer programme."""
    rng = np.random.default_rng(num_on)
    for _ in range(6):
        task = random_task(rng, 9, num_on)
        ways = ways_between(task)
        lengths = []
        for order in (solver._order_by_sets(ways), shortest_order(ways)):
            assert order[0] == 0 and sorted(order.tolist()) == list(range(num_on + 1))
            lengths.append(ways[order[:-1], order[1:]].sum())
        assert lengths[0] == lengths[1]


def test_solver_leaves_the_task_alone_and_repeats():
    task = BitGridTaskSpace().suite("test")["7"]
    fingerprint = task.fingerprint()
    once, again = BitGridTaskSpace().solve(task), BitGridTaskSpace().solve(task)
    assert once.dtype == np.int64 and np.array_equal(once, again)
    assert task.fingerprint() == fingerprint


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
