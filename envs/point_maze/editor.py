"""Point mazes, drawn by hand."""

from typing import ClassVar

import numpy as np

from procgen_bench.engine.level_editor import Layout, PictureEditor
from procgen_bench.envs.point_maze.rendering import CELL_SIDE, FRAME_SIDE, MARGIN
from procgen_bench.tasks.point_maze.solver import path_length
from procgen_bench.tasks.point_maze.space import PointMazeTaskSpace
from procgen_bench.tasks.point_maze.task import HORIZON, PointMazeTask
from procgen_bench.tasks.point_maze.walls import HORIZONTAL_SHAPE, SIDE, VERTICAL_SHAPE, Walls, cell_of

_WALL, _GAP, _START, _GOAL = range(4)
#: Half of the pixels across a place for a wall: more than the wall's own, so that it is easily hit.
_HALF = 8
#: Cells and the places between them in turn: an even place is a cell, an odd one is between two.
_EDGES = (
    MARGIN,
    *(MARGIN + CELL_SIDE * between + offset for between in range(1, SIDE) for offset in (-_HALF, _HALF)),
    MARGIN + CELL_SIDE * SIDE,
)


class PointMazeEditor(PictureEditor[PointMazeTask]):
    """Walls stand between cells; the start and the goal are put into the middle of one.

    Tasks of the track (``kind="track"``) are not drawn.
    """

    brushes: ClassVar = {"Draw": ("wall", "gap", "start", "goal")}
    hint = "Walls and gaps go between two cells, the start and the goal into one."

    def blank(self) -> PointMazeTask:
        """No walls, and the start and the goal in opposite corners."""
        walls = Walls(np.zeros(VERTICAL_SHAPE, np.bool_), np.zeros(HORIZONTAL_SHAPE, np.bool_))
        return PointMazeTask(*walls, np.zeros(2), np.full(2, SIDE - 1.0))

    def layout(self, task: PointMazeTask) -> Layout:
        """Cells and the places between them, of every level alike."""
        return Layout(FRAME_SIDE, FRAME_SIDE, _EDGES, _EDGES)

    def painted(self, task: PointMazeTask, brush: int, column: int, row: int) -> PointMazeTask:
        """As :meth:`PictureEditor.painted`; a start or goal that a new wall comes too close to is moved off it."""
        space = PointMazeTaskSpace()
        params = space.encode(task)
        across, up = _between(column, row)
        if brush in (_START, _GOAL) and not (across or up):
            params["start" if brush == _START else "goal"] = np.array(_cell(column, row), np.float64)
        elif brush in (_WALL, _GAP) and across != up:
            walls = params["vertical_walls" if across else "horizontal_walls"]
            x, y = _cell(column, row)
            walls[y, x] = 1 if brush == _WALL else -1
        return space.decode(params)

    def label(self, task: PointMazeTask, column: int, row: int) -> str:
        """What a cell holds, or whether a wall is between two."""
        across, up = _between(column, row)
        x, y = _cell(column, row)
        if across and up:
            return "corner"
        if across or up:
            return "wall" if (task.vertical_walls if across else task.horizontal_walls)[y, x] else "gap"
        names = [name for name, point in (("start", task.start), ("goal", task.goal)) if cell_of(point) == (x, y)]
        return " and ".join(names) or "cell"

    def why_unsolvable(self, task: PointMazeTask) -> str:
        """Whether walls are in the way, or it is too far."""
        cells = path_length(task)
        if cells is None:
            return "walls cut the goal off from the start"
        return f"the goal is {cells} cells away, too far for the {HORIZON} steps of an episode"


def _between(column: int, row: int) -> tuple[bool, bool]:
    """Whether a place lies between two columns of cells, and between two rows."""
    return column % 2 == 1, row % 2 == 1


def _cell(column: int, row: int) -> tuple[int, int]:
    """The cell (column, row, from the lower left) of a place, or the one to the left of it or below it."""
    return column // 2, SIDE - 1 - (row + 1) // 2
