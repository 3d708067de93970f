"""Drawing point mazes."""

import numpy as np
import pytest

from procgen_bench.envs.point_maze import rendering
from procgen_bench.envs.point_maze.editor import PointMazeEditor
from procgen_bench.envs.point_maze.rendering import CELL_SIDE, FRAME_SIDE, MARGIN, draw_frame, draw_text
from procgen_bench.tasks.point_maze import PointMazeTask, PointMazeTaskSpace
from procgen_bench.tasks.point_maze.mazes import corridor, default_maze
from procgen_bench.tasks.point_maze.task import WALL_GAP
from tests.tasks.point_maze.makers import ONE_ROW, begun

TASK = PointMazeTask(*default_maze().walls, np.array([0.25, -0.125]), np.array([9.0, 8.75]))


def place(x: float, y: float) -> tuple[int, int]:
    """Row and column of the pixel at a point."""
    return int(MARGIN + (10.5 - y) * CELL_SIDE), int(MARGIN + (x + 0.5) * CELL_SIDE)


def test_frames_are_uint8_and_of_the_documented_size():
    frame = draw_frame(begun([TASK]), 0)
    assert frame.shape == (FRAME_SIDE, FRAME_SIDE, 3) == (544, 544, 3)
    assert frame.dtype == np.uint8


def test_every_wall_is_drawn_and_nothing_where_none_is():
    frame = draw_frame(begun([TASK]), 0)
    for row, column in np.ndindex(10, 9):
        for x, y, wall in (
            (column + 0.5, row, TASK.vertical_walls[row, column]),
            (row, column + 0.5, TASK.horizontal_walls[column, row]),
        ):
            colour = rendering.WALL_COLOUR if wall else rendering.FLOOR_COLOUR
            assert tuple(frame[place(x, y)]) == colour, (x, y)
    for edge in (frame[MARGIN], frame[-MARGIN - 1], frame[:, MARGIN], frame[:, -MARGIN - 1]):
        assert (edge[MARGIN:-MARGIN] == rendering.WALL_COLOUR).all()


def test_discs_are_drawn_where_things_are_and_as_large():
    simulation = begun([TASK])
    simulation.step(np.array([[0.0, 0.9]], np.float32), ONE_ROW)
    frame = draw_frame(simulation, 0)
    for (x, y), colour in (
        (TASK.start, rendering.START_COLOUR),
        (TASK.goal, rendering.GOAL_COLOUR),
        (simulation.positions[0], rendering.AGENT_COLOUR),
    ):
        assert tuple(frame[place(x, y)]) == colour
        rows, columns = np.nonzero((frame == colour).all(axis=-1))
        centre = (rows.mean() + 0.5, columns.mean() + 0.5)
        assert centre == pytest.approx((MARGIN + (10.5 - y) * CELL_SIDE, MARGIN + (x + 0.5) * CELL_SIDE), abs=0.5)
    goal_pixels = (frame == rendering.GOAL_COLOUR).all(axis=-1).sum()
    assert goal_pixels == pytest.approx(np.pi * (0.15 * CELL_SIDE) ** 2, rel=0.2)
    assert len(np.unique(frame.reshape(-1, 3), axis=0)) > 20, "edges of discs are smooth"


def test_drawing_leaves_the_simulation_alone_and_repeats():
    simulation = begun([TASK])
    before = simulation.save_state()
    assert np.array_equal(draw_frame(simulation, 0), draw_frame(simulation, 0))
    draw_text(simulation, 0)
    assert all(np.array_equal(array, before[name]) for name, array in simulation.state_arrays().items())


def test_closed_cells_are_filled():
    frame = draw_frame(begun([corridor(4).draw_task(np.random.default_rng(0))]), 0)
    assert tuple(frame[place(5, 5)]) == tuple(frame[place(4.5, 5)]) == rendering.CLOSED_COLOUR
    assert tuple(frame[place(2, 0.2)]) == rendering.FLOOR_COLOUR
    assert tuple(frame[place(2, 0.5)]) == tuple(frame[place(4.5, 0)]) == rendering.WALL_COLOUR


def test_agents_in_every_corner_are_drawn_within_the_frame():
    for x in (-0.495, 10.495):
        for y in (-0.495, 10.495):
            simulation = begun([PointMazeTask(*TASK.walls, np.array([x, y]), TASK.goal)])
            frame = draw_frame(simulation, 0)
            assert (frame == rendering.AGENT_COLOUR).all(axis=-1).sum() > 20


def test_text_is_the_task_with_start_goal_and_agent():
    simulation = begun([TASK])
    simulation.step(np.array([[0.0, 0.9]], np.float32), ONE_ROW)
    lines = draw_text(simulation, 0).splitlines()
    drawn = TASK.to_text().splitlines()
    marks = {(19, 2): "@", (21, 1): "S", (3, 28): "G"}
    for number, line in enumerate(lines[:23]):
        for column, symbol in enumerate(line):
            assert symbol == marks.get((number, column), drawn[number][column])
    assert lines[23:] == ["agent 0.250 0.775", "goal 9.000 8.750"]


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
