"""New worlds, worlds like a given one, and worlds for a game (A.1.1).

All randomness comes from the generator that is given, and nothing that it decides depends on the processor: the same
seed gives the same world, bit for bit, in every process.
"""

from collections.abc import Set
from typing import Protocol

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, MAX_PLAYERS, SHAPES
from procgen_bench.tasks.xland.worlds.layouts import draw_floors, draw_tiles, expose_floors, follow_floors, redraw_tiles
from procgen_bench.tasks.xland.worlds.options import FLOOR_SCHEMES, OBJECT_KINDS, WorldOptions
from procgen_bench.tasks.xland.worlds.placement import standing_tiles
from procgen_bench.tasks.xland.worlds.things import (
    OBJECT_SIZES,
    Things,
    add_things,
    draw_light,
    draw_things,
    draw_tile_size,
    has_tool,
    mutate_things,
    place_all,
)
from procgen_bench.tasks.xland.worlds.tools import opened_by
from procgen_bench.tasks.xland.worlds.topology import playable_tiles
from procgen_bench.tasks.xland.worlds.validity import check_side
from procgen_bench.tasks.xland.worlds.wave_function_collapse import NoWorldError
from procgen_bench.tasks.xland.worlds.world import World

#: Tiles that are drawn for one world until it is given up.
MAX_ATTEMPTS = 200
#: The first of these that are left for others where a tool opens no tile.
TOOL_ATTEMPTS = 40


class Needs(Protocol):
    """What a game (:class:`procgen_bench.tasks.xland.games.game.Game`) needs of its world.

    Attributes:
        objects: (shape, colour) pairs of names.
        floors: Names of floors' colours.
        num_players: Number of players.
    """

    @property
    def objects(self) -> Set[tuple[str, str]]: ...  # noqa: D102 - see the class

    @property
    def floors(self) -> Set[str]: ...  # noqa: D102

    @property
    def num_players(self) -> int: ...  # noqa: D102


def generate_world(rng: np.random.Generator, width: int = 9, height: int = 9, **options) -> World:
    """A new world.

    Args:
        rng: The only source of randomness.
        width: Columns, 5 to 15.
        height: Rows, 5 to 15.
        **options: The fields of :class:`~procgen_bench.tasks.xland.worlds.options.WorldOptions`.

    Returns:
        A valid world, all of whose things lie in its playable area.

    Raises:
        InvalidTaskError: A size or an option is not one of those above.
        NoWorldError: No world was found that fits the options.
    """
    check_side("width", width)
    check_side("height", height)
    wanted = WorldOptions(**options)
    wanted.check()
    things = draw_things(rng, wanted)
    tile_size, light = draw_tile_size(rng, things), draw_light(rng)
    for attempt in range(MAX_ATTEMPTS):
        kinds, levels = draw_tiles(rng, width, height, wanted)
        playable = playable_tiles(kinds, levels)
        if np.count_nonzero(playable) / playable.size < wanted.playable:
            continue
        if attempt < TOOL_ATTEMPTS and has_tool(things) and not opened_by(things, kinds, levels, tile_size).any():
            continue
        if not place_all(rng, kinds, levels, tile_size, playable, things):
            continue
        floors = draw_floors(rng, levels, _draw_scheme(rng, wanted))
        return World(kinds, levels, floors, tile_size, light, **things.fields())
    raise NoWorldError(
        f"no world of {width} x {height} tiles holds {len(things)} objects and players after {MAX_ATTEMPTS} attempts: "
        f"ask for fewer things, a smaller playable area than {wanted.playable}, or more coherent tiles"
    )


def mutate(
    world: World, rng: np.random.Generator, strength: float = 0.1, *, needs: Needs | None = None, **options
) -> World:
    """A world like the given one, as section A.1.1 conditions generation on it.

    Tiles are drawn by Wave Function Collapse from a mixture of the old ones and new ones. Latents get Gaussian noise of
    the standard deviation ``strength``. With the chance ``strength`` each thing is placed again, by its new latent, and
    each of these is drawn again: every object's size, yaw, and shape and colour (to ones that the world lacks), every
    player's yaw and gadget, the players' colours, the tiles' size (where a slab becomes a tool, in any case), the light
    and the floors. Things that can no longer
    stand where they were are placed again, too.

    Args:
        world: The old world.
        rng: The only source of randomness.
        strength: 0 (topology and places stay) to 1 (a new world with as many objects and players).
        needs: What a game names: its objects keep shape and colour, so that :func:`condition` need not add them again.
        **options: As for :func:`generate_world`; numbers of objects and players, grouping and symmetry have no effect.

    Returns:
        A valid world of the same shape, all of whose things lie in its playable area, which has the fraction of the
        tiles that ``playable`` asks for, or at least that of the old world.

    Raises:
        InvalidTaskError: ``strength`` or an option is not one of those above.
        NoWorldError: No world was found that fits the options and holds all things.
    """
    if not 0 <= strength <= 1:
        raise InvalidTaskError("strength", strength, "a number in [0, 1]")
    wanted = WorldOptions(**options)
    wanted.check()
    things = mutate_things(rng, Things.of(world), strength, wanted, [] if needs is None else _read_needs(needs)[0])
    stay = rng.random(len(things)) >= strength
    grows = (things.object_sizes > np.maximum(world.object_sizes, OBJECT_SIZES[1])).any()
    tile_size = draw_tile_size(rng, things) if rng.random() < strength or grows else world.tile_size
    light = draw_light(rng) if rng.random() < strength else world.light
    scheme = _draw_scheme(rng, wanted) if rng.random() < strength else None
    least = min(wanted.playable, playable_tiles(world.kinds, world.levels).mean())
    for _ in range(MAX_ATTEMPTS):
        kinds, levels = redraw_tiles(rng, world.kinds, world.levels, strength, wanted)
        playable = playable_tiles(kinds, levels)
        if playable.mean() < least or not place_all(rng, kinds, levels, tile_size, playable, things, stay):
            continue
        floors = draw_floors(rng, levels, scheme) if scheme else follow_floors(rng, world.floors, world.levels, levels)
        return World(kinds, levels, floors, tile_size, light, **things.fields())
    raise NoWorldError(
        f"no mutation of strength {strength} after {MAX_ATTEMPTS} attempts that holds all things in a playable area of "
        f"{least:.2f} of the tiles"
    )


def condition(world: World, needs: Needs, rng: np.random.Generator) -> World:
    """The world with whatever a game needs present and exposed in the playable area.

    Missing objects and players are added, whatever lies outside the playable area is placed in it, and needed colours
    that no flat tile or ramp of the playable area has are given to a level, to a region, or to a single tile: to the
    first of these that hides no other needed colour. A world that has all of that already comes back equal.

    Args:
        world: The old world.
        needs: What the game names.
        rng: The only source of randomness.

    Raises:
        InvalidTaskError: A name is unknown, there are more than three players, or more floors are needed than the
            playable area has tiles for.
        NoWorldError: The playable area has no room for what is needed.
    """
    objects, floors = _read_needs(needs)
    playable = playable_tiles(world.kinds, world.levels)
    things = add_things(rng, Things.of(world), objects, needs.num_players)
    if not place_all(rng, world.kinds, world.levels, world.tile_size, playable, things, np.ones(len(things), bool)):
        raise NoWorldError(
            f"the playable area of {int(playable.sum())} tiles has no room for all {len(things)} objects and players"
        )
    exposed = standing_tiles(world.kinds, playable, may_ramp=True)
    shown = expose_floors(rng, world.floors, world.levels, exposed, floors)
    return World(world.kinds, world.levels, shown, world.tile_size, world.light, **things.fields())


def _draw_scheme(rng: np.random.Generator, options: WorldOptions) -> str:
    return options.floors or FLOOR_SCHEMES[rng.integers(len(FLOOR_SCHEMES))]


def _read_needs(needs: Needs) -> tuple[list[tuple[int, int]], list[int]]:
    """The needed objects (shape, colour) and floors as places in the tuples of names, in their order."""
    if not isinstance(needs.num_players, int | np.integer) or not 0 <= needs.num_players <= MAX_PLAYERS:
        raise InvalidTaskError("needs.num_players", needs.num_players, f"an integer in [0, {MAX_PLAYERS}]")
    objects, floors = needs.objects, needs.floors
    for unknown in (thing for thing in objects if thing not in OBJECT_KINDS):
        raise InvalidTaskError("needs.objects", unknown, f"a shape of {list(SHAPES)} and a colour of {list(COLOURS)}")
    for floor in (floor for floor in floors if floor not in FLOORS):
        raise InvalidTaskError("needs.floors", floor, f"one of {list(FLOORS)}")
    numbers = [(SHAPES.index(shape), COLOURS.index(colour)) for shape, colour in objects]
    return sorted(numbers), sorted(FLOORS.index(floor) for floor in floors)
