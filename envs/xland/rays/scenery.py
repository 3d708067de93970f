"""Scenery: what pictures show of worlds beyond what the predicates read: floors' colours, walls and light."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.envs.xland.colours import FLOOR_COLOURS, PLAYER_COLOURS, WALL_COLOUR
from procgen_bench.envs.xland.rays.faces import CORNERS, faces_of
from procgen_bench.envs.xland.rays.light import brightness, sun
from procgen_bench.envs.xland.rays.marks import SHADOW_DARKNESS
from procgen_bench.tasks.xland.entities import FLOORS, MAX_PLAYERS, PLAYERS
from procgen_bench.tasks.xland.worlds.tiles import TileKind
from procgen_bench.tasks.xland.worlds.world import World

_FLOOR_COLOURS = np.array([FLOOR_COLOURS[name] for name in FLOORS], np.float64)


class Scenery(NamedTuple):
    """What pictures show of M worlds, for rays to read.

    The faces of a world are the first ``num_faces`` of F.

    Attributes:
        num_faces: int64 (M,).
        corners: float64 (M, F, 4, 3), metres, see :func:`~procgen_bench.envs.xland.rays.faces.faces_of`.
        facings: int64 (M, F), which way the faces look.
        paints: float32 (M, F, 3): a face's red, green and blue, 0 to 255, in the light that it has.
        per_sizes: float32 (M, 3): how many tiles to the east, tiles to the north and levels make a metre.
        extents: float64 (M, 3), metres: the world's width and depth, and the height of its highest floor.
        normals: float64 (M, 17, 3), unit normals of what faces in each way.
        shades: float64 (M, 17, 3), brightness of what faces in each way in red, green and blue.
        suns: float64 (M, 2, 3): direction towards the sun, and its brightness in red, green and blue.
        player_colours: float64 (M, 3, 3), of players 1 to 3, 0 to 255.
        shadow_darkness: Of shadows in their middle, 0 (there are none) to 1.
    """

    num_faces: np.ndarray
    corners: np.ndarray
    facings: np.ndarray
    paints: np.ndarray
    per_sizes: np.ndarray
    extents: np.ndarray
    normals: np.ndarray
    shades: np.ndarray
    suns: np.ndarray
    player_colours: np.ndarray
    shadow_darkness: float


def scenery(worlds: Sequence[World]) -> Scenery:
    """The scenery of worlds, in the order of :func:`~procgen_bench.tasks.xland.predicates.states.scene_arrays`.

    Raises:
        InvalidTaskError: There is no world.
    """
    if not worlds:
        raise InvalidTaskError("number of worlds", 0, "at least 1")
    normals = np.array([_normals(world.tile_size) for world in worlds])
    suns = np.array([sun(world.light) for world in worlds])
    shades = np.array([brightness(faced, *light) for faced, light in zip(normals, suns)])
    faces = [faces_of(world.kinds, world.levels, world.tile_size, faced) for world, faced in zip(worlds, normals)]
    num_faces = np.array([len(facings) for _, facings, _ in faces])
    room = len(worlds), num_faces.max()
    corners, paints = np.zeros((*room, CORNERS, 3)), np.zeros((*room, 3), np.float32)
    all_facings, player_colours = np.zeros(room, np.int64), np.zeros((len(worlds), MAX_PLAYERS, 3))
    for m, (world, (places, facings, tiles)) in enumerate(zip(worlds, faces)):
        inside = m, slice(num_faces[m])
        corners[inside], all_facings[inside] = places, facings
        colours = np.append(_FLOOR_COLOURS[world.floors.ravel()], [WALL_COLOUR], axis=0)[tiles]  # -1: the walls
        paints[inside] = colours * shades[m, facings]
        for p, colour in enumerate(world.player_colours.tolist()):
            player_colours[m, p] = PLAYER_COLOURS[PLAYERS[colour]]
    return Scenery(
        num_faces=num_faces,
        corners=corners,
        facings=all_facings,
        paints=paints,
        per_sizes=np.array([1.0 / world.tile_size for world in worlds], np.float32),
        extents=np.array([_extent(world) for world in worlds]),
        normals=normals,
        shades=shades,
        suns=suns,
        player_colours=player_colours,
        shadow_darkness=SHADOW_DARKNESS,
    )


def _extent(world: World) -> tuple[float, float, float]:
    """Width and depth of a world and the height of its highest floor, metres."""
    height, width = world.shape
    highest = (world.levels + (world.kinds != TileKind.FLAT)).max()
    return width * world.tile_size[0], height * world.tile_size[1], highest * world.tile_size[2]


def _normals(tile_size: np.ndarray) -> np.ndarray:
    """Unit normals of what the ground shows: float64 (17, 3), in the order of the numbers above."""
    width, depth, height = tile_size.tolist()
    sides = [(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0)]
    normals = np.array(
        [
            (0, 0, 1),
            (0, -height, depth),  # ramps face away from the side that they rise to
            (-height, 0, width),
            (0, height, depth),
            (height, 0, width),
            (-depth, -width, 0),  # diagonals' cuts face away from their higher corner
            (-depth, width, 0),
            (depth, width, 0),
            (depth, -width, 0),
            *sides,
            *sides,
        ],
        np.float64,
    )
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)
