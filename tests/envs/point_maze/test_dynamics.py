"""The compiled motion against the specification in plain Python, and what must hold of every motion."""

from collections import Counter

import numpy as np
import pytest

from procgen_bench.tasks.point_maze import PointMazeTask, PointMazeTaskSpace
from procgen_bench.tasks.point_maze.walls import Walls, closed_walls, open_between
from tests.tasks.point_maze.makers import ONE_ROW, begun, transposed, varied_tasks
from tests.tasks.point_maze.reference_maze import moved, segments

SPACE = PointMazeTaskSpace()
MAX_STEP = np.float32(0.95)


def random_actions(rng: np.random.Generator, shape: tuple[int, ...], on_grid: bool) -> np.ndarray:
    """Actions of the whole range, or multiples of 1/8, which lead through corners and end on borders exactly."""
    if on_grid:
        return (rng.integers(-7, 8, shape) / 8).astype(np.float32)
    return rng.uniform(-MAX_STEP, MAX_STEP, shape).astype(np.float32)


@pytest.mark.parametrize("num_mazes", [40, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("on_grid", [False, True])
def test_random_play_equals_the_reference(on_grid, num_mazes):
    rng = np.random.default_rng(7)
    seen: Counter = Counter()
    for number, task in enumerate(varied_tasks(num_mazes, seed=8)):
        if on_grid:
            cell = rng.integers(0, 11, 2)
            task = PointMazeTask(*task.walls, cell.astype(np.float64), task.goal)
        walls, simulation = segments(task), begun([task])
        for action in random_actions(rng, (50, 2), on_grid):
            before = simulation.positions[0].copy()
            if on_grid:
                # Walls push the agent off the grid, where rounding decides between crossings at almost one time.
                before = np.round(before) + rng.integers(-3, 4, 2) / 8
                simulation.positions[0] = before
            expected = moved(walls, before, action)
            simulation.step(action[np.newaxis], ONE_ROW)
            found = simulation.positions[0]
            assert np.abs(found - expected).max() < 1e-12, f"maze {number}: {before} + {action} -> {found}, {expected}"
            free = before + action.astype(np.float64)
            stopped = np.abs(found - free) > 1e-9
            cells = np.floor(before + 0.5) != np.floor(found + 0.5)
            seen["x stopped"] += stopped[0]
            seen["y stopped"] += stopped[1]
            seen["both stopped"] += stopped.all()
            seen["slid into another cell"] += stopped.any() and cells.any()
            seen["into the diagonal cell"] += cells.all()
            offset = np.abs(np.floor(before + 0.5) + np.sign(action) * 0.5 - before)
            through_corner = abs(offset[0] * abs(action[1]) - offset[1] * abs(action[0])) == 0
            seen["through a corner"] += through_corner and bool((offset <= np.abs(action)).all())
    for event in ("x stopped", "y stopped", "both stopped", "slid into another cell", "into the diagonal cell"):
        assert seen[event] >= 20, f"random play met '{event}' {seen[event]} times: {seen}"
    assert seen["through a corner"] >= 50 or not on_grid


def sides_of(bits: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """bool (N, 4): whether each row's cell (N, 2) is walled on its left, right, lower and upper side."""
    sides = bits[np.arange(len(bits)), cells[:, 1] + 1, cells[:, 0] + 1]
    return sides[:, np.newaxis] & np.array([1, 2, 4, 8]) != 0


@pytest.mark.parametrize("on_grid", [False, True])
def test_no_wall_is_crossed_or_entered_in_many_mazes(on_grid):
    """1,000 mazes, 300 steps each."""
    tasks = varied_tasks(1_000, seed=9)
    rng, simulation, every = np.random.default_rng(10), begun(tasks), np.ones(len(tasks), np.bool_)
    rows = np.arange(len(tasks))
    if on_grid:
        simulation.positions[:] = np.floor(simulation.positions + 0.5)
    visited = np.zeros((len(tasks), 11, 11), np.bool_)
    for _ in range(300):
        before = simulation.positions.copy()
        actions = random_actions(rng, before.shape, on_grid)
        simulation.step(actions, every)
        after = simulation.positions
        old_cells, cells = (np.floor(place + 0.5).astype(int) for place in (before, after))
        assert (cells >= 0).all() and (cells <= 10).all()
        visited[rows, cells[:, 1], cells[:, 0]] = True
        steps = cells - old_cells
        assert (abs(steps) <= 1).all()
        offsets = np.stack([after[:, 0] - cells[:, 0], cells[:, 0] - after[:, 0]], axis=1)
        offsets = np.concatenate(
            [offsets, (after[:, 1] - cells[:, 1])[:, None], (cells[:, 1] - after[:, 1])[:, None]], 1
        )
        walled = sides_of(simulation.cells, cells)
        assert (offsets[walled] >= -0.495 - 1e-12).all(), "a position closer to a wall than 0.005"
        assert np.all(abs(after - before) <= abs(actions.astype(np.float64)) + 0.005 + 1e-12)
        # A cell is left over a border without a wall; a diagonal one is entered over one of the two between.
        open_x, open_y = (one_axis_open(simulation.cells, old_cells, steps, axis) for axis in (0, 1))
        over_x = old_cells + steps * (1, 0)
        over_y = old_cells + steps * (0, 1)
        by_x = open_x & one_axis_open(simulation.cells, over_x, steps, 1)
        by_y = open_y & one_axis_open(simulation.cells, over_y, steps, 0)
        assert (by_x | by_y).all(), "a wall has been crossed"
    assert visited.sum() > 10 * len(tasks), "the agents hardly moved"


def one_axis_open(bits: np.ndarray, cells: np.ndarray, steps: np.ndarray, axis: int) -> np.ndarray:
    """Whether no wall stops the step along one axis from each row's cell."""
    walled = sides_of(bits, cells)
    low, high = walled[:, 2 * axis], walled[:, 2 * axis + 1]
    return ~np.where(steps[:, axis] < 0, low, (steps[:, axis] > 0) & high)


@pytest.mark.parametrize("on_grid", [False, True])
def test_exchanging_the_axes_exchanges_the_result_bit_for_bit(on_grid):
    tasks = varied_tasks(500, seed=11)
    rng, every = np.random.default_rng(12), np.ones(len(tasks), np.bool_)
    one, other = begun(tasks), begun([transposed(task) for task in tasks])
    for _ in range(100):
        actions = random_actions(rng, (len(tasks), 2), on_grid)
        one.step(actions, every)
        other.step(np.ascontiguousarray(actions[:, ::-1]), every)
        assert np.array_equal(one.positions, other.positions[:, ::-1])
        assert np.array_equal(one.rewards, other.rewards)


def maze(*openings: tuple[tuple[int, int], tuple[int, int]]) -> Walls:
    walls = closed_walls()
    for one, other in openings:
        open_between(walls, one, other)
    return walls


RIGHT_UP = maze(((0, 0), (1, 0)), ((1, 0), (1, 1)))
UP_RIGHT = maze(((0, 0), (0, 1)), ((0, 1), (1, 1)))
OPEN_SQUARE = maze(((0, 0), (1, 0)), ((1, 0), (1, 1)), ((0, 0), (0, 1)), ((0, 1), (1, 1)))


@pytest.mark.parametrize(
    ("walls", "start", "action", "expected"),
    [
        (closed_walls(), (0, 0), (0.3, -0.4), (0.3, -0.4)),
        (closed_walls(), (0, 0), (0.9, 0.25), (0.495, 0.25)),
        (closed_walls(), (0, 0), (-0.9, 0.9), (-0.495, 0.495)),
        (closed_walls(), (0, 0), (0.4975, 0), (0.495, 0)),
        (RIGHT_UP, (0.2, 0), (0.9, 0.25), (1.1, 0.25)),
        (RIGHT_UP, (0.4, 0), (0.5, 0.75), (0.9, 0.75)),
        (RIGHT_UP, (0, 0.4), (0.75, 0.5), (0.75, 0.495)),
        (RIGHT_UP, (0.25, 0.25), (0.5, 0.5), (0.495, 0.495)),
        (UP_RIGHT, (0.25, 0.25), (0.5, 0.5), (0.495, 0.495)),
        (OPEN_SQUARE, (0.25, 0.25), (0.5, 0.5), (0.75, 0.75)),
        (UP_RIGHT, (0.4, 0), (0.5, 0.9), (0.495, 0.9)),
        (UP_RIGHT, (0.498, 0.75), (0.0, -0.5), (0.495, 0.25)),
    ],
    ids=[
        "free",
        "slides along a wall",
        "into a corner",
        "ends too close to a wall",
        "through an opening",
        "over the first border, then the second",
        "the wall above comes first: slides under it to the right",
        "through a corner that walls end in (right, up)",
        "through a corner that walls end in (up, right)",
        "through a corner without walls",
        "slides up along a wall past its end, but not to the right",
        "past a wall's end: pushed off the wall",
    ],
)
def test_motions_of_the_specification(walls, start, action, expected):
    task = PointMazeTask(*walls, np.array(start, np.float64), np.array([5.0, 5.0]))
    action = np.array(action, np.float32)
    simulation = begun([task])
    simulation.step(action[np.newaxis], ONE_ROW)
    assert simulation.positions[0] == pytest.approx(expected, abs=1e-7)
    assert moved(segments(task), start, action) == pytest.approx(expected, abs=1e-7)
