"""Worlds of the evaluation, from an open room to mazes (4.2): evolved, collapsed, with islands, with doors.

The paper evolves worlds along with an agent that learns to find an object in them. Here no agent takes part: a world is
kept where its ways are longer than those of the world that it comes from.
"""

from collections.abc import Iterator, Set
from itertools import islice
from typing import NamedTuple

import numpy as np

from procgen_bench.tasks.xland.entities import COLOURS, SHAPES
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.worlds.bodies import LATENT_SIZE
from procgen_bench.tasks.xland.worlds.generation import condition, generate_world, mutate
from procgen_bench.tasks.xland.worlds.layouts import draw_floors
from procgen_bench.tasks.xland.worlds.measures import shortest_paths
from procgen_bench.tasks.xland.worlds.options import FLOOR_SCHEMES
from procgen_bench.tasks.xland.worlds.states import EVOLVING
from procgen_bench.tasks.xland.worlds.symmetry import symmetries
from procgen_bench.tasks.xland.worlds.things import draw_light, draw_tile_size
from procgen_bench.tasks.xland.worlds.topology import playable_area
from procgen_bench.tasks.xland.worlds.world import World

#: Least and greatest number of tiles along a side.
LEAST_SIDE, GREATEST_SIDE = 9, 15
#: Steps of a lineage of evolved worlds, mutations tried for one, and how strong these are.
LINEAGE, TRIES, STRENGTH = 8, 10, 0.6
#: How strongly islands and doors are mutated, and the level of their walls.
TEMPLATE_STRENGTH, WALL = 0.3, 2

ALL_OBJECTS = {(shape, colour) for shape in SHAPES for colour in COLOURS}


class _EvaluationNeeds(NamedTuple):
    """All twelve objects, and what the game needs; see :class:`..worlds.generation.Needs`."""

    objects: Set[tuple[str, str]]
    floors: Set[str]
    num_players: int


def evaluation_tiles(rng: np.random.Generator) -> Iterator[World]:
    """Worlds without things, without end: lineages, and for each as many worlds that are none; half of these collapsed
    from nothing, with few levels and many, a quarter with islands and a quarter with doors."""
    while True:
        yield from _tiles_of_a_round(rng)


def any_evaluation_tiles(rng: np.random.Generator) -> Iterator[World]:
    """Worlds as those of :func:`evaluation_tiles`, without end, of which none has to do with the one before it."""
    while True:
        # Where lineages end early, the place of a world that there is not gives none: every world has the same chance.
        place = int(rng.integers(2 * LINEAGE))
        yield from islice(_tiles_of_a_round(rng), place, place + 1)


def _tiles_of_a_round(rng: np.random.Generator) -> Iterator[World]:
    """A lineage, and eight worlds that are none."""
    yield from evolved_worlds(rng, *_draw_sides(rng))
    for _ in range(LINEAGE // 2):
        width, height = _draw_sides(rng)
        yield generate_world(rng, width, height, objects=0, max_level=int(rng.integers(1, 6)))
    for _ in range(LINEAGE // 4):
        for template in (island(*_draw_sides(rng)), doorway(rng, *_draw_sides(rng))):
            yield mutate(bare_world(rng, template), rng, TEMPLATE_STRENGTH)


def evolved_worlds(rng: np.random.Generator, width: int, height: int) -> Iterator[World]:
    """Mutations of an open room, and of each other: at most eight worlds whose ways grow longer."""
    world = bare_world(rng, np.zeros((height, width), np.int8))
    length = mean_way(world)
    for _ in range(LINEAGE):
        for _ in range(TRIES):
            child = mutate(world, rng, STRENGTH, weights=EVOLVING)
            child_length = mean_way(child)
            if child_length > length:
                world, length = child, child_length
                yield world
                break


def mean_way(world: World) -> float:
    """Mean number of steps of the shortest paths between the tiles of the playable area."""
    inside = playable_area(world).ravel()
    return float(shortest_paths(world)[inside][:, inside].mean())


def island(width: int, height: int) -> np.ndarray:
    """Levels, int8 (H, W), of a world with a hill in its middle."""
    levels = np.zeros((height, width), np.int8)
    levels[height // 3 : -(height // 3), width // 3 : -(width // 3)] = 1
    return levels


def doorway(rng: np.random.Generator, width: int, height: int) -> np.ndarray:
    """Levels, int8 (H, W), of a world with a wall from side to side that has one gap."""
    levels = np.zeros((height, width), np.int8)
    wall = levels[height // 2]
    wall[:] = WALL
    wall[rng.integers(1, width - 1)] = 0
    return levels


def bare_world(rng: np.random.Generator, levels: np.ndarray) -> World:
    """A world of flat tiles at these levels, int8 (H, W), with nothing in it."""
    return _bare(rng, np.zeros_like(levels), levels)


def furnish(rng: np.random.Generator, world: World, game: Game) -> World:
    """A random reflection or rotation of the world's tiles, with all that an evaluation world has, for ``game``.

    That is exactly twelve objects, one of each shape and colour, the game's players with random gadgets, and every
    floor that the game names.

    Raises:
        NoWorldError: The playable area has no room for all of that.
    """
    forms = list(symmetries(world.kinds, world.levels))
    kinds, levels = forms[rng.integers(len(forms))]
    return condition(_bare(rng, kinds, levels), _EvaluationNeeds(ALL_OBJECTS, game.floors, game.num_players), rng)


def _bare(rng: np.random.Generator, kinds: np.ndarray, levels: np.ndarray) -> World:
    floors = draw_floors(rng, levels, FLOOR_SCHEMES[rng.integers(len(FLOOR_SCHEMES))])
    no_number, no_place, no_latent = np.zeros(0), np.zeros((0, 2)), np.zeros((0, LATENT_SIZE))
    no_kind = np.zeros(0, np.int8)
    return World(
        kinds=np.ascontiguousarray(kinds),
        levels=np.ascontiguousarray(levels),
        floors=floors,
        tile_size=draw_tile_size(rng),
        light=draw_light(rng),
        object_shapes=no_kind,
        object_colours=no_kind,
        object_sizes=no_number,
        object_positions=no_place,
        object_yaws=no_number,
        object_latents=no_latent,
        player_colours=no_kind,
        player_positions=no_place,
        player_yaws=no_number,
        player_gadgets=no_kind,
        player_latents=no_latent,
    )


def _draw_sides(rng: np.random.Generator) -> tuple[int, int]:
    width, height = rng.integers(LEAST_SIDE, GREATEST_SIDE + 1, 2).tolist()
    return width, height
