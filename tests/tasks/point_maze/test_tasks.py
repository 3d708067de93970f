from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.point_maze import PointMazeTask, PointMazeTaskSpace, goal_distance
from procgen_bench.tasks.point_maze.mazes import corridor, default_maze, spanning_tree, u_maze
from procgen_bench.tasks.point_maze.solver import cell_graph, path_length
from procgen_bench.tasks.point_maze.walls import cell_bits, closed_walls, draw_walls, walls_of
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


SPACE = PointMazeTaskSpace()

#: Raw parameters anywhere in the space: points on borders and in corners, too.
_LOGITS = st.one_of(st.floats(-10, 10, width=32), st.sampled_from([0.0, -0.0]))
_COORDINATES = st.one_of(st.floats(-0.5, 10.5), st.integers(-4, 84).map(lambda eighths: eighths / 8))
PARAMETERS = st.fixed_dictionaries(
    {
        "vertical_walls": arrays(np.float32, (11, 10), elements=_LOGITS),
        "horizontal_walls": arrays(np.float32, (10, 11), elements=_LOGITS),
        "start": arrays(np.float64, (2,), elements=_COORDINATES),
        "goal": arrays(np.float64, (2,), elements=_COORDINATES),
    }
)


@given(PARAMETERS)
def test_decode_gives_valid_tasks_and_moves_points_the_least(params):
    task = SPACE.decode(params)
    task.validate()
    assert np.array_equal(task.vertical_walls, params["vertical_walls"] > 0)
    assert np.array_equal(task.horizontal_walls, params["horizontal_walls"] > 0)
    for name in ("start", "goal"):
        moved = abs(getattr(task, name) - params[name])
        assert (moved <= 0.005 + 1e-12).all()
        cell = np.minimum(np.floor(params[name] + 0.5), 10)
        inside = (abs(params[name] - cell) <= 0.495 - 1e-12).all()
        assert not inside or not moved.any(), "a point away from all borders was moved"


def test_points_close_to_walls_are_moved_within_their_cells():
    params = SPACE.encode(varied_tasks(1, seed=0)[0])
    params |= {"vertical_walls": np.ones((11, 10), np.float32), "start": np.array([0.5, 3.2]), "goal": np.full(2, 10.5)}
    params["horizontal_walls"][:] = -1
    task = SPACE.decode(params)
    assert task.start == pytest.approx([0.505, 3.2], abs=1e-15)
    assert task.goal == pytest.approx([10.495, 10.495], abs=1e-15)


def test_samples_are_in_the_space_and_wall_every_second_place():
    rng = np.random.default_rng(0)
    samples = [SPACE.sample(rng) for _ in range(200)]
    assert all(SPACE.space.contains(params) for params in samples)
    assert 0.48 < np.mean([SPACE.decode(params).vertical_walls for params in samples]) < 0.52


def test_mutation_changes_one_thing_and_every_kind_of_thing():
    rng, kinds = np.random.default_rng(1), set()
    for task in varied_tasks(1_000, seed=2):
        neighbour = SPACE.mutate(task, rng)
        neighbour.validate()
        walls = sum(int((one != other).sum()) for one, other in zip(task.walls, neighbour.walls))
        start, goal = (abs(getattr(task, name) - getattr(neighbour, name)).max() for name in ("start", "goal"))
        if walls:
            assert walls == 1 and start <= 0.005 + 1e-12 and goal <= 0.005 + 1e-12
            kinds.add("vertical" if (task.vertical_walls != neighbour.vertical_walls).any() else "horizontal")
        else:
            assert (start > 0) != (goal > 0)
            kinds.add("start" if start else "goal")
    assert kinds == {"vertical", "horizontal", "start", "goal"}


#: The published maze, drawn from its source; kept apart from the package so that neither follows the other.
PUBLISHED = Path(__file__).parent / "published_maze.txt"


def graph(maze) -> networkx.Graph:
    return cell_graph(maze.draw_task(np.random.default_rng(0)))


def test_default_maze_is_the_published_one():
    """In the lower left of the square, with closed cells above it and to its right."""
    above, beside, *lines = draw_walls(default_maze().walls).splitlines()
    assert (above, beside) == ("+--" * 11 + "+", "|  " * 11 + "|")
    assert [line[:-3] for line in lines] == PUBLISHED.read_text().splitlines()
    assert {line[-3:] for line in lines} == {"--+", "  |"}


@pytest.mark.parametrize("maze", [default_maze(), *(spanning_tree(np.random.default_rng(seed)) for seed in range(30))])
def test_there_is_exactly_one_path_between_any_two_cells(maze):
    cells = networkx.node_connected_component(graph(maze), (0, 0))
    assert cells == {(column, row) for column in range(10) for row in range(10)}
    assert networkx.is_tree(graph(maze).subgraph(cells))
    assert (maze.start_cell, maze.goal_cell) == ((0, 0), (9, 9))


def test_spanning_trees_differ_and_repeat():
    drawn = {draw_walls(spanning_tree(np.random.default_rng(seed)).walls) for seed in [*range(50), *range(50)]}
    assert len(drawn) == 50


def test_every_wall_of_spanning_trees_is_as_likely_as_it_should_be():
    # 99 of 180 places are open in every tree; a wall never or always there would be a fault of the generator.
    rng = np.random.default_rng(3)
    mazes = [spanning_tree(rng) for _ in range(200)]
    vertical, horizontal = (np.mean([maze.walls[axis] for maze in mazes], axis=0) for axis in (0, 1))
    for walls in (vertical[:10, :9], horizontal[:9, :10]):
        assert walls.min() > 0.2 and walls.max() < 0.7


@pytest.mark.parametrize("side", range(2, 11))
def test_corridor_is_a_row_of_one_cell_more_than_its_length(side):
    maze = corridor(side)
    rng = np.random.default_rng(side)
    assert {path_length(maze.draw_task(rng)) for _ in range(20)} == {side}
    assert networkx.node_connected_component(graph(maze), (0, 0)) == {(column, 0) for column in range(side + 1)}
    assert maze.goal_cell == (side, 0)


@pytest.mark.parametrize("side", range(2, 11))
def test_u_leads_around_the_cells_between_its_sides(side):
    maze = u_maze(side)
    cells = networkx.node_connected_component(graph(maze), (0, 0))
    assert len(cells) == 2 * side + 3 and (0, 1) not in cells
    assert networkx.is_path(graph(maze), [(column, 0) for column in range(side + 1)])
    assert path_length(maze.draw_task(np.random.default_rng(0))) == 2 * side + 2
    assert maze.goal_cell == (0, 2)


@pytest.mark.parametrize("make", [corridor, u_maze])
@pytest.mark.parametrize("side", [1, 11, 2.5, "3", True])
def test_other_sides_are_refused(make, side):
    with pytest.raises(InvalidTaskError, match=r"side of the maze is .*, expected an integer in \[2, 10\]"):
        make(side)


def test_drawn_points_keep_off_the_walls_of_their_cells_and_fill_the_rest():
    rng = np.random.default_rng(1)
    tasks = [default_maze().draw_task(rng) for _ in range(2_000)]
    for task in tasks:
        task.validate()
    starts, goals = np.array([task.start for task in tasks]), np.array([task.goal for task in tasks])
    # Cell (0, 0) is walled on the left and below, cell (9, 9) on the right and above.
    for points, low, high in ((starts, (-0.45, -0.45), (0.5, 0.5)), (goals, (8.5, 8.5), (9.325, 9.325))):
        assert (points >= low).all() and (points <= high).all()
        assert (points.min(axis=0) < np.add(low, 0.01)).all() and (points.max(axis=0) > np.subtract(high, 0.01)).all()


def test_corridors_have_walls_on_both_sides():
    low, high = corridor(5).goal_region()
    assert low == pytest.approx([4.5, -0.4]) and high == pytest.approx([5.4, 0.4])
