"""Places: which cell of the terrain suits several wishes best, and is not far away."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.scripted.routes import cell_at
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT
from procgen_bench.tasks.xland.predicates.camera import EYE_HEIGHT
from procgen_bench.tasks.xland.predicates.ground import ground_obstructs

#: What can be wished for something that is put in a cell:
#:
#: - COLOUR: the floor has a colour,
#: - NEAR: a body is near,
#: - SIGHT: nothing of the ground stands between it and a point,
#: - VIEWED: a camera has it in its picture,
#: - REACH: a player's eye there is between two distances of a point, and sees it,
#: - FAR: as far as possible from a point, up to a distance,
#: - SPOT: as close as possible to a point.
COLOUR, NEAR, SIGHT, VIEWED, REACH, FAR, SPOT = range(7)
#: A wish. Fields:
#:
#: - kind: see above,
#: - negated: whether it is to be otherwise,
#: - x, y, z: of the body or point (metres),
#: - radius, half: of the body NEAR (metres); the greatest and least distance of REACH; the distance of FAR,
#: - colour: of the floor,
#: - rise: height above the floor from which SIGHT is wished (metres),
#: - yaw, pitch: of the camera (radians),
#: - weight: metres of way that it is worth; of FAR and SPOT, by metre.
WISH = np.dtype(
    [
        ("kind", np.int64),
        ("negated", np.bool_),
        *((name, np.float64) for name in ("x", "y", "z", "radius", "half")),
        ("colour", np.int64),
        *((name, np.float64) for name in ("rise", "yaw", "pitch", "weight")),
    ],
    align=True,
)
#: Surfaces are near for certain up to this distance (metres), and certainly not from that one on.
_NEAR, _NOT_NEAR = 0.7, 1.4
#: Angles (radians) from a camera's axis up to which it has something in its picture for certain, and from which on it
#: has not.
_IN_VIEW, _OUT_OF_VIEW = 0.45, 0.95
#: Metres that something is taken to be wider where it is to be hidden.
_SIDE = 0.15
#: What uneven floor costs an object that is put there (metres of way).
_SLOPE_COST = 4.0


def wish(kind: int, weight: float, negated: bool = False, **fields: float) -> np.ndarray:
    """One wish of a weight in metres of way, to be joined with others: (1,) of dtype ``WISH``, which says what fields
    there are."""
    found = np.zeros(1, WISH)
    found["kind"], found["weight"], found["negated"] = kind, weight, negated
    for name, value in fields.items():
        found[name] = value
    return found


@njit
def best_place(terrain, ground, tolls, distances, wishes, radius, half, rest, is_object):
    """The cell that suits best: little way, and few wishes that are not met.

    Args:
        terrain: Terrain.
        ground: GROUND, the world's.
        tolls: float64 (R, C), metres.
        distances: float64 (R, C), metres of way to the cells; infinite where none leads.
        wishes: WISH (n,).
        radius, half, rest: Of what is put there (metres): to its side, upwards, and its centre above the floor.
        is_object: Whether it is an object, which stays where it is put only on even floor.

    Returns:
        Row, column, cost (metres), and the weight of the wishes that are not met there; row -1 where no way leads
        anywhere.
    """
    best_row, best_column, least, unmet = -1, -1, np.inf, 0.0
    cell = terrain.cell
    for row in range(distances.shape[0]):
        for column in range(distances.shape[1]):
            cost = distances[row, column] + tolls[row, column]
            if not cost < least:
                continue
            if is_object and not terrain.level[row, column]:
                cost += _SLOPE_COST
            x, y, floor = (column + 0.5) * cell[0], (row + 0.5) * cell[1], terrain.heights[row, column]
            missed = 0.0
            for number in range(wishes.shape[0]):
                if not cost < least:
                    break
                one = wishes[number]
                if one.kind == FAR:
                    cost += one.weight * max(0.0, one.radius - math.hypot(x - one.x, y - one.y))
                elif one.kind == SPOT:
                    cost += one.weight * max(0.0, math.hypot(x - one.x, y - one.y) - one.radius)
                elif not _is_met(one, ground, terrain.colours[row, column], x, y, floor, radius, half, rest):
                    cost += one.weight
                    missed += one.weight
            if cost < least:
                best_row, best_column, least, unmet = row, column, cost, missed
    return best_row, best_column, least, unmet


@njit
def _is_met(one, ground, colour, x, y, floor, radius, half, rest):
    """Whether a wish is met at a place on a floor (metres) by something of a size."""
    if one.kind == COLOUR:
        return (colour == one.colour) != one.negated
    if one.kind == NEAR:
        aside = max(math.hypot(x - one.x, y - one.y) - radius - one.radius, 0.0)
        above = max(abs(floor + rest - one.z) - half - one.half, 0.0)
        gap = math.hypot(aside, above)
        return gap > _NOT_NEAR if one.negated else gap < _NEAR
    if one.kind == SIGHT:
        return (not ground_obstructs(ground, x, y, floor + one.rise, one.x, one.y, one.z)) != one.negated
    if one.kind == REACH:
        away = math.sqrt((x - one.x) ** 2 + (y - one.y) ** 2 + (floor + EYE_HEIGHT - one.z) ** 2)
        if away > one.radius or away < one.half:
            return False
        return not ground_obstructs(ground, x, y, floor + EYE_HEIGHT, one.x, one.y, one.z)
    return _is_viewed(one, ground, x, y, floor + rest, radius + _SIDE, half) != one.negated


@njit
def _is_viewed(one, ground, x, y, z, radius, half):
    """Whether a camera has something in its picture: for certain, or, where that is to be avoided, perhaps."""
    limit = _OUT_OF_VIEW if one.negated else _IN_VIEW
    away = math.hypot(x - one.x, y - one.y)
    if away < 0.4:
        return one.negated
    turned = math.atan2(y - one.y, x - one.x) - one.yaw
    turned -= 2 * math.pi * math.floor((turned + math.pi) / (2 * math.pi))
    if abs(turned) > limit:
        return False
    if not one.negated and abs(math.atan2(z - one.z, away) - one.pitch) > 0.4:
        return False
    if not ground_obstructs(ground, one.x, one.y, one.z, x, y, z):
        return True
    if not one.negated:
        return False
    # Its top, and its sides as the camera has them.
    east, north = radius * (y - one.y) / away, radius * (one.x - x) / away
    return not (
        ground_obstructs(ground, one.x, one.y, one.z, x, y, z + half)
        and ground_obstructs(ground, one.x, one.y, one.z, x + east, y + north, z)
        and ground_obstructs(ground, one.x, one.y, one.z, x - east, y - north, z)
    )


@njit
def nearest_cell(distances, cell, x, y):
    """Metres of way to a point: to its cell, or to the neighbouring one to which the way is shortest."""
    row, column = cell_at(cell, distances.shape, x, y)
    least = np.inf
    for other_row in range(max(row - 1, 0), min(row + 2, distances.shape[0])):
        for other_column in range(max(column - 1, 0), min(column + 2, distances.shape[1])):
            least = min(least, distances[other_row, other_column])
    return least


#: Heights above the floor (metres) of a player's eye and of its centre.
EYE_RISE, CENTRE_RISE = EYE_HEIGHT, PLAYER_HEIGHT / 2
