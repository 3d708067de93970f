"""UEDMaze's levels, drawn by hand."""

from typing import ClassVar

import numpy as np

from procgen_bench.engine.level_editor import Layout, PictureEditor
from procgen_bench.envs.sprites import TILE_SIDE
from procgen_bench.tasks.ued_maze.task import DIRECTIONS, EMPTY, SIDE, WALL, UEDMazeTask

_EDGES = tuple(range(TILE_SIDE, (SIDE + 1) * TILE_SIDE + 1, TILE_SIDE))
_FRAME_SIDE = (SIDE + 2) * TILE_SIDE
_TILE_NAMES = {EMPTY: "empty", WALL: "wall"}
_GOAL, _FIRST_AGENT = len(_TILE_NAMES), len(_TILE_NAMES) + 1


class UEDMazeEditor(PictureEditor[UEDMazeTask]):
    """A brush for each type of tile, one for the goal, and one for the agent in each direction."""

    brushes: ClassVar = {
        "Draw": (*_TILE_NAMES.values(), "goal"),
        "Agent": tuple(f"agent, facing {direction}" for direction in DIRECTIONS),
    }
    hint = "Goal and agent move to where they are drawn; no wall is built on them, nor one of them on the other."

    def blank(self) -> UEDMazeTask:
        """No walls, and the agent and the goal in opposite corners."""
        last = SIDE - 1
        walls = np.full((SIDE, SIDE), EMPTY, np.int8)
        return UEDMazeTask(walls, np.array([last, last], np.int8), np.zeros(3, np.int8))

    def layout(self, task: UEDMazeTask) -> Layout:
        """The tiles within the border, of every level alike."""
        return Layout(_FRAME_SIDE, _FRAME_SIDE, _EDGES, _EDGES)

    def painted(self, task: UEDMazeTask, brush: int, column: int, row: int) -> UEDMazeTask:
        """As :meth:`PictureEditor.painted`; a wall under the goal or the agent goes."""
        walls, goal, agent = task.walls.copy(), task.goal, task.agent
        on_goal, on_agent = goal.tolist() == [column, row], agent[:2].tolist() == [column, row]
        if brush in _TILE_NAMES:
            walls[row, column] = EMPTY if on_goal or on_agent else brush
        elif brush == _GOAL and not on_agent:
            walls[row, column], goal = EMPTY, np.array([column, row], np.int8)
        elif brush >= _FIRST_AGENT and not on_goal:
            walls[row, column], agent = EMPTY, np.array([column, row, brush - _FIRST_AGENT], np.int8)
        return UEDMazeTask(walls, goal, agent)

    def label(self, task: UEDMazeTask, column: int, row: int) -> str:
        """What stands there, or the type of the tile."""
        if task.goal.tolist() == [column, row]:
            return "goal"
        x, y, direction = task.agent.tolist()
        if (x, y) == (column, row):
            return f"agent, facing {DIRECTIONS[direction]}"
        return _TILE_NAMES[int(task.walls[row, column])]

    def why_unsolvable(self, task: UEDMazeTask) -> str:
        """Nothing but walls can be in the way."""
        return "walls cut the goal off from the agent"
