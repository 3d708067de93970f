"""Drawing GridWorld's levels."""

import numpy as np

from procgen_bench.envs.grid_world.editor import GridWorldEditor
from procgen_bench.tasks.grid_world import GridWorldTask

EDITOR = GridWorldEditor()
BRUSHES = {name: index for index, name in enumerate(EDITOR.brush_names())}


def drawn(*strokes: tuple[str, int, int]) -> GridWorldTask:
    task = EDITOR.blank()
    for brush, column, row in strokes:
        task = EDITOR.painted(task, BRUSHES[brush], column, row)
        task.validate()
    return task


def test_tiles_and_objects_are_where_they_were_drawn():
    task = drawn(("wall", 1, 0), ("lava", 7, 7), ("goal", 7, 0), ("door 2", 0, 7), ("key 2", 3, 3))
    lines = [".#.....G", *["........"] * 2, "...b....", *["........"] * 3, "B......~"]
    assert task.to_text() == "\n".join(lines)
    assert EDITOR.label(task, 1, 0) == "wall"
    assert EDITOR.label(task, 0, 7) == "door 2"
    assert EDITOR.label(task, 0, 0) == "empty, start"


def test_an_object_moves_and_what_was_there_goes():
    assert drawn(("goal", 1, 1), ("goal", 2, 1)) == drawn(("goal", 2, 1))
    assert drawn(("key 1", 1, 1), ("goal", 1, 1)) == drawn(("goal", 1, 1))
    assert drawn(("goal", 1, 1), ("lava", 1, 1)) == drawn(("lava", 1, 1))
    assert drawn(("wall", 1, 1), ("goal", 1, 1), ("empty", 1, 1)) == EDITOR.blank()


def test_every_place_and_brush_is_valid():
    rng = np.random.default_rng(0)
    drawn(*((EDITOR.brush_names()[rng.integers(8)], *rng.integers(8, size=2).tolist()) for _ in range(300)))


def test_places_are_the_tiles_of_the_picture():
    layout = EDITOR.layout(EDITOR.blank())
    assert (layout.columns[0], layout.columns[-1], len(layout.columns)) == (32, 288, 9)
    assert layout.rows == layout.columns
