"""Drawing UEDMaze's levels."""

import numpy as np

from procgen_bench.envs.ued_maze.editor import UEDMazeEditor
from procgen_bench.tasks.ued_maze import UEDMazeTask, UEDMazeTaskSpace

EDITOR = UEDMazeEditor()
BRUSHES = {name: index for index, name in enumerate(EDITOR.brush_names())}


def drawn(*strokes: tuple[str, int, int]) -> UEDMazeTask:
    task = EDITOR.blank()
    for brush, column, row in strokes:
        task = EDITOR.painted(task, BRUSHES[brush], column, row)
        task.validate()
    return task


def test_things_are_where_they_were_drawn():
    task = drawn(("wall", 1, 0), ("agent, facing up", 3, 2), ("goal", 1, 12), ("agent, facing left", 4, 2))
    lines = [".#...........", "." * 13, "....<........", *["." * 13] * 9, ".G..........."]
    assert task.to_text() == "\n".join(lines)
    assert EDITOR.label(task, 1, 0) == "wall" and EDITOR.label(task, 0, 0) == "empty"
    assert EDITOR.label(task, 1, 12) == "goal" and EDITOR.label(task, 4, 2) == "agent, facing left"


def test_goal_and_agent_take_walls_away_and_nothing_takes_them():
    assert drawn(("wall", 5, 5), ("goal", 5, 5)) == drawn(("goal", 5, 5))
    assert drawn(("wall", 5, 5), ("agent, facing down", 5, 5)) == drawn(("agent, facing down", 5, 5))
    assert drawn(("wall", 0, 0), ("wall", 12, 12)) == EDITOR.blank()
    assert drawn(("goal", 0, 0), ("agent, facing up", 12, 12)) == EDITOR.blank()
    assert drawn(("wall", 5, 5), ("empty", 5, 5)) == EDITOR.blank()


def test_every_place_and_brush_is_valid():
    rng, names = np.random.default_rng(0), EDITOR.brush_names()
    drawn(*((names[rng.integers(len(names))], *rng.integers(13, size=2).tolist()) for _ in range(500)))


def test_places_are_the_tiles_of_the_picture():
    layout = EDITOR.layout(EDITOR.blank())
    assert (layout.width, layout.height) == (480, 480)
    assert (layout.columns[0], layout.columns[-1], len(layout.columns)) == (32, 448, 14)
    assert layout.rows == layout.columns


def test_a_goal_behind_walls_is_explained():
    task = drawn(("wall", 1, 0), ("wall", 0, 1))
    assert UEDMazeTaskSpace().solve(task) is None
    assert EDITOR.why_unsolvable(task) == "walls cut the goal off from the agent"
