"""Drawing point mazes."""

import numpy as np
import pytest

from procgen_bench.envs.point_maze.editor import PointMazeEditor
from procgen_bench.tasks.point_maze import PointMazeTaskSpace
from procgen_bench.tasks.point_maze.task import WALL_GAP

EDITOR, SPACE = PointMazeEditor(), PointMazeTaskSpace()
WALL, GAP, START, GOAL = range(4)


def test_a_wall_across_the_maze_shuts_the_goal_off_until_there_is_a_gap():
    task = EDITOR.blank()
    for row in range(0, 21, 2):
        task = EDITOR.painted(task, WALL, 1, row)
    assert task.vertical_walls[:, 0].all() and task.vertical_walls.sum() == 11 and not task.horizontal_walls.any()
    assert SPACE.solve(task) is None
    assert EDITOR.why_unsolvable(task) == "walls cut the goal off from the start"
    assert EDITOR.label(task, 1, 0) == "wall"
    task = EDITOR.painted(task, GAP, 1, 0)
    assert not task.vertical_walls[10, 0]  # the picture's upper row is the maze's last
    assert EDITOR.label(task, 1, 0) == "gap"
    assert SPACE.solve(task) is not None


def test_a_wall_between_rows():
    task = EDITOR.painted(EDITOR.blank(), WALL, 4, 19)
    assert np.argwhere(task.horizontal_walls).tolist() == [[0, 2]]
    assert EDITOR.label(task, 4, 19) == "wall"


def test_the_start_and_the_goal_are_put_into_cells():
    task = EDITOR.painted(EDITOR.painted(EDITOR.blank(), GOAL, 0, 0), START, 20, 18)
    assert (task.start.tolist(), task.goal.tolist()) == ([10.0, 1.0], [0.0, 10.0])
    assert (EDITOR.label(task, 20, 18), EDITOR.label(task, 0, 0), EDITOR.label(task, 2, 2)) == ("start", "goal", "cell")
    assert EDITOR.label(EDITOR.painted(task, GOAL, 20, 18), 20, 18) == "start and goal"


PLACES = [(WALL, 0, 0), (GAP, 2, 4), (START, 1, 0), (GOAL, 3, 3), (WALL, 1, 1)]


@pytest.mark.parametrize(("brush", "column", "row"), PLACES)
def test_a_brush_changes_nothing_where_it_does_not_belong(brush, column, row):
    assert EDITOR.painted(EDITOR.blank(), brush, column, row) == EDITOR.blank()


def test_a_start_keeps_off_a_wall_that_is_drawn_later():
    blank = EDITOR.blank()
    task = SPACE.with_parts(blank, {"start": np.array([0.4999, 0.0])})
    task = EDITOR.painted(task, WALL, 1, 20)
    task.validate()
    assert task.start.tolist() == [0.5 - WALL_GAP, 0.0]


def test_every_place_and_brush_is_valid():
    rng, task = np.random.default_rng(0), EDITOR.blank()
    for _ in range(300):
        task = EDITOR.painted(task, int(rng.integers(4)), *rng.integers(21, size=2).tolist())
        task.validate()


def test_a_goal_that_is_too_far():
    """Walls in every row of cells but for one gap, at alternating ends: 120 cells in the way."""
    task = EDITOR.blank()
    for between in range(10):
        for column in range(0, 21, 2):
            if column != (20 if between % 2 else 0):
                task = EDITOR.painted(task, WALL, column, 2 * between + 1)
    task = EDITOR.painted(EDITOR.painted(task, START, 20, 0), GOAL, 20, 20)
    assert SPACE.solve(task) is None
    assert EDITOR.why_unsolvable(task).endswith("cells away, too far for the 50 steps of an episode")
