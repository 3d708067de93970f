"""Where things lie (A.1.1): drawn from the placement network's map, apart from each other and from walls."""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.copying import copy
from procgen_bench.core.streams import advance, output
from procgen_bench.tasks.xland.worlds.placement_network import tile_sums, weigh_tiles
from procgen_bench.tasks.xland.worlds.tiles import TileKind, is_diagonal, is_wall

#: Metres that placed things keep between each other and from the sides of their tile, besides their radii.
GAP = 0.05
#: Places drawn for a thing from its map, and then evenly over the tiles, before it is given up.
MAP_TRIES, EVEN_TRIES = 64, 256
#: Groups: things of no group, and how quickly a tile grows unlikely with the distance (tiles) from a group's first one.
NO_GROUP, CLUSTER_RATE = -1, 1.0

_FLAT = int(TileKind.FLAT)
_SHIFT, _UNIT = np.uint64(11), 2.0**-53


@njit
def standing_tiles(kinds, playable, may_ramp):
    """Tiles of the playable area on which a thing may be put: the flat ones, and ramps if ``may_ramp``: bool (H, W)."""
    stands = np.zeros(kinds.shape, np.bool_)
    for row in range(kinds.shape[0]):
        for column in range(kinds.shape[1]):
            kind = kinds[row, column]
            stands[row, column] = playable[row, column] and not is_diagonal(kind) and (may_ramp or kind == _FLAT)
    return stands


@njit
def place_things(stream, kinds, levels, tile_size, playable, radii, may_ramp, latents, groups, positions, kept):
    """Give every thing a place.

    Args:
        stream: uint64, state of the random stream.
        kinds, levels: int8 (H, W).
        tile_size: float64 (3,), metres.
        playable: bool (H, W).
        radii: float64 (N,), metres.
        may_ramp: bool (N,), whether a thing may be put on ramps.
        latents: float64 (N, 8).
        groups: int64 (N,); things of one group lie near its first one. ``NO_GROUP`` for the others.
        positions: float64 (N, 2), x and y in tiles; filled.
        kept: bool (N,), the things that stay at their positions where they can; becomes the things that did.

    Returns:
        Whether there was a place for everything.
    """
    placed = np.zeros(len(radii), np.bool_)
    for thing in range(len(radii)):
        if kept[thing]:
            stands = standing_tiles(kinds, playable, may_ramp[thing])
            kept[thing] = placed[thing] = _may_stay(thing, kinds, levels, tile_size, stands, radii, positions, placed)
    sums, weights = tile_sums(kinds, levels), np.empty(kinds.shape)
    for thing in range(len(radii)):
        if kept[thing]:
            continue
        stands = standing_tiles(kinds, playable, may_ramp[thing])
        weigh_tiles(sums, latents[thing], stands, weights)
        if groups[thing] != NO_GROUP:
            _cluster(thing, groups, positions, placed, weights)
        stream, placed[thing] = _draw_place(stream, thing, tile_size, weights, radii, positions, placed, MAP_TRIES)
        if not placed[thing]:
            copy(stands, weights)
            stream, placed[thing] = _draw_place(stream, thing, tile_size, weights, radii, positions, placed, EVEN_TRIES)
        if not placed[thing]:
            return False
    return True


@njit
def _may_stay(thing, kinds, levels, tile_size, stands, radii, positions, placed):
    """Whether a thing's present place is one where it can stand, off walls and apart from what is placed."""
    x, y = positions[thing]
    row, column = int(np.floor(y)), int(np.floor(x))
    if not (0 <= row < stands.shape[0] and 0 <= column < stands.shape[1]) or not stands[row, column]:
        return False
    gaps = np.array([(row + 1 - y) * tile_size[1], (column + 1 - x) * tile_size[0], 0.0, 0.0])
    gaps[2], gaps[3] = (y - row) * tile_size[1], (x - column) * tile_size[0]
    for side in range(4):
        if gaps[side] < radii[thing] and is_wall(kinds, levels, row, column, side):
            return False
    return _is_apart(thing, x, y, tile_size, radii, positions, placed, 0.0)


@njit
def _is_apart(thing, x, y, tile_size, radii, positions, placed, gap):
    """Whether at least ``gap`` metres lie between a thing at a place and all that is placed."""
    for other in range(len(radii)):
        if placed[other] and other != thing:
            east, north = (x - positions[other, 0]) * tile_size[0], (y - positions[other, 1]) * tile_size[1]
            least = radii[thing] + radii[other] + gap
            if east * east + north * north < least * least:
                return False
    return True


@njit
def _cluster(thing, groups, positions, placed, weights):
    """Make tiles unlikely that are far from the first thing of the group that has a place."""
    for other in range(len(groups)):
        if placed[other] and groups[other] == groups[thing]:
            for row in range(weights.shape[0]):
                for column in range(weights.shape[1]):
                    east, north = column + 0.5 - positions[other, 0], row + 0.5 - positions[other, 1]
                    closeness = 1.0 / (1.0 + CLUSTER_RATE * (east * east + north * north))
                    weights[row, column] *= closeness * closeness
            return


@njit
def _draw_place(stream, thing, tile_size, weights, radii, positions, placed, tries):
    """Draw places, a tile by weight and a point in it with the thing inside, until one is apart from what is placed."""
    margin_x, margin_y = (radii[thing] + GAP) / tile_size[0], (radii[thing] + GAP) / tile_size[1]
    total = 0.0
    for weight in weights.flat:
        total += weight
    if margin_x > 0.5 or margin_y > 0.5 or not total > 0.0:
        return stream, False
    for _ in range(tries):
        stream, drawn = _uniform(stream)
        row, column = _tile_at(weights, drawn * total)
        stream, across = _uniform(stream)
        stream, along = _uniform(stream)
        x = column + margin_x + across * (1.0 - 2.0 * margin_x)
        y = row + margin_y + along * (1.0 - 2.0 * margin_y)
        if _is_apart(thing, x, y, tile_size, radii, positions, placed, GAP):
            positions[thing] = x, y
            return stream, True
    return stream, False


@njit
def _tile_at(weights, threshold):
    """The tile in which the sum of the weights, row by row, passes the threshold."""
    last_row, last_column = 0, 0
    for row in range(weights.shape[0]):
        for column in range(weights.shape[1]):
            if weights[row, column] > 0.0:
                last_row, last_column = row, column  # rounding may leave the threshold above the last one
                threshold -= weights[row, column]
                if threshold < 0.0:
                    return row, column
    return last_row, last_column


@njit
def _uniform(stream):
    """The stream after one draw, and a float64 in [0, 1)."""
    stream = advance(stream)
    return stream, np.float64(output(stream) >> _SHIFT) * _UNIT
