import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.point_maze import PointMazeTask, goal_distance
from procgen_bench.tasks.point_maze.mazes import default_maze
from procgen_bench.tasks.point_maze.walls import cell_bits, closed_walls, walls_of
from tests.tasks.point_maze.makers import varied_tasks

DEFAULT = PointMazeTask(*default_maze().walls, np.array([0.25, -0.125]), np.array([9.0, 8.75]))
TEXT = DEFAULT.to_text()


def test_text_round_trip_is_exact():
    for task in varied_tasks(100, seed=0):
        text = task.to_text()
        assert len(text.splitlines()) == 25
        assert PointMazeTask.from_text(text) == task
        assert PointMazeTask.from_text("\n  ".join(["", *text.splitlines(), ""])) == task


def test_text_shows_walls_where_they_stand():
    walls = closed_walls()
    walls.vertical[0, 1] = walls.horizontal[9, 10] = False
    lines = PointMazeTask(*walls, np.zeros(2), np.array([1.0, 2.5])).to_text().splitlines()
    assert lines[21] == "|  |     |  |  |  |  |  |  |  |  |", "no wall between cells (1, 0) and (2, 0)"
    assert lines[2] == "+--" * 10 + "+  +", "no wall between cells (10, 9) and (10, 10)"
    assert lines[-2:] == ["start 0.0 0.0", "goal 1.0 2.5"]


@pytest.mark.parametrize("seed", range(3))
def test_cell_bits_hold_every_wall(seed):
    for task in varied_tasks(20, seed):
        bits = cell_bits(task.walls)
        assert all(np.array_equal(one, other) for one, other in zip(walls_of(bits), task.walls))
        inside = bits[1:-1, 1:-1]
        for row, column in np.ndindex(11, 11):
            left = column == 0 or task.vertical_walls[row, column - 1]
            right = column == 10 or task.vertical_walls[row, column]
            down = row == 0 or task.horizontal_walls[row - 1, column]
            up = row == 10 or task.horizontal_walls[row, column]
            assert inside[row, column] == left + 2 * right + 4 * down + 8 * up


def changed_line(number: int, line: str) -> str:
    lines = TEXT.splitlines()
    lines[number] = line
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "number of lines is 0, expected 25"),
        (TEXT + "\nmore", "number of lines is 26"),
        (changed_line(0, "+--+"), "line 1 of the drawn maze is '+--+', expected 34 symbols"),
        (changed_line(0, "+  " + "+--" * 10 + "+"), "expected a closed border"),
        (changed_line(1, "|  " + "   " * 10 + " x"[1:]), "symbol in line 2 of the drawn maze is 'x'"),
        (changed_line(3, "|ab" + "   " * 10 + "|"), "symbol in line 4 of the drawn maze is 'ab', expected '  '"),
        (
            changed_line(2, "+- " + "+--" * 10 + "+"),
            "symbol in line 3 of the drawn maze is '- ', expected '--' or '  '",
        ),
        (changed_line(23, "start 1"), "line of the start is 'start 1', expected 'start' and 2 numbers"),
        (changed_line(23, "goal 1 2"), "line of the start is 'goal 1 2'"),
        (changed_line(24, "goal one 2"), "line of the goal is 'goal one 2', expected 'goal' and 2 numbers"),
    ],
)
def test_bad_text_is_refused(text, part):
    with pytest.raises(InvalidTaskError) as caught:
        PointMazeTask.from_text(text)
    assert part in str(caught.value) and "\n" not in str(caught.value)


def with_points(start=(0.0, 0.0), goal=(9.0, 9.0)) -> PointMazeTask:
    return PointMazeTask(*DEFAULT.walls, np.array(start, np.float64), np.array(goal, np.float64))


@pytest.mark.parametrize(
    ("task", "part"),
    [
        (with_points(start=(-0.6, 0)), "x of start is -0.6, expected a number in [-0.5, 10.5]"),
        (with_points(goal=(9, 10.75)), "y of goal is 10.75, expected a number in [-0.5, 10.5]"),
        (with_points(goal=(np.nan, 9)), "x of goal is nan, expected a number in [-0.5, 10.5]"),
        (with_points(start=(0, np.inf)), "y of start is inf"),
        (with_points(start=(-0.499, 0)), "x of start is -0.499, expected a number in [-0.495, 0.5]"),
        (with_points(goal=(9.4951, 9)), "x of goal is 9.4951, expected a number in [8.5, 9.495]"),
        (with_points(start=(9.5, 9)), "x of start is 9.5, expected a number in [9.505, 10.495]"),
    ],
)
def test_points_in_walls_and_outside_are_refused(task, part):
    with pytest.raises(InvalidTaskError) as caught:
        task.validate()
    assert part in str(caught.value) and "\n" not in str(caught.value)


def test_points_may_touch_the_gap_and_lie_on_open_borders():
    with_points(start=(-0.495, -0.495), goal=(9.495, 9.495)).validate()
    with_points(start=(0.5, 0.25)).validate()


def test_goal_distance_is_the_l2_norm_in_double_precision():
    rng = np.random.default_rng(0)
    one, other = rng.uniform(-0.5, 10.5, (2, 7, 5, 2)).astype(np.float32)
    expected = np.linalg.norm(one.astype(np.float64) - other, axis=-1)
    assert goal_distance(one, other).dtype == np.float64
    np.testing.assert_allclose(goal_distance(one, other), expected, rtol=1e-15)
    assert goal_distance(np.array([3.0, 0.0]), np.array([0.0, 4.0])) == 5
