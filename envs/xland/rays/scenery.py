"""Scenery: what pictures show of worlds beyond what the predicates read: floors' colours, walls and light."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.envs.xland.colours import FLOOR_COLOURS, PLAYER_COLOURS
from procgen_bench.envs.xland.rays.light import brightness, sun
from procgen_bench.tasks.xland.entities import FLOORS, MAX_PLAYERS, PLAYERS
from procgen_bench.tasks.xland.worlds.tiles import TileKind
from procgen_bench.tasks.xland.worlds.world import World

#: The walls rise this far above the highest floor (metres).
WALL_HEIGHT = 2.0
#: The ground reaches this far down below level 0 (metres), to be seen from outside.
PLINTH = 0.4

#: Ways that the ground's surfaces face. Flat tops are 0; the slopes of ramps and the cuts of diagonals have the numbers
#: of their tiles' kinds; then come upright sides, by what they face, and walls likewise.
UPWARDS = 0
SIDE_TO_WEST, SIDE_TO_EAST, SIDE_TO_SOUTH, SIDE_TO_NORTH = range(9, 13)
WALL = 4  # from a side's number to that of the wall that faces likewise
SKY = -1


class Scenery(NamedTuple):
    """What pictures show of M worlds, for rays to read.

    Tiles have a ring of nothing around them: N = (H + 2) * (W + 2), rows one after the other; tile (row, column) is at
    ``(row + 1) * (W + 2) + column + 1``.

    Attributes:
        kinds: int64 (M, N), ``TileKind``.
        tops: float64 (M, N), metres: the highest point of every tile, minus infinity where there is none.
        colours: float64 (M, N, 3), of floors, 0 to 255.
        stride: W + 2.
        sizes: float64 (M, 3), metres: a tile's width and depth, a level's height.
        extents: float64 (M, 3), metres: the world's width and depth, and the height of its highest floor.
        normals: float64 (M, 17, 3), unit normals of what faces in each way.
        shades: float64 (M, 17, 3), brightness of what faces in each way in red, green and blue.
        suns: float64 (M, 2, 3): direction towards the sun, and its brightness in red, green and blue.
        player_colours: float64 (M, 3, 3), of players 1 to 3, 0 to 255.
    """

    kinds: np.ndarray
    tops: np.ndarray
    colours: np.ndarray
    stride: int
    sizes: np.ndarray
    extents: np.ndarray
    normals: np.ndarray
    shades: np.ndarray
    suns: np.ndarray
    player_colours: np.ndarray


def scenery(worlds: Sequence[World]) -> Scenery:
    """The scenery of worlds, in the order of :func:`~procgen_bench.tasks.xland.predicates.states.scene_arrays`.

    Raises:
        InvalidTaskError: There is no world.
    """
    if not worlds:
        raise InvalidTaskError("number of worlds", 0, "at least 1")
    count = len(worlds)
    rows, columns = (max(lengths) + 2 for lengths in zip(*(world.shape for world in worlds)))
    kinds = np.zeros((count, rows, columns), np.int64)
    tops = np.full((count, rows, columns), -np.inf)
    colours = np.zeros((count, rows, columns, 3))
    extents, suns = np.empty((count, 3)), np.empty((count, 2, 3))
    normals, shades = np.empty((count, 17, 3)), np.empty((count, 17, 3))
    player_colours = np.zeros((count, MAX_PLAYERS, 3))
    floor_colours = np.array([FLOOR_COLOURS[name] for name in FLOORS], np.float64)
    for m, world in enumerate(worlds):
        height, width = world.shape
        inside = m, slice(1, height + 1), slice(1, width + 1)
        kinds[inside] = world.kinds
        tops[inside] = (world.levels + (world.kinds != TileKind.FLAT)) * world.tile_size[2]
        colours[inside] = floor_colours[world.floors]
        extents[m] = width * world.tile_size[0], height * world.tile_size[1], tops[inside].max()
        suns[m] = sun(world.light)
        normals[m] = _normals(world.tile_size)
        shades[m] = brightness(normals[m], *suns[m])
        for p, colour in enumerate(world.player_colours.tolist()):
            player_colours[m, p] = PLAYER_COLOURS[PLAYERS[colour]]
    return Scenery(
        kinds=kinds.reshape(count, -1),
        tops=tops.reshape(count, -1),
        colours=colours.reshape(count, -1, 3),
        stride=columns,
        sizes=np.array([world.tile_size for world in worlds], np.float64),
        extents=extents,
        normals=normals,
        shades=shades,
        suns=suns,
        player_colours=player_colours,
    )


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
