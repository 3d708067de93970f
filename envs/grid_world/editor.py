"""GridWorld's levels, drawn by hand."""

from typing import ClassVar

import numpy as np

from procgen_bench.engine.level_editor import Layout, PictureEditor
from procgen_bench.envs.sprites import TILE_SIDE
from procgen_bench.tasks.grid_world.task import (
    ABSENT,
    EMPTY,
    LAVA,
    START,
    WALL,
    GridWorldLargeTask,
    GridWorldTask,
    object_names,
)
from procgen_bench.tasks.grid_world.unsolvable import why_unsolvable

_TILE_NAMES = {EMPTY: "empty", WALL: "wall", LAVA: "lava"}


class GridWorldEditor(PictureEditor[GridWorldTask]):
    """A brush for each type of tile, then one for each object, of which there is one at most."""

    task_type: ClassVar[type[GridWorldTask]] = GridWorldTask
    brushes: ClassVar = {"Draw": (*_TILE_NAMES.values(), *object_names(GridWorldTask.num_pairs))}
    hint = "The agent starts in the upper left. A key opens the door of its colour."

    def blank(self) -> GridWorldTask:
        """Nothing but empty tiles."""
        side, names = self.task_type.side, object_names(self.task_type.num_pairs)
        return self.task_type(np.zeros((side, side), np.int8), np.full((len(names), 2), ABSENT, np.int8))

    def layout(self, task: GridWorldTask) -> Layout:
        """The tiles within the outer walls, of every level alike."""
        side, map_pixels = self.task_type.side, (self.task_type.side + 2) * TILE_SIDE
        edges = tuple(range(TILE_SIDE, (side + 1) * TILE_SIDE + 1, TILE_SIDE))
        return Layout(map_pixels, map_pixels, edges, edges)

    def painted(self, task: GridWorldTask, brush: int, column: int, row: int) -> GridWorldTask:
        """As :meth:`PictureEditor.painted`: what was at the place goes, and an object leaves the place where it was."""
        tiles, objects = task.tiles.copy(), task.objects.copy()
        place = column + 1, row + 1
        objects[(objects == place).all(axis=1)] = ABSENT
        tiles[row, column] = brush if brush in _TILE_NAMES else EMPTY
        if brush not in _TILE_NAMES:
            objects[brush - len(_TILE_NAMES)] = place
        return self.task_type(tiles, objects)

    def label(self, task: GridWorldTask, column: int, row: int) -> str:
        """The object there, or the type of the tile."""
        place = column + 1, row + 1
        names = [name for name, at in zip(object_names(task.num_pairs), task.objects.tolist()) if tuple(at) == place]
        start = ", start" if place == START else ""
        return (names or [_TILE_NAMES[int(task.tiles[row, column])]])[0] + start

    def why_unsolvable(self, task: GridWorldTask) -> str:
        """See :func:`~procgen_bench.tasks.grid_world.unsolvable.why_unsolvable`."""
        return why_unsolvable(task)


class GridWorldLargeEditor(GridWorldEditor):
    """With twelve doors and keys."""

    task_type = GridWorldLargeTask
    brushes: ClassVar = {"Draw": (*_TILE_NAMES.values(), *object_names(GridWorldLargeTask.num_pairs))}
