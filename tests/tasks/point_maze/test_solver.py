from collections import deque

import numpy as np
import pytest

from procgen_bench.tasks.point_maze import PointMazeTask, PointMazeTaskSpace
from procgen_bench.tasks.point_maze.mazes import corridor, default_maze, u_maze
from procgen_bench.tasks.point_maze.solver import UnprovenTaskError, path_length
from procgen_bench.tasks.point_maze.walls import closed_walls, open_between
from tests.tasks.point_maze.makers import assert_solves, scattered_task, snake, varied_tasks

SPACE = PointMazeTaskSpace()


def moves_to_cells(task: PointMazeTask) -> dict[tuple[int, int], int]:
    """Least number of moves from the start's cell to every connected one: a flood in plain Python."""
    first = tuple(int(np.floor(part + 0.5)) for part in task.start)
    moves, queue = {first: 0}, deque([first])
    while queue:
        x, y = queue.popleft()
        for cell, wall in (
            ((x + 1, y), x == 10 or task.vertical_walls[y, x]),
            ((x - 1, y), x == 0 or task.vertical_walls[y, x - 1]),
            ((x, y + 1), y == 10 or task.horizontal_walls[y, x]),
            ((x, y - 1), y == 0 or task.horizontal_walls[y - 1, x]),
        ):
            if not wall and cell not in moves:
                moves[cell] = moves[x, y] + 1
                queue.append(cell)
    return moves


def goal_is_near(task: PointMazeTask, cell: tuple[int, int]) -> bool:
    """Whether the goal counts as reached somewhere in a cell (up to the gap at its walls)."""
    return bool(np.hypot(*(np.maximum(abs(task.goal - cell) - 0.5, 0))) < 0.15)


@pytest.mark.parametrize("count", [50, pytest.param(500, marks=pytest.mark.slow)])
def test_solutions_solve_and_unsolvable_tasks_are_those_behind_walls(count):
    outcomes = []
    scattered = (scattered_task(np.random.default_rng(s), 0.6) for s in range(2 * count // 5))
    for task in [*varied_tasks(3 * count // 5, seed=0), *scattered]:
        moves = moves_to_cells(task)
        solution = SPACE.solve(task)
        near = [cell for cell in moves if goal_is_near(task, cell)]
        outcomes.append(solution is not None)
        if solution is None:
            own_cell = tuple(int(np.floor(part + 0.5)) for part in task.goal)
            assert own_cell not in moves, "the goal's own cell is connected with the start's"
        else:
            assert near, "the goal is behind walls"
            assert_solves(task, solution)
            # A step crosses at most one border per axis.
            assert 2 * len(solution) >= min(moves[cell] for cell in near)
        goal_cell = tuple(int(np.floor(part + 0.5)) for part in task.goal)
        assert path_length(task) == moves.get(goal_cell)
    assert 0.2 * count < sum(outcomes) < 0.8 * count


def test_goal_close_to_a_wall_is_reached_from_behind_it():
    task = PointMazeTask(*closed_walls(), np.array([0.0, 0.0]), np.array([0.6, 0.0]))
    assert_solves(task, SPACE.solve(task))
    beyond = PointMazeTask(*closed_walls(), np.array([0.0, 0.0]), np.array([0.65, 0.0]))
    assert SPACE.solve(beyond) is None
    assert path_length(task) is path_length(beyond) is None


def test_goal_around_a_free_corner_is_reached_over_either_cell():
    for way in [(1, 0), (0, 1)]:
        walls = closed_walls()
        open_between(walls, (0, 0), way)
        open_between(walls, way, (1, 1))
        task = PointMazeTask(*walls, np.array([-0.4, -0.4]), np.array([1.4, 1.4]))
        assert_solves(task, SPACE.solve(task))


def test_start_on_the_goal_takes_one_step():
    task = PointMazeTask(*closed_walls(), np.array([4.0, 4.0]), np.array([4.0, 4.0]))
    assert len(SPACE.solve(task)) == 1
    assert_solves(task, SPACE.solve(task))


@pytest.mark.parametrize("side", range(2, 11))
def test_straight_ways_take_hardly_more_steps_than_the_longest_steps_do(side):
    rng = np.random.default_rng(side)
    for task in (corridor(side).draw_task(rng) for _ in range(5)):
        least = np.ceil((task.goal[0] - task.start[0] - 0.15) / 0.95)
        solution = SPACE.solve(task)
        assert_solves(task, solution)
        assert least <= len(solution) <= least + 2
    around = u_maze(side).draw_task(rng)
    assert_solves(around, SPACE.solve(around))


@pytest.mark.slow
def test_goals_along_a_snake_are_solved_up_to_the_horizon_and_proven_too_far_beyond():
    walls, path = snake()
    tasks = [PointMazeTask(*walls, np.zeros(2), np.array(cell, np.float64)) for cell in path]
    for task in tasks[:55:3]:
        assert_solves(task, SPACE.solve(task))
    assert len(SPACE.solve(tasks[54])) == 50
    assert all(SPACE.solve(task) is None for task in tasks[56:])


def test_what_is_neither_solved_nor_proven_is_said_so():
    walls, path = snake()
    with pytest.raises(UnprovenTaskError, match="no way of at most 50 steps to the goal was found, and none was ruled"):
        SPACE.solve(PointMazeTask(*walls, np.zeros(2), np.array(path[55], np.float64)))


def test_solver_leaves_the_task_alone_and_repeats():
    task = varied_tasks(1, seed=5)[0]
    fingerprint = task.fingerprint()
    assert np.array_equal(SPACE.solve(task), SPACE.solve(task))
    assert task.fingerprint() == fingerprint


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
