"""Faces: the flat pieces of ground and wall of which pictures of a world are made.

A face is a convex polygon of at most four corners, seen from one side alone. A face is as deep as the lower of the two
floors that it parts, and may reach behind what stands before it.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.worlds.tiles import NORTH, OPPOSITE, SIDE_HEIGHTS, SIDES, STEPS, TileKind, is_diagonal

#: Corners of a face; those with fewer have the last one twice.
CORNERS = 4
#: The walls rise this far above the highest floor (metres).
WALL_HEIGHT = 2.0
#: The ground reaches this far down below level 0 (metres), to be seen from outside.
PLINTH = 0.4

#: Ways that the ground's surfaces face. Flat tops are 0; the slopes of ramps and the cuts of diagonals have the numbers
#: of their tiles' kinds; then come upright sides, by what they face, and walls in the same order.
UPWARDS = 0
SIDE_TO_WEST, SIDE_TO_EAST, SIDE_TO_SOUTH, SIDE_TO_NORTH = range(9, 13)
WALL = 4  # from a side's number to that of the wall that faces the same way
#: What a pixel shows that shows no face; else it is a face's number times 8, and whether lines at the borders of tiles
#: and levels cross the face to the east, to the north and upwards.
SKY = -1
LINES_EAST, LINES_NORTH, LINES_UP, FACE_BITS = np.int32(1), np.int32(2), np.int32(4), np.int32(3)
#: How a tile's side faces, in the order of ``SIDES``.
_FACING = np.array([SIDE_TO_NORTH, SIDE_TO_EAST, SIDE_TO_SOUTH, SIDE_TO_WEST], np.int64)
#: A tile's corners (column, row) at the ends of its sides, in the order of ``SIDE_HEIGHTS``.
_SIDE_ENDS = np.array([[(0, 1), (1, 1)], [(1, 0), (1, 1)], [(0, 0), (1, 0)], [(0, 0), (0, 1)]], np.int64)
#: Faces that a tile has at most: two tops, a cut, four sides.
_MOST = 7
_NO_TILE = -1
#: By kind from the first diagonal on, the ends of its cut and its higher and its lower corner (column, row).
_CUTS = np.array(
    [
        [(0, 1), (1, 0), (1, 1), (0, 0)],
        [(0, 0), (1, 1), (1, 0), (0, 1)],
        [(0, 1), (1, 0), (0, 0), (1, 1)],
        [(0, 0), (1, 1), (0, 1), (1, 0)],
    ],
    np.int64,
)
_FIRST_DIAGONAL = int(TileKind.DIAGONAL_NORTH_EAST)


def faces_of(
    kinds: np.ndarray, levels: np.ndarray, size: np.ndarray, normals: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The faces of a world.

    Args:
        kinds, levels: int8 (H, W), the tiles.
        size: float64 (3,), metres: a tile's width and depth, a level's height.
        normals: float64 (17, 3), of what faces in each way.

    Returns:
        float64 (F, 4, 3), the corners in metres, anticlockwise as seen from before; int64 (F,), which way the faces
        look; int64 (F,), the number of the tile (row by row) that they belong to, -1 for the walls.
    """
    room = _MOST * kinds.size + len(SIDES)
    corners, facings, tiles = np.empty((room, CORNERS, 3)), np.empty(room, np.int64), np.empty(room, np.int64)
    count = _lay(kinds.astype(np.int64), levels.astype(np.int64), size * 1.0, normals, corners, facings, tiles)
    return corners[:count].copy(), facings[:count].copy(), tiles[:count].copy()


@njit
def _lay(kinds, levels, size, normals, corners, facings, tiles):
    """Write the faces, and their number."""
    rows, columns = kinds.shape
    count, highest = 0, 0.0
    for row in range(rows):
        for column in range(columns):
            kind, level = kinds[row, column], levels[row, column]
            top = level if kind == 0 else level + 1
            highest = max(highest, top * size[2])
            tile = row * columns + column
            first = count
            if is_diagonal(kind):
                for part in range(3):
                    for corner in range(CORNERS):
                        end = min(corner, 1)
                        if part < 2:  # the floors: both ends of the cut, and the corner beyond it
                            end, height = (corner, top - part) if corner < 2 else (2 + part, top - part)
                        else:
                            height = top if corner in (1, 2) else level
                            end = 0 if corner < 2 else 1
                        step = _CUTS[kind - _FIRST_DIAGONAL, end]
                        _put(corners[count, corner], column + step[0], row + step[1], height, size)
                    facings[count] = kind if part == 2 else UPWARDS
                    count += 1
            else:
                for corner in range(CORNERS):
                    east, north = (corner == 1) | (corner == 2), corner // 2
                    rise = SIDE_HEIGHTS[kind, NORTH if north else 2, 1 if east else 0]
                    _put(corners[count, corner], column + east, row + north, level + rise, size)
                facings[count] = kind
                count += 1
            for side in range(4):
                count = _lay_side(kinds, levels, row, column, side, size, corners, facings, count)
            for number in range(first, count):
                tiles[number] = tile
    for side in range(4):
        for corner in range(CORNERS):
            end = _SIDE_ENDS[side, 0 if corner in (0, 3) else 1]
            _put(corners[count, corner], end[0] * columns, end[1] * rows, 0, size)
            if corner >= 2:
                corners[count, corner, 2] = highest + WALL_HEIGHT
        facings[count], tiles[count] = WALL + _FACING[OPPOSITE[side]], _NO_TILE
        count += 1
    for number in range(count):
        _turn(corners[number], normals[facings[number]])
    return count


@njit
def _lay_side(kinds, levels, row, column, side, size, corners, facings, count):
    """Write a tile's side where it rises above its neighbour's floor, and the number of faces after it."""
    other_row, other_column = row + STEPS[side, 0], column + STEPS[side, 1]
    level, kind = levels[row, column], kinds[row, column]
    heights = SIDE_HEIGHTS[kind, side]
    inside = (0 <= other_row < kinds.shape[0]) and (0 <= other_column < kinds.shape[1])
    bottom = 0
    if inside:
        other_level = levels[other_row, other_column]
        others = SIDE_HEIGHTS[kinds[other_row, other_column], OPPOSITE[side]]
        if level + heights[0] <= other_level + others[0] and level + heights[1] <= other_level + others[1]:
            return count
        bottom = other_level + min(others[0], others[1])
    for corner in range(CORNERS):
        number = 0 if corner in (0, 3) else 1
        end = _SIDE_ENDS[side, number]
        height = bottom if corner < 2 else level + heights[number]
        _put(corners[count, corner], column + end[0], row + end[1], height, size)
        if corner < 2 and not inside:
            corners[count, corner, 2] = -PLINTH
    facings[count] = _FACING[side]
    return count + 1


@njit(forceinline=True)
def face_code(face, facing):
    """What a pixel shows that shows a face, by which way that looks: lines do not run on what lies in a border."""
    if facing < SIDE_TO_WEST:
        return (face << FACE_BITS) | LINES_EAST | LINES_NORTH
    across_x = (facing - SIDE_TO_WEST) % WALL < SIDE_TO_SOUTH - SIDE_TO_WEST
    return (face << FACE_BITS) | LINES_UP | (LINES_NORTH if across_x else LINES_EAST)


@njit
def _put(corner, column, row, level, size):
    corner[0], corner[1], corner[2] = column * size[0], row * size[1], level * size[2]


@njit
def _turn(corners, normal):
    """Have corners go round anticlockwise as seen from where the normal points."""
    area = 0.0
    first = corners[0]
    for number in range(1, CORNERS - 1):
        one, other = corners[number] - first, corners[number + 1] - first
        area += (one[1] * other[2] - one[2] * other[1]) * normal[0]
        area += (one[2] * other[0] - one[0] * other[2]) * normal[1]
        area += (one[0] * other[1] - one[1] * other[0]) * normal[2]
    if area < 0.0:
        for axis in range(3):
            corners[1, axis], corners[3, axis] = corners[3, axis], corners[1, axis]
