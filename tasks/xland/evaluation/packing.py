"""Tasks as arrays of one file: worlds padded to the largest, numbers quantised, goals as literals.

A packed world has no latents. Its lengths are whole millimetres, its angles milliradians, its places thousandths of a
tile: :func:`quantised` gives the world that will come back.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from procgen_bench.tasks.xland.entities import COLOURS, MAX_PLAYERS, SHAPES
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.generation import MAX_CONJUNCTIONS, MAX_OPTIONS
from procgen_bench.tasks.xland.games.literals import read_literals, write_literals
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.bodies import LATENT_SIZE
from procgen_bench.tasks.xland.worlds.validity import GREATEST_SIDE
from procgen_bench.tasks.xland.worlds.world import World

_PER_UNIT = 1000.0
_TILES = ("kinds", "levels", "floors")
_CATEGORIES = ("object_shapes", "object_colours", "player_colours", "player_gadgets")
_NUMBERS = (
    "tile_size",
    "light",
    "object_sizes",
    "object_positions",
    "object_yaws",
    "player_positions",
    "player_yaws",
)
#: Most things of a packed world.
_MOST = {"object": len(SHAPES) * len(COLOURS), "player": MAX_PLAYERS}


def quantised(world: World) -> World:
    """The world as it comes back when it has been packed."""
    return unpack_world(pack_worlds([world]), 0)


def pack_worlds(worlds: Sequence[World]) -> dict[str, np.ndarray]:
    """Arrays of N worlds: int8 tiles and categories, int16 numbers, padded by 0; and int8 (N, 4) ``extents``.

    Extents are rows, columns, and numbers of objects and players.
    """
    arrays = {
        "extents": np.array(
            [(*world.shape, len(world.object_shapes), len(world.player_colours)) for world in worlds], np.int8
        )
    }
    for name in _TILES + _CATEGORIES:
        arrays[name] = _stacked(name, [getattr(world, name) for world in worlds], np.int8)
    for name in _NUMBERS:
        whole = [np.round(getattr(world, name) * _PER_UNIT) for world in worlds]
        arrays[name] = _stacked(name, whole, np.int16)
    return arrays


def unpack_world(arrays: Mapping[str, np.ndarray], place: int) -> World:
    """The world of a place, 0 to N - 1, in the arrays of :func:`pack_worlds`, of their shapes and dtypes."""
    rows, columns, objects, players = arrays["extents"][place].tolist()
    count = {"object": objects, "player": players}
    fields = {name: arrays[name][place, :rows, :columns] for name in _TILES}
    fields |= {name: arrays[name][place, : count[name.partition("_")[0]]] for name in _CATEGORIES}
    for name in _NUMBERS:
        number = arrays[name][place]
        fields[name] = number[: count.get(name.partition("_")[0], len(number))] / _PER_UNIT
    return World(
        **fields, object_latents=np.zeros((objects, LATENT_SIZE)), player_latents=np.zeros((players, LATENT_SIZE))
    )


def pack_games(games: Sequence[Game]) -> dict[str, np.ndarray]:
    """``literals``: int16 (N, 3, 3, 3), see :mod:`procgen_bench.tasks.xland.games.literals`."""
    literals = np.zeros((len(games), MAX_PLAYERS, MAX_OPTIONS, MAX_CONJUNCTIONS), np.int16)
    for of_game, game in zip(literals, games):
        write_literals(game, of_game)
    return {"literals": literals}


def unpack_game(arrays: Mapping[str, np.ndarray], place: int) -> Game:
    """The game of a place, 0 to N - 1, in the array of :func:`pack_games`; :class:`InvalidTaskError` where it is
    none."""
    return read_literals(arrays["literals"][place])


def unpack_task(arrays: Mapping[str, np.ndarray], place: int) -> XLandTask:
    """The task of a place in the arrays of :func:`pack_worlds` and :func:`pack_games`; its co-players are for the
    caller to choose."""
    return XLandTask(unpack_world(arrays, place), unpack_game(arrays, place))


def _stacked(name: str, parts: list[np.ndarray], dtype: type) -> np.ndarray:
    """The parts, padded by 0 at their ends."""
    if name in _TILES:
        shape: tuple[int, ...] = (GREATEST_SIDE, GREATEST_SIDE)
    else:
        thing = name.partition("_")[0]
        most = _MOST[thing] if thing in _MOST else parts[0].shape[0]
        shape = (most, *parts[0].shape[1:])
    stacked: np.ndarray = np.zeros((len(parts), *shape), dtype)
    for padded, part in zip(stacked, parts):
        padded[tuple(slice(length) for length in part.shape)] = part
    return stacked
