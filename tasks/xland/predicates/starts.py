"""How a world begins: bodies on the floor, objects turned as the ramp that they stand on; and what holds of that."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.entities import PLAYER_RADIUS, PYRAMID, SLAB
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.predicates.bodies import AXIS_HALF, BASE_DEPTH, SLAB_EDGES
from procgen_bench.tasks.xland.predicates.evaluation import evaluate_atoms
from procgen_bench.tasks.xland.predicates.rewards import compile_goals, rewards
from procgen_bench.tasks.xland.predicates.states import States, scene_arrays
from procgen_bench.tasks.xland.worlds.tiles import TileKind, floor_height
from procgen_bench.tasks.xland.worlds.world import World

#: Normals lean by so much to the east and to the north: MuJoCo takes boxes whose edges are exactly parallel, one on
#: the other's edge, for deep in each other, and throws them about.
_ASKEW = 1e-7
_RAMP_NORTH, _RAMP_EAST = int(TileKind.RAMP_NORTH), int(TileKind.RAMP_EAST)
_RAMP_SOUTH, _RAMP_WEST = int(TileKind.RAMP_SOUTH), int(TileKind.RAMP_WEST)


def start_state(world: World) -> States:
    """The one state in which an episode begins: everything at rest on the floor of its tile."""
    states = States.empty(scene_arrays([world]), 1, len(world.player_yaws))
    starts = object_starts(world)
    states.object_positions[0], states.object_rotations[0] = starts[:, :3], starts[:, 3:]
    states.player_positions[0], states.player_yaws[0] = player_starts(world), world.player_yaws
    columns, rows = np.concatenate([world.object_positions, world.player_positions]).astype(np.int64).T
    states.contacts[0, np.arange(len(rows)), world.floors[rows, columns]] = True
    return states


def met_at_the_start(world: World, game: Game) -> np.ndarray:
    """Whose goals are met where an episode begins: bool (P,).

    What lies there stays there while nobody does anything, but for what rolls down a ramp: so most goals that doing
    nothing meets are met at the start.
    """
    goals = compile_goals([game])
    truths = evaluate_atoms(start_state(world), wanted=goals.used_atoms())
    return rewards(truths, goals)[0] > 0


def object_starts(world: World) -> np.ndarray:
    """Centres of mass in metres and rotations (w, x, y, z) of the objects: float64 (K, 7)."""
    starts = np.zeros((len(world.object_shapes), 7))
    shapes, sizes, yaws = np.array(world.object_shapes), np.array(world.object_sizes), np.array(world.object_yaws)
    _place_objects(*_ground(world), np.array(world.object_positions), shapes, sizes, yaws, starts)
    return starts


def player_starts(world: World) -> np.ndarray:
    """Centres of the players in metres: float64 (P, 3)."""
    starts = np.zeros((len(world.player_yaws), 3))
    _place_players(*_ground(world), np.array(world.player_positions), starts)
    return starts


def _ground(world: World) -> tuple[np.ndarray, ...]:
    """Kinds and levels, int8 (H, W), and the tiles' size, float64 (3,): read-only ones would be compiled for again."""
    return np.array(world.kinds), np.array(world.levels), np.array(world.tile_size)


@njit
def _place_objects(kinds, levels, tile_size, positions, shapes, sizes, yaws, starts):
    """Write :func:`object_starts`."""
    foot, normal = np.empty(3), np.empty(3)
    for k in range(len(starts)):
        _find_foot(kinds, levels, tile_size, positions[k], foot, normal)
        for axis in range(3):
            starts[k, axis] = foot[axis] + normal[axis] * _height_of_centre(shapes[k]) * sizes[k]
        # The shortest rotation that turns the vertical into the normal, after one about the vertical.
        x, y, z = normal[0] + _ASKEW, normal[1] + _ASKEW, normal[2]
        w, x, y = 1.0 + z, -y, x
        length = math.sqrt(w * w + x * x + y * y)
        w, x, y = w / length, x / length, y / length
        cos, sin = math.cos(yaws[k] / 2), math.sin(yaws[k] / 2)
        starts[k, 3], starts[k, 4] = w * cos, x * cos + y * sin
        starts[k, 5], starts[k, 6] = y * cos - x * sin, w * sin


@njit
def _place_players(kinds, levels, tile_size, positions, starts):
    """Write :func:`player_starts`."""
    normal = np.empty(3)
    for p in range(len(starts)):
        _find_foot(kinds, levels, tile_size, positions[p], starts[p], normal)
        # The lower ball of an upright capsule touches a slope next to its lowest point.
        starts[p, 2] += PLAYER_RADIUS / normal[2] + AXIS_HALF


@njit
def _height_of_centre(shape):
    """Of the centre of mass above the floor, in sizes."""
    if shape == PYRAMID:
        return BASE_DEPTH
    return SLAB_EDGES[2] / 2 if shape == SLAB else 0.5


@njit
def _find_foot(kinds, levels, tile_size, position, foot, normal):
    """Write the point of the floor at a position in tiles, metres, and the floor's normal there."""
    (x, y), (width, depth, height) = position, tile_size
    foot[0], foot[1], foot[2] = x * width, y * depth, floor_height(kinds, levels, x, y) * height
    kind, east, north = kinds[int(y), int(x)], 0.0, 0.0
    if kind == _RAMP_NORTH:
        north = height / depth
    elif kind == _RAMP_EAST:
        east = height / width
    elif kind == _RAMP_SOUTH:
        north = -height / depth
    elif kind == _RAMP_WEST:
        east = -height / width
    length = math.sqrt(east * east + north * north + 1.0)
    normal[0], normal[1], normal[2] = -east / length, -north / length, 1.0 / length
