from pathlib import Path

import networkx
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.point_maze.mazes import corridor, default_maze, spanning_tree, u_maze
from procgen_bench.tasks.point_maze.solver import cell_graph, path_length
from procgen_bench.tasks.point_maze.walls import draw_walls

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
