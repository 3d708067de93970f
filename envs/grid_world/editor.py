"""GridWorld's levels, drawn by hand."""

from typing import ClassVar

import numpy as np

from procgen_bench.engine.level_editor import Layout, PictureEditor
from procgen_bench.envs.sprites import TILE_SIDE
from procgen_bench.tasks.grid_world.task import (
    ABSENT,
    EMPTY,
    LAVA,
    MAP_SIDE,
    NUM_OBJECTS,
    OBJECT_NAMES,
    SIDE,
    START,
    WALL,
    GridWorldTask,
)
from procgen_bench.tasks.grid_world.unsolvable import why_unsolvable

_TILE_NAMES = {EMPTY: "empty", WALL: "wall", LAVA: "lava"}
_EDGES = tuple(range(TILE_SIDE, (SIDE + 1) * TILE_SIDE + 1, TILE_SIDE))


class GridWorldEditor(PictureEditor[GridWorldTask]):
    """A brush for each type of tile, then one for each object, of which there is one at most."""

    brushes: ClassVar = {"Draw": (*_TILE_NAMES.values(), *OBJECT_NAMES)}
    hint = "The agent starts in the upper left. A key opens the door of its colour."

    def blank(self) -> GridWorldTask:
        """Nothing but empty tiles."""
        return GridWorldTask(np.zeros((SIDE, SIDE), np.int8), np.full((NUM_OBJECTS, 2), ABSENT, np.int8))

    def layout(self, task: GridWorldTask) -> Layout:
        """The tiles within the outer walls, of every level alike."""
        return Layout(MAP_SIDE * TILE_SIDE, MAP_SIDE * TILE_SIDE, _EDGES, _EDGES)

    def painted(self, task: GridWorldTask, brush: int, column: int, row: int) -> GridWorldTask:
        """As :meth:`PictureEditor.painted`: what was at the place goes, and an object leaves the place where it was."""
        tiles, objects = task.tiles.copy(), task.objects.copy()
        place = column + 1, row + 1
        objects[(objects == place).all(axis=1)] = ABSENT
        tiles[row, column] = brush if brush in _TILE_NAMES else EMPTY
        if brush not in _TILE_NAMES:
            objects[brush - len(_TILE_NAMES)] = place
        return GridWorldTask(tiles, objects)

    def label(self, task: GridWorldTask, column: int, row: int) -> str:
        """The object there, or the type of the tile."""
        place = column + 1, row + 1
        names = [name for name, at in zip(OBJECT_NAMES, task.objects.tolist()) if tuple(at) == place]
        start = ", start" if place == START else ""
        return (names or [_TILE_NAMES[int(task.tiles[row, column])]])[0] + start

    def why_unsolvable(self, task: GridWorldTask) -> str:
        """See :func:`~procgen_bench.tasks.grid_world.unsolvable.why_unsolvable`."""
        return why_unsolvable(task)
