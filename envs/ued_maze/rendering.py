"""UEDMaze drawn from its state, much as Minigrid draws it: frames of tile sprites, and text."""

from functools import cache

import numpy as np

from procgen_bench.envs.sprites import X, Y, assembled, paint, plain, pointed, rectangle
from procgen_bench.envs.ued_maze.observations import VIEW_SIDE
from procgen_bench.envs.ued_maze.simulation import CompiledSimulation
from procgen_bench.tasks.ued_maze.solver import STEPS
from procgen_bench.tasks.ued_maze.task import SIDE, UEDMazeTask

FLOOR_COLOUR, GRID_LINE_COLOUR, WALL_COLOUR = (0, 0, 0), (70, 70, 70), (100, 100, 100)
GOAL_COLOUR, AGENT_COLOUR = (0, 160, 0), (255, 70, 50)
#: How much lighter what the agent sees is.
HIGHLIGHT = 0.3

_EMPTY, _WALL, _GOAL, _AGENT = 0, 1, 2, 3  # and on, by its direction
_NUM_TILES = _AGENT + 4


def draw_frame(simulation: CompiledSimulation, row: int) -> np.ndarray:
    """The maze of ``row`` and its border from above: uint8 (480, 480, 3), what the agent sees lighter."""
    task, (x, y, direction) = simulation.task(row), simulation.poses[row].tolist()
    goal_x, goal_y = task.goal.tolist()
    tiles = np.pad(task.walls, 1, constant_values=_WALL).astype(np.intp)
    tiles[goal_y + 1, goal_x + 1], tiles[y + 1, x + 1] = _GOAL, _AGENT + direction
    ahead, aside = np.mgrid[:VIEW_SIDE, -(VIEW_SIDE // 2) : VIEW_SIDE // 2 + 1]
    step_x, step_y = STEPS[direction].tolist()
    columns, rows = x + 1 + ahead * step_x - aside * step_y, y + 1 + ahead * step_y + aside * step_x
    is_inside = (columns >= 0) & (rows >= 0) & (columns < SIDE + 2) & (rows < SIDE + 2)
    tiles[rows[is_inside], columns[is_inside]] += _NUM_TILES
    return assembled(_sprites()[tiles])


def draw_text(simulation: CompiledSimulation, row: int) -> str:
    """The maze of ``row`` in the symbols of ``UEDMazeTask.to_text``, its border included."""
    task = simulation.task(row)
    lines = UEDMazeTask(task.walls, task.goal, simulation.poses[row].astype(np.int8)).to_text().splitlines()
    border = "#" * (SIDE + 2)
    return "\n".join([border, *(f"#{line}#" for line in lines), border])


@cache
def _sprites() -> np.ndarray:
    """uint8 (14, 32, 32, 3): every tile, then the same as the agent sees it."""
    floor = paint(plain(FLOOR_COLOUR), (X < 1) | (Y < 1), GRID_LINE_COLOUR)
    bare = [
        floor,
        paint(floor, rectangle(0, 0, 32, 32), WALL_COLOUR),
        paint(floor, rectangle(1, 1, 32, 32), GOAL_COLOUR),
        *(paint(floor, pointed(*step), AGENT_COLOUR) for step in STEPS.tolist()),
    ]
    seen = [sprite + HIGHLIGHT * (255 - sprite) for sprite in bare]
    return np.stack([*bare, *seen]).round().astype(np.uint8)
