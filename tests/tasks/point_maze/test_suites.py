import numpy as np
import pytest

from procgen_bench.tasks.point_maze import PointMazeTaskSpace
from procgen_bench.tasks.point_maze.mazes import corridor, default_maze, u_maze
from tests.tasks.point_maze.makers import assert_solves
from tests.tasks.point_maze.test_solver import moves_to_cells

SPACE = PointMazeTaskSpace()


@pytest.mark.parametrize("name", SPACE.suite_names)
def test_every_task_is_as_long_as_recorded(name):
    suite = SPACE.suite(name)
    assert len(suite) == {"test": 500, "corridor": 180, "u": 180, "random": 200}[name]
    for task, length in zip(suite, suite.records["length"]):
        goal_cell = tuple(int(np.floor(part + 0.5)) for part in task.goal)
        assert moves_to_cells(task)[goal_cell] == length


@pytest.mark.parametrize("every", [21, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SPACE.suite_names)
def test_tasks_are_solved(name, every):
    for task in list(SPACE.suite(name))[::every]:
        assert_solves(task, SPACE.solve(task))


def test_test_suite_is_the_default_maze():
    assert {task.walls.vertical.tobytes() for task in SPACE.suite("test")} == {default_maze().walls.vertical.tobytes()}
    assert {task.walls.horizontal.tobytes() for task in SPACE.suite("test")} == {
        default_maze().walls.horizontal.tobytes()
    }


@pytest.mark.parametrize(("name", "make", "length"), [("corridor", corridor, 1), ("u", u_maze, 2)])
def test_suites_by_side_length(name, make, length):
    suite = SPACE.suite(name)
    assert suite.task_names == tuple(f"{side}-{number}" for side in range(2, 11) for number in range(20))
    sides = suite.records["side"]
    assert sides.tolist() == [side for side in range(2, 11) for _ in range(20)]
    assert suite.records["length"].tolist() == (length * sides + 2 * (name == "u")).tolist()
    for task, side in zip(suite, sides):
        maze = make(int(side))
        assert all(np.array_equal(one, other) for one, other in zip(task.walls, maze.walls))
    assert SPACE.resolve(f"{name}/7-3") == suite.tasks[5 * 20 + 3]


def test_random_suite_holds_200_mazes_with_one_path_between_any_two_cells():
    suite = SPACE.suite("random")
    assert len({task.vertical_walls.tobytes() + task.horizontal_walls.tobytes() for task in suite}) == 200
    for task in suite:
        openings = 220 - int(task.vertical_walls.sum() + task.horizontal_walls.sum())
        assert openings == 99 and len(moves_to_cells(task)) == 100
