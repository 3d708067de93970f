"""How a world begins: bodies on the floor, objects turned as the ramp that they stand on; and what holds of that."""

import math
from functools import lru_cache

import numpy as np

from procgen_bench.tasks.xland.entities import PLAYER_RADIUS, PYRAMID, SLAB
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.predicates.bodies import AXIS_HALF, BASE_DEPTH, SLAB_EDGES
from procgen_bench.tasks.xland.predicates.evaluation import evaluate_atoms
from procgen_bench.tasks.xland.predicates.rewards import compile_goals, rewards
from procgen_bench.tasks.xland.predicates.states import States, scene_arrays
from procgen_bench.tasks.xland.worlds.tiles import TileKind
from procgen_bench.tasks.xland.worlds.world import World

#: Objects do not begin flat on the floor to the last bit: MuJoCo takes boxes whose edges are exactly parallel, one on
#: the other's edge, for deep in each other, and throws them about.
_ASKEW = np.array([1e-7, 1e-7, 0.0])


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
    for k, start in enumerate(starts):
        foot, normal = _foot_and_normal(world, world.object_positions[k])
        start[:3] = foot + normal * _height_of_centre(int(world.object_shapes[k])) * world.object_sizes[k]
        start[3:] = _multiply(_tilt(*(normal + _ASKEW).tolist()), _turn(float(world.object_yaws[k])))
    return starts


def player_starts(world: World) -> np.ndarray:
    """Centres of the players in metres: float64 (P, 3)."""
    starts = np.zeros((len(world.player_yaws), 3))
    for p, start in enumerate(starts):
        foot, normal = _foot_and_normal(world, world.player_positions[p])
        start[:] = foot
        # The lower ball of an upright capsule touches a slope next to its lowest point.
        start[2] += PLAYER_RADIUS / normal[2] + AXIS_HALF
    return starts


def _height_of_centre(shape: int) -> float:
    """Of the centre of mass above the floor, in sizes."""
    if shape == PYRAMID:
        return BASE_DEPTH
    return SLAB_EDGES[2] / 2 if shape == SLAB else 0.5


def _foot_and_normal(world: World, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The point of the floor at a position in tiles, metres, and the floor's normal there."""
    x, y = position.tolist()
    foot = np.array([x, y, 0.0]) * world.tile_size
    foot[2] = world.floor_height(x, y)
    kind = int(world.kinds[int(y), int(x)])
    width, depth, height = world.tile_size.tolist()
    slopes: dict[int, tuple[float, float]] = {
        TileKind.RAMP_NORTH: (0.0, height / depth),
        TileKind.RAMP_EAST: (height / width, 0.0),
        TileKind.RAMP_SOUTH: (0.0, -height / depth),
        TileKind.RAMP_WEST: (-height / width, 0.0),
    }
    east, north = slopes.get(kind, (0.0, 0.0))
    normal = np.array([-east, -north, 1.0])
    return foot, normal / math.sqrt(east * east + north * north + 1.0)


def _turn(yaw: float) -> np.ndarray:
    return np.array([math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)])


@lru_cache(1024)  # most floors are flat
def _tilt(x: float, y: float, z: float) -> np.ndarray:
    """The shortest rotation that turns the vertical into a vector of length 1."""
    rotation = np.array([1.0 + z, -y, x, 0.0])
    return rotation / math.sqrt(float(rotation @ rotation))


def _multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    w, x, y, z = a.tolist()
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]) @ b
