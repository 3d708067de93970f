"""Compiled rules of GridWorld's layout: where objects appear, and how a uniform layout is drawn."""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.copying import copy
from procgen_bench.core.streams import advance, below, output
from procgen_bench.tasks.grid_world.task import ABSENT, EMPTY, LAVA

_LOW_32_BITS = np.uint64(0xFFFFFFFF)
_HIGH_32_BITS = np.uint64(32)


@njit
def place_objects(cells, tiles, objects):
    """Place objects in their order (goal, doors, keys) on the tiles that they chose.

    An object whose tile is a border wall or is taken by an earlier object does not appear; otherwise the tile becomes
    empty and the object stands there.

    Args:
        cells: int (objects, 2), the x and y on the map (0 to side + 1) that each object chose.
        tiles: int8 (side, side), changed in place.
        objects: int8 (objects, 2), written.
    """
    side = tiles.shape[0]
    for k in range(objects.shape[0]):
        x, y = cells[k, 0], cells[k, 1]
        appears = 1 <= x <= side and 1 <= y <= side
        for j in range(k):
            if objects[j, 0] == x and objects[j, 1] == y:
                appears = False
        if appears:
            objects[k, 0], objects[k, 1] = x, y
            tiles[y - 1, x - 1] = EMPTY
        else:
            objects[k, 0], objects[k, 1] = ABSENT, ABSENT


@njit
def draw_layout(stream, tiles, objects, cells):
    """Draw a layout as decoding uniform parameters would: every tile type, and every object's tile, equally likely.

    Args:
        stream: uint64, the random stream's state.
        tiles, objects: As in :func:`place_objects`, both written.
        cells: int64 (objects, 2), scratch space.

    Returns:
        The stream's state after the draws.
    """
    side = tiles.shape[0]
    for y in range(side):
        for x in range(0, side, 2):
            stream = advance(stream)
            bits = output(stream)
            tiles[y, x] = below(bits & _LOW_32_BITS, 3)
            tiles[y, x + 1] = below(bits >> _HIGH_32_BITS, 3)
    for k in range(objects.shape[0]):
        stream = advance(stream)
        bits = output(stream)
        cells[k, 0] = below(bits & _LOW_32_BITS, side + 2)
        cells[k, 1] = below(bits >> _HIGH_32_BITS, side + 2)
    place_objects(cells, tiles, objects)
    return stream


@njit
def mutate_layout(rng, tiles, objects, cells):
    """Redraw one of the tiles or objects of a layout, each equally likely.

    Args:
        rng: ``numpy.random.Generator``.
        tiles: int8 (side, side), changed in place.
        objects: int8 (objects, 2), changed in place.
        cells: int64 (objects, 2), scratch space.
    """
    side = tiles.shape[0]
    copy(objects, cells)
    changed = rng.integers(0, side * side + objects.shape[0])
    if changed < side * side:
        tiles.flat[changed] = rng.integers(EMPTY, LAVA + 1)
    else:
        for axis in range(2):
            cells[changed - side * side, axis] = rng.integers(0, side + 2)
    place_objects(cells, tiles, objects)


@njit
def are_valid(tiles, objects):
    """Whether :meth:`.GridWorldTask.validate` finds nothing wrong with any of tiles (n, side, side) and objects
    (n, objects, 2)."""
    side = tiles.shape[1]
    for i in range(tiles.shape[0]):
        for y in range(side):
            for x in range(side):
                if not EMPTY <= tiles[i, y, x] <= LAVA:
                    return False
        for k in range(objects.shape[1]):
            x, y = objects[i, k, 0], objects[i, k, 1]
            if x == ABSENT and y == ABSENT:
                continue
            if not (1 <= x <= side and 1 <= y <= side) or tiles[i, y - 1, x - 1] != EMPTY:
                return False
            for j in range(k):
                if objects[i, j, 0] == x and objects[i, j, 1] == y:
                    return False
    return True
