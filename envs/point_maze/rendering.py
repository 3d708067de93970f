"""SparsePointMaze drawn from its state: frames with smooth discs between crisp walls, and text."""

import numpy as np

from procgen_bench.envs.point_maze.simulation import PointMazeSimulation
from procgen_bench.tasks.point_maze.task import GOAL_RADIUS
from procgen_bench.tasks.point_maze.walls import DOWN, HIGH, LEFT, LOW, RIGHT, SIDE, UP, cell_of, draw_walls, walls_of

#: Pixels of a cell's side, around the maze, and from a wall's middle to its edge.
CELL_SIDE, MARGIN, WALL_HALF = 48, 8, 2
FRAME_SIDE = SIDE * CELL_SIDE + 2 * MARGIN

FLOOR_COLOUR, CLOSED_COLOUR, WALL_COLOUR = (250, 248, 243), (205, 203, 198), (52, 58, 68)
START_COLOUR, GOAL_COLOUR = (150, 186, 236), (44, 160, 70)
AGENT_COLOUR, AGENT_EDGE_COLOUR = (222, 38, 48), (122, 14, 24)

_START_RADIUS, _AGENT_RADIUS, _AGENT_EDGE = 0.1, 0.1, 0.03
_CLOSED = LEFT | RIGHT | DOWN | UP


def draw_frame(simulation: PointMazeSimulation, row: int) -> np.ndarray:
    """The maze of ``row`` from above: uint8 (544, 544, 3).

    The goal's disc is the region in which it counts as reached; the pale disc is the start, the red one the agent.
    """
    frame = np.empty((FRAME_SIDE, FRAME_SIDE, 3))
    frame[:] = FLOOR_COLOUR
    _draw_cells(frame, simulation.cells[row, 1:-1, 1:-1])
    _draw_disc(frame, simulation.starts[row], _START_RADIUS, START_COLOUR)
    _draw_disc(frame, simulation.goals[row], GOAL_RADIUS, GOAL_COLOUR)
    _draw_disc(frame, simulation.positions[row], _AGENT_RADIUS, AGENT_EDGE_COLOUR)
    _draw_disc(frame, simulation.positions[row], _AGENT_RADIUS - _AGENT_EDGE, AGENT_COLOUR)
    return frame.round().astype(np.uint8)


def draw_text(simulation: PointMazeSimulation, row: int) -> str:
    """The maze of ``row`` as its task's text draws it, with ``S``, ``G`` and ``@`` (the agent) in their cells.

    The lines below the maze tell where exactly the agent and the goal are.
    """
    lines = [list(line) for line in draw_walls(walls_of(simulation.cells[row])).splitlines()]
    position, goal = simulation.positions[row], simulation.goals[row]
    # A cell has room for two symbols: the goal hides the start, the agent hides neither.
    for symbol, point, place in (("S", simulation.starts[row], 1), ("G", goal, 1), ("@", position, 2)):
        column, cell_row = cell_of(point)
        lines[2 * (SIDE - 1 - cell_row) + 1][3 * column + place] = symbol
    drawn = ["".join(line) for line in lines]
    return "\n".join([*drawn, f"agent {position[0]:.3f} {position[1]:.3f}", f"goal {goal[0]:.3f} {goal[1]:.3f}"])


def _draw_cells(frame: np.ndarray, cells: np.ndarray) -> None:
    for y, x in np.argwhere(cells == _CLOSED):
        left, top = _pixel(x - 0.5, y + 0.5)
        frame[top : top + CELL_SIDE, left : left + CELL_SIDE] = CLOSED_COLOUR
    for y, x in np.argwhere(cells != _CLOSED):
        _draw_sides(frame, int(cells[y, x]), *_pixel(x - 0.5, y + 0.5), CELL_SIDE)
    _draw_sides(frame, _CLOSED, MARGIN, MARGIN, SIDE * CELL_SIDE)


def _draw_sides(frame: np.ndarray, sides: int, left: int, top: int, length: int) -> None:
    """Draw those sides of a square that are walls."""
    right, bottom = left + length, top + length
    for side, ends in (
        (LEFT, (left, top, left, bottom)),
        (RIGHT, (right, top, right, bottom)),
        (DOWN, (left, bottom, right, bottom)),
        (UP, (left, top, right, top)),
    ):
        if sides & side:
            _draw_wall(frame, *ends)


def _draw_wall(frame: np.ndarray, left: int, top: int, right: int, bottom: int) -> None:
    frame[top - WALL_HALF : bottom + WALL_HALF, left - WALL_HALF : right + WALL_HALF] = WALL_COLOUR


def _pixel(x: float, y: float) -> tuple[int, int]:
    """Where a corner of a cell lies on the frame, from its upper left."""
    return round(MARGIN + (x - LOW) * CELL_SIDE), round(MARGIN + (HIGH - y) * CELL_SIDE)


def _draw_disc(frame: np.ndarray, centre: np.ndarray, radius: float, colour: tuple[int, int, int]) -> None:
    x, y = MARGIN + (centre[0] - LOW) * CELL_SIDE, MARGIN + (HIGH - centre[1]) * CELL_SIDE
    draw_disc(frame, x, y, radius * CELL_SIDE, colour)


def draw_disc(frame: np.ndarray, x: float, y: float, radius: float, colour: tuple[int, int, int]) -> None:
    """Draw a disc on ``frame`` (float64 (height, width, 3)); its centre and its radius are in pixels."""
    reach = int(np.ceil(radius)) + 1
    left, top = max(int(x) - reach, 0), max(int(y) - reach, 0)
    window = frame[top : int(y) + reach + 1, left : int(x) + reach + 1]
    rows, columns = np.indices(window.shape[:2]) + 0.5
    cover(window, np.hypot(columns + left - x, rows + top - y) - radius, colour)


def cover(frame: np.ndarray, outside: np.ndarray, colour: tuple[int, int, int]) -> None:
    """Cover each pixel of ``frame`` by the share of it that a shape covers, nearly: its edge is one pixel wide.

    Args:
        frame: float64 (height, width, 3).
        outside: (height, width), how far each pixel's centre lies outside the shape, in pixels.
        colour: The shape's.
    """
    frame += np.clip(0.5 - outside, 0, 1)[..., np.newaxis] * (np.array(colour) - frame)
