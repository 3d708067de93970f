"""Terrain: the ground around each player, as a map that turns with it."""

import math

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT
from procgen_bench.tasks.xland.worlds.tiles import surface

#: Points along either side of the map, and how far they are apart (metres): seven metres each way.
TERRAIN_SIDE, TERRAIN_SPACING = 15, 1.0
#: Floor of points outside the world, whose height is 0.
OUTSIDE = -1

_MIDDLE = TERRAIN_SIDE // 2


@njit
def write_terrain(scenes, floors, states, heights, colours):
    """Write the ground around the first players of one state; nothing is checked.

    Row 0 is furthest ahead, column 0 furthest to the left; the player stands in the middle.

    Args:
        scenes, states: ``SceneArrays`` of one world, ``StateArrays`` of one state.
        floors: int8 (rows, columns), the tiles' floors.
        heights: float32 (Q, 15, 15), above the player's feet (metres).
        colours: int8 (Q, 15, 15), places in ``FLOORS``.
    """
    width, depth, level_height = scenes.tile_size[0]
    rows, columns = scenes.extents[0, 0], scenes.extents[0, 1]
    for p in range(heights.shape[0]):
        cos, sin = math.cos(states.player_yaws[0, p]), math.sin(states.player_yaws[0, p])
        x, y, z = states.player_positions[0, p]
        for i in range(TERRAIN_SIDE):
            ahead = TERRAIN_SPACING * (_MIDDLE - i)
            for j in range(TERRAIN_SIDE):
                left = TERRAIN_SPACING * (_MIDDLE - j)
                u, v = (x + cos * ahead - sin * left) / width, (y + sin * ahead + cos * left) / depth
                column, row = math.floor(u), math.floor(v)
                if not (0 <= row < rows and 0 <= column < columns):
                    heights[p, i, j], colours[p, i, j] = 0.0, OUTSIDE
                    continue
                top = surface(scenes.kinds[0, row, column], scenes.levels[0, row, column], u - column, v - row)
                heights[p, i, j] = top * level_height - (z - PLAYER_HEIGHT / 2)
                colours[p, i, j] = floors[row, column]
