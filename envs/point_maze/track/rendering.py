"""The track drawn from its state: frames with smooth arcs, and text."""

import math
from functools import cache

import numpy as np

from procgen_bench.envs.point_maze.point_simulation import PointSimulation
from procgen_bench.envs.point_maze.rendering import (
    AGENT_COLOUR,
    AGENT_EDGE_COLOUR,
    CLOSED_COLOUR,
    FLOOR_COLOUR,
    FRAME_SIDE,
    GOAL_COLOUR,
    START_COLOUR,
    WALL_COLOUR,
    WALL_HALF,
    cover,
    draw_disc,
)
from procgen_bench.tasks.point_maze.task import GOAL_RADIUS
from procgen_bench.tasks.point_maze.track.ring import END_X, END_Y, INNER_RADIUS, OUTER_RADIUS

#: Pixels per unit; (0, 0) is the frame's centre.
SCALE = 200
_START_RADIUS, _AGENT_RADIUS, _AGENT_EDGE = 0.04, 0.04, 0.01

#: Symbols per unit from left to right and from top to bottom, and from the centre to the text's edges.
_COLUMNS, _LINES = 20, 10
_HALF_COLUMNS, _HALF_LINES = 24, 12


def draw_frame(simulation: PointSimulation, row: int) -> np.ndarray:
    """The track of ``row`` from above: uint8 (544, 544, 3).

    The goal's disc is the region in which it counts as reached; the pale disc is the start, the red one the agent.
    """
    frame = _empty_track().copy()
    _draw_disc(frame, simulation.starts[row], _START_RADIUS, START_COLOUR)
    _draw_disc(frame, simulation.goals[row], GOAL_RADIUS, GOAL_COLOUR)
    _draw_disc(frame, simulation.positions[row], _AGENT_RADIUS, AGENT_EDGE_COLOUR)
    _draw_disc(frame, simulation.positions[row], _AGENT_RADIUS - _AGENT_EDGE, AGENT_COLOUR)
    return frame.round().astype(np.uint8)


def draw_text(simulation: PointSimulation, row: int) -> str:
    """The track of ``row`` as a field of points, with ``S``, ``G`` and ``@`` (the agent) where they are.

    Where they share a place, the goal hides the start and the agent both. The lines below the track tell where exactly
    the agent and the goal are.
    """
    x = np.arange(-_HALF_COLUMNS, _HALF_COLUMNS + 1) / _COLUMNS
    y = np.arange(_HALF_LINES, -_HALF_LINES - 1, -1)[:, np.newaxis] / _LINES
    symbols = np.where(_outside(x, y) <= 0, ".", " ")
    position, goal = simulation.positions[row], simulation.goals[row]
    for symbol, point in (("S", simulation.starts[row]), ("G", goal), ("@", position)):
        column, line = _HALF_COLUMNS + round(point[0] * _COLUMNS), _HALF_LINES - round(point[1] * _LINES)
        symbols[line, column] = symbol
    drawn = ["".join(line).rstrip() for line in symbols]
    return "\n".join([*drawn, f"agent {position[0]:.3f} {position[1]:.3f}", f"goal {goal[0]:.3f} {goal[1]:.3f}"])


@cache
def _empty_track() -> np.ndarray:
    """The track with nothing on it, float64 (544, 544, 3): drawn once, then kept."""
    frame = np.empty((FRAME_SIDE, FRAME_SIDE, 3))
    frame[:] = CLOSED_COLOUR
    pixels = np.arange(FRAME_SIDE) + 0.5 - FRAME_SIDE / 2
    outside = _outside(pixels / SCALE, -pixels[:, np.newaxis] / SCALE) * SCALE
    cover(frame, outside, FLOOR_COLOUR)
    cover(frame, np.abs(outside) - WALL_HALF, WALL_COLOUR)
    frame.setflags(write=False)
    return frame


def _outside(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How far points lie outside the walls of the track (less than 0: inside), nearly, off its corners."""
    radius = np.hypot(x, y)
    beyond_end = np.where(x > 0, x * END_Y - np.abs(y) * END_X, -math.inf)
    return np.maximum(np.maximum(INNER_RADIUS - radius, radius - OUTER_RADIUS), beyond_end)


def _draw_disc(frame: np.ndarray, centre: np.ndarray, radius: float, colour: tuple[int, int, int]) -> None:
    middle = FRAME_SIDE / 2
    draw_disc(frame, middle + centre[0] * SCALE, middle - centre[1] * SCALE, radius * SCALE, colour)
