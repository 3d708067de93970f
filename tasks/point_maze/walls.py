"""Walls of a maze within 11 x 11 cells: as arrays, as text, as bits per cell; and the points that they leave free.

The centre of cell (column, row) is the point with these coordinates; (0, 0) is the lower left cell. The border of the
maze is always walled, so only the walls between cells are kept.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from procgen_bench.core.errors import InvalidTaskError

#: Cells along a side of the square that all mazes lie in: the longest corridor's.
SIDE = 11
#: Least and greatest coordinate of the maze.
LOW, HIGH = -0.5, SIDE - 0.5
VERTICAL_SHAPE, HORIZONTAL_SHAPE = (SIDE, SIDE - 1), (SIDE - 1, SIDE)

#: Bits of a cell: the walls on its sides.
LEFT, RIGHT, DOWN, UP = 1, 2, 4, 8
#: Cells are kept with a ring around them that no agent enters, so that looking beyond the border needs no check.
PADDED_SIDE = SIDE + 2


class Walls(NamedTuple):
    """The walls between cells.

    Attributes:
        vertical: bool (11, 10), [row, column]: a wall between cells (column, row) and (column + 1, row).
        horizontal: bool (10, 11), [row, column]: a wall between cells (column, row) and (column, row + 1).
    """

    vertical: np.ndarray
    horizontal: np.ndarray


def closed_walls() -> Walls:
    """Every cell closed."""
    return Walls(np.ones(VERTICAL_SHAPE, np.bool_), np.ones(HORIZONTAL_SHAPE, np.bool_))


def open_between(walls: Walls, one: tuple[int, int], other: tuple[int, int]) -> None:
    """Take away the wall between two neighbouring cells (column, row), in place."""
    (column, row), (other_column, _) = sorted((one, other))
    if column != other_column:
        walls.vertical[row, column] = False
    else:
        walls.horizontal[row, column] = False


def cell_bits(walls: Walls) -> np.ndarray:
    """uint8 (13, 13), [row + 1, column + 1]: the walled sides of every cell, inside a ring of cells without walls.

    It is read-only: most levels that are drawn one after the other have the same walls.
    """
    return _cell_bits(walls.vertical.tobytes(), walls.horizontal.tobytes())


@lru_cache(maxsize=1024)
def _cell_bits(vertical: bytes, horizontal: bytes) -> np.ndarray:
    not_vertical = ~np.frombuffer(vertical, np.bool_).reshape(VERTICAL_SHAPE)
    not_horizontal = ~np.frombuffer(horizontal, np.bool_).reshape(HORIZONTAL_SHAPE)
    bits = np.zeros((PADDED_SIDE, PADDED_SIDE), np.uint8)
    inside = bits[1:-1, 1:-1]
    inside[:] = LEFT | RIGHT | DOWN | UP
    inside[:, :-1] -= (RIGHT * not_vertical).astype(np.uint8)
    inside[:, 1:] -= (LEFT * not_vertical).astype(np.uint8)
    inside[:-1] -= (UP * not_horizontal).astype(np.uint8)
    inside[1:] -= (DOWN * not_horizontal).astype(np.uint8)
    bits.flags.writeable = False
    return bits


def walls_of(bits: np.ndarray) -> Walls:
    """The walls that :func:`cell_bits` turned into ``bits``, uint8 (13, 13)."""
    inside = bits[1:-1, 1:-1]
    return Walls(inside[:, :-1] & RIGHT != 0, inside[:-1] & UP != 0)


def cell_of(point: np.ndarray) -> tuple[int, int]:
    """Column and row of the cell that holds ``point``, reals (2,) of any dtype; a point between cells belongs to the
    right or upper one, one outside to the nearest at the border."""
    column, row = (min(max(math.floor(coordinate + 0.5), 0), SIDE - 1) for coordinate in point)
    return column, row


def free_region(bits: np.ndarray, cell: tuple[int, int], margin: float) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest coordinates (float64 (2,) each) in ``cell`` at least ``margin`` cells (0 to 0.5) from its
    walled sides, of which ``bits`` (uint8 (13, 13), see :func:`cell_bits`) tells."""
    column, row = cell
    sides = int(bits[row + 1, column + 1])
    low = [c - (0.5 - margin if sides & side else 0.5) for c, side in ((column, LEFT), (row, DOWN))]
    high = [c + (0.5 - margin if sides & side else 0.5) for c, side in ((column, RIGHT), (row, UP))]
    return np.array(low), np.array(high)


def draw_walls(walls: Walls) -> str:
    """23 lines, the top row of cells first: ``+--+`` and ``|`` where walls are."""
    lines = []
    for row in reversed(range(SIDE)):
        above = walls.horizontal[row] if row < SIDE - 1 else np.ones(SIDE, np.bool_)
        lines.append("+" + "+".join("--" if wall else "  " for wall in above) + "+")
        lines.append("|  " + "".join("|  " if wall else "   " for wall in walls.vertical[row]) + "|")
    return "\n".join([*lines, "+" + "--+" * SIDE])


def read_walls(lines: list[str]) -> Walls:
    """The walls that :func:`draw_walls` draws.

    Raises:
        InvalidTaskError: Not 23 lines, or a symbol that cannot stand where it does.
    """
    if len(lines) != 2 * SIDE + 1:
        raise InvalidTaskError("number of lines of the drawn maze", len(lines), str(2 * SIDE + 1))
    walls = closed_walls()
    for number, line in enumerate(lines):
        row = SIDE - 1 - number // 2
        if number % 2:
            walls.vertical[row] = _read_line(number, line, pieces=("  ", "  "), joints=("|", " "))[1][1:-1]
        else:
            pieces, _ = _read_line(number, line, pieces=("--", "  "), joints=("+", "+"))
            if 0 < number < 2 * SIDE:
                walls.horizontal[row] = pieces
    expected = draw_walls(walls).splitlines()
    for number, (line, drawn) in enumerate(zip(lines, expected), start=1):
        if line != drawn:
            raise InvalidTaskError(f"line {number} of the drawn maze", line, "a closed border")
    return walls


def _read_line(number: int, line: str, pieces: tuple[str, str], joints: tuple[str, str]) -> tuple[list, list]:
    """Which of a line's eleven two-symbol pieces, and of its twelve one-symbol joints, are walls."""
    if len(line) != 3 * SIDE + 1:
        raise InvalidTaskError(f"line {number + 1} of the drawn maze", line, f"{3 * SIDE + 1} symbols")
    found = [line[3 * column + 1 : 3 * column + 3] for column in range(SIDE)], list(line[::3])
    for symbols, known in zip(found, (pieces, joints)):
        for symbol in symbols:
            if symbol not in known:
                expected = " or ".join(repr(one) for one in dict.fromkeys(known))
                raise InvalidTaskError(f"symbol in line {number + 1} of the drawn maze", symbol, expected)
    return [piece == pieces[0] for piece in found[0]], [joint == joints[0] for joint in found[1]]
