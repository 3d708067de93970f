"""The ground of a world and its walls as flat faces, for MuJoCo's pictures."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from procgen_bench.envs.xland.isometric import CORNERS, HALVES
from procgen_bench.envs.xland.rays.faces import PLINTH, WALL_HEIGHT
from procgen_bench.tasks.xland.worlds.tiles import EAST, NORTH, OPPOSITE, SIDE_HEIGHTS, SOUTH, STEPS, WEST, TileKind

#: What lines cross a face: borders between tiles along both axes; or borders along one of them, and levels.
FLOOR, ACROSS_X, ACROSS_Y = range(3)
#: The coordinates (x, y, z) that these lines divide.
LINED_AXES = ((0, 1), (1, 2), (0, 2))

#: The ends of every side of a tile, the west or south one first.
_ENDS = {NORTH: (3, 2), EAST: (1, 2), SOUTH: (0, 1), WEST: (0, 3)}


class GroundFace(NamedTuple):
    """A flat face.

    Attributes:
        corners: float64 (n, 3), tiles to the east, tiles to the north, levels; anticlockwise seen from outside.
        lines: ``FLOOR``, ``ACROSS_X`` or ``ACROSS_Y``.
        tile: Row and column of the tile that it is part of; ``None`` for a wall.
    """

    corners: np.ndarray
    lines: int
    tile: tuple[int, int] | None


def ground_faces(kinds: np.ndarray, levels: np.ndarray, level_height: float) -> Iterator[GroundFace]:
    """Every face of the ground that can be seen, and the walls.

    Args:
        kinds, levels: int8 (rows, columns), see :class:`~procgen_bench.tasks.xland.worlds.world.World`.
        level_height: Metres.
    """
    plinth = -PLINTH / level_height
    for tile in np.ndindex(kinds.shape):
        kind, level = TileKind(int(kinds[tile])), int(levels[tile])
        yield from _upper_faces(tile, kind, level)
        for side in (NORTH, EAST, SOUTH, WEST):
            neighbour = tile[0] + STEPS[side, 0], tile[1] + STEPS[side, 1]
            inside = 0 <= neighbour[0] < kinds.shape[0] and 0 <= neighbour[1] < kinds.shape[1]
            heights = level + SIDE_HEIGHTS[kind, side]
            below = levels[neighbour] + SIDE_HEIGHTS[kinds[neighbour], OPPOSITE[side]] if inside else plinth
            if (heights > below).any():
                yield GroundFace(_side(tile, side, heights, np.min(below)), _lines(side), tile)
    top = float((levels + (kinds != TileKind.FLAT)).max() + WALL_HEIGHT / level_height)
    rows, columns = kinds.shape
    for side, ends in _ENDS.items():
        corners = np.array([(CORNERS[end][0] * columns, CORNERS[end][1] * rows) for end in ends], np.float64)
        yield GroundFace(_upright(corners, np.full(2, top), 0.0, side in (EAST, SOUTH)), _lines(side), None)


def _upper_faces(tile: tuple[int, int], kind: TileKind, level: int) -> Iterator[GroundFace]:
    """A tile's floor, and the upright cut of a diagonal."""
    row, column = tile
    corners = np.array([(column + u, row + v, level) for u, v in CORNERS], np.float64)
    if kind not in HALVES:
        (corners[3, 2], corners[2, 2]), (corners[0, 2], corners[1, 2]) = (
            level + SIDE_HEIGHTS[kind, NORTH],
            level + SIDE_HEIGHTS[kind, SOUTH],
        )
        yield GroundFace(corners, FLOOR, tile)
        return
    higher, lower = HALVES[kind]
    yield GroundFace(corners[list(higher)] + (0, 0, 1), FLOOR, tile)
    yield GroundFace(corners[list(lower)], FLOOR, tile)
    # The cut is the edge that both halves share; the higher half lies to the left of it from begin to end.
    begin, end = next(edge for edge in zip(higher, np.roll(higher, -1).tolist()) if set(edge) <= set(lower))
    low, high = corners[[begin, end]], corners[[begin, end]] + (0, 0, 1)
    yield GroundFace(np.array([low[0], low[1], high[1], high[0]]), FLOOR, tile)


def _side(tile: tuple[int, int], side: int, heights: np.ndarray, bottom: float) -> np.ndarray:
    ends = [(tile[1] + CORNERS[end][0], tile[0] + CORNERS[end][1]) for end in _ENDS[side]]
    return _upright(np.array(ends, np.float64), heights, bottom, side in (NORTH, WEST))


def _upright(ends: np.ndarray, heights: np.ndarray, bottom: float, reverse: bool) -> np.ndarray:
    """Corners of an upright face between two points (x, y), from ``bottom`` to the heights there."""
    (a, b), (high_a, high_b) = ends, heights
    corners = np.array([(*a, bottom), (*b, bottom), (*b, high_b), (*a, high_a)])
    return corners[::-1] if reverse else corners


def _lines(side: int) -> int:
    return ACROSS_X if side in (EAST, WEST) else ACROSS_Y
