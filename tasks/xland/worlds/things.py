"""The objects and players of generated worlds, and the sizes and light besides them: drawn, mutated, placed (A.1.1).

Everything is drawn evenly from ranges, but latents: those are sums of twelve uniform numbers, less 6, which are close
to standard normal numbers and the same on every processor (NumPy's own are not sure to be).
"""

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.tasks.xland.entities import COLOURS, GADGETS, MAX_PLAYERS, SHAPES, SLAB
from procgen_bench.tasks.xland.worlds.bodies import LATENT_SIZE, object_radii, player_radii
from procgen_bench.tasks.xland.worlds.layouts import draw_stream
from procgen_bench.tasks.xland.worlds.options import GROUPINGS, NUM_OBJECTS, OBJECT_KINDS, WorldOptions
from procgen_bench.tasks.xland.worlds.placement import GAP, NO_GROUP, place_things

if TYPE_CHECKING:
    from procgen_bench.tasks.xland.worlds.world import World

#: Least and greatest width and depth of a tile, height of a level (too high to step up), and size of an object, metres.
TILE_WIDTHS, LEVEL_HEIGHTS, OBJECT_SIZES = (2.0, 3.5), (1.0, 1.6), (0.5, 1.0)
#: Least and greatest length (metres) of a slab that is a tool: one leans on a ledge of any level.
TOOL_SIZES = (2.2, 2.8)
#: Least and greatest azimuth, elevation, strength and hue of the light.
LEAST_LIGHT, GREATEST_LIGHT = np.array([[-np.pi, np.pi / 8, 0.5, 0.0], [np.pi, np.pi / 2, 1.0, 1.0]])

#: Position of a thing that has not been placed.
NOWHERE = -1.0


@dataclass
class Things:
    """The fields of a world that tell of objects and players, in the shapes and dtypes of :class:`World`, and
    ``groups``.

    These are the objects' groups, int64 (K,)."""

    object_shapes: np.ndarray
    object_colours: np.ndarray
    object_sizes: np.ndarray
    object_positions: np.ndarray
    object_yaws: np.ndarray
    object_latents: np.ndarray
    player_colours: np.ndarray
    player_positions: np.ndarray
    player_yaws: np.ndarray
    player_gadgets: np.ndarray
    player_latents: np.ndarray
    groups: np.ndarray

    @classmethod
    def of(cls, world: "World") -> "Things":
        """Those of a world, in no groups."""
        names = [field.name for field in fields(cls) if field.name != "groups"]
        groups = np.full(len(world.object_shapes), NO_GROUP, np.int64)
        return cls(**{name: getattr(world, name).copy() for name in names}, groups=groups)

    def fields(self) -> dict[str, np.ndarray]:
        """The fields of a world by name, in the shapes and dtypes of :class:`World`: all but ``groups``."""
        return {name: array for name, array in vars(self).items() if name != "groups"}

    def __len__(self) -> int:
        return len(self.player_yaws) + len(self.object_yaws)

    def kinds(self) -> np.ndarray:
        """Shape and colour of every object as one number below 12: int64 (K,)."""
        return self.object_shapes.astype(np.int64) * len(COLOURS) + self.object_colours


def draw_things(rng: np.random.Generator, options: WorldOptions) -> Things:
    """Objects and players of a new world, nowhere yet."""
    count = rng.integers(1, NUM_OBJECTS + 1) if options.objects is None else options.objects
    included = np.array([OBJECT_KINDS.index(thing) for thing in set(options.including)], np.int64)
    others = _without(rng.permutation(NUM_OBJECTS), included)
    kinds = np.sort(np.concatenate([included, others])[: max(count, len(included))])
    players = rng.integers(1, MAX_PLAYERS + 1) if options.players is None else options.players
    things = _new_things(rng, kinds, rng.permutation(MAX_PLAYERS)[:players], options.gadgets)
    grouping = GROUPINGS[rng.integers(len(GROUPINGS))] if options.grouping is None else options.grouping
    things.object_sizes = _with_tool(rng, things.object_shapes, things.object_sizes, options.tools)
    if grouping != "none":
        members = things.object_shapes if grouping == "shape" else things.object_colours
        things.groups = members.astype(np.int64)
        things.object_latents = _draw_latents(rng, max(len(SHAPES), len(COLOURS)))[members]
    return things


def _new_things(
    rng: np.random.Generator, kinds: np.ndarray, player_colours: np.ndarray, gadgets: tuple[str, ...]
) -> Things:
    """Objects of these kinds (ints below 12) and players of these colours, nowhere yet."""
    objects, players = len(kinds), len(player_colours)
    return Things(
        object_shapes=(kinds // len(COLOURS)).astype(np.int8),
        object_colours=(kinds % len(COLOURS)).astype(np.int8),
        object_sizes=rng.uniform(*OBJECT_SIZES, objects),
        object_positions=np.full((objects, 2), NOWHERE),
        object_yaws=_draw_yaws(rng, objects),
        object_latents=_draw_latents(rng, objects),
        player_colours=player_colours.astype(np.int8),
        player_positions=np.full((players, 2), NOWHERE),
        player_yaws=_draw_yaws(rng, players),
        player_gadgets=_draw_gadgets(rng, players, gadgets),
        player_latents=_draw_latents(rng, players),
        groups=np.full(objects, NO_GROUP, np.int64),
    )


def mutate_things(
    rng: np.random.Generator, things: Things, strength: float, options: WorldOptions, needed: list[tuple[int, int]]
) -> Things:
    """Things like the given ones, at the same places, the ``needed`` objects (shape, colour: ints) among them as they
    were; see :func:`~..generation.mutate`."""
    objects, players = len(things.object_yaws), len(things.player_yaws)
    kinds = _mutate_kinds(rng, things.kinds(), strength, [shape * len(COLOURS) + colour for shape, colour in needed])
    shapes = (kinds // len(COLOURS)).astype(np.int8)
    sizes = _with_tool(rng, shapes, rng.uniform(*OBJECT_SIZES, objects), options.tools)
    colours = rng.permutation(MAX_PLAYERS)[:players] if rng.random() < strength else things.player_colours

    def some_anew(old: np.ndarray, new: np.ndarray) -> np.ndarray:
        return np.where(rng.random(len(old)) < strength, new, old)

    return replace(
        things,
        object_shapes=shapes,
        object_colours=(kinds % len(COLOURS)).astype(np.int8),
        object_sizes=np.where(
            (shapes != SLAB) & (things.object_shapes == SLAB), sizes, some_anew(things.object_sizes, sizes)
        ),
        object_yaws=some_anew(things.object_yaws, _draw_yaws(rng, objects)),
        object_latents=things.object_latents + strength * _draw_latents(rng, objects),
        player_colours=colours.astype(np.int8),
        player_yaws=some_anew(things.player_yaws, _draw_yaws(rng, players)),
        player_gadgets=some_anew(things.player_gadgets, _draw_gadgets(rng, players, options.gadgets)),
        player_latents=things.player_latents + strength * _draw_latents(rng, players),
    )


def has_tool(things: Things) -> bool:
    """Whether a slab is long enough for one."""
    return bool((things.object_sizes[things.object_shapes == SLAB] >= TOOL_SIZES[0]).any())


def _with_tool(rng: np.random.Generator, shapes: np.ndarray, sizes: np.ndarray, chance: float) -> np.ndarray:
    """The sizes, by chance with that of one slab long enough for a tool."""
    slabs = np.flatnonzero(shapes == SLAB)
    if not chance or not len(slabs) or rng.random() >= chance:
        return sizes
    sizes = sizes.copy()
    sizes[slabs[rng.integers(len(slabs))]] = rng.uniform(*TOOL_SIZES)
    return sizes


def _mutate_kinds(rng: np.random.Generator, kinds: np.ndarray, strength: float, needed: list[int]) -> np.ndarray:
    """Kinds of objects, each but the needed with the chance ``strength`` replaced by one that there is not, if any."""
    replaced = (rng.random(len(kinds)) < strength) & ~np.isin(kinds, needed)
    kinds = kinds.copy()
    for index in np.flatnonzero(replaced).tolist():
        absent = np.setdiff1d(np.arange(NUM_OBJECTS), kinds)
        if len(absent):
            kinds[index] = absent[rng.integers(len(absent))]
    return kinds


def add_things(rng: np.random.Generator, things: Things, objects: list[tuple[int, int]], num_players: int) -> Things:
    """The things, and nowhere yet those of the objects (shape, colour: ints) and as many players that are missing."""
    present = set(zip(things.object_shapes.tolist(), things.object_colours.tolist()))
    missing = [shape * len(COLOURS) + colour for shape, colour in objects if (shape, colour) not in present]
    colours = _without(rng.permutation(MAX_PLAYERS), things.player_colours)
    num_missing = max(num_players - len(things.player_colours), 0)
    if not (missing or num_missing):
        return things
    added = _new_things(rng, np.array(missing, np.int64), colours[:num_missing], GADGETS)
    return Things(**{name: np.concatenate([old, getattr(added, name)]) for name, old in vars(things).items()})


def place_all(
    rng: np.random.Generator,
    kinds: np.ndarray,
    levels: np.ndarray,
    tile_size: np.ndarray,
    playable: np.ndarray,
    things: Things,
    stay: np.ndarray | None = None,
) -> bool:
    """Place the things, players first, and whether there was a place for all; ``things`` changes only then.

    The world's tiles are ``kinds`` and ``levels`` (int8 (H, W)), ``tile_size`` (float64 (3,), metres) and ``playable``
    (bool (H, W)).

    Those that ``stay`` (bool (players + objects,)) keep their places if they can stand there.
    """
    players, objects = len(things.player_yaws), len(things.object_yaws)
    positions = np.concatenate([things.player_positions, things.object_positions])
    placed = place_things(
        draw_stream(rng),
        np.array(kinds),  # read-only arrays would be compiled for once more
        np.array(levels),
        np.array(tile_size),
        playable,
        np.concatenate([player_radii(players), object_radii(things.object_shapes, things.object_sizes)]),
        np.arange(players + objects) >= players,  # players begin on flat tiles
        np.concatenate([things.player_latents, things.object_latents]),
        np.concatenate([np.full(players, NO_GROUP, np.int64), things.groups]),
        positions,
        np.zeros(players + objects, bool) if stay is None else stay.copy(),
    )
    if placed:
        things.player_positions, things.object_positions = positions[:players], positions[players:]
    return placed


def draw_tile_size(rng: np.random.Generator, things: Things | None = None) -> np.ndarray:
    """Width, depth and height of tiles, float64 (3,), wide enough for each of the ``things``."""
    radii = object_radii(things.object_shapes, things.object_sizes) if things else np.zeros(0)
    least, most = TILE_WIDTHS
    least = min(max(least, 2.0 * (float(radii.max(initial=0.0)) + GAP)), most)
    return np.array([rng.uniform(least, most), rng.uniform(least, most), rng.uniform(*LEVEL_HEIGHTS)])


def draw_light(rng: np.random.Generator) -> np.ndarray:
    """Azimuth, elevation, strength and hue, float64 (4,)."""
    return rng.uniform(LEAST_LIGHT, GREATEST_LIGHT)


def _without(numbers: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The numbers, all different, each less than how many they are, without some others, in their order."""
    left = np.ones(len(numbers), bool)
    left[others] = False
    return numbers[left[numbers]]


def _draw_latents(rng: np.random.Generator, count: int) -> np.ndarray:
    # Added up one after the other: NumPy's own sum may add in another order on another processor.
    uniforms = rng.random((12, count, LATENT_SIZE))
    latents = np.full((count, LATENT_SIZE), -6.0)
    for summand in uniforms:
        latents += summand
    return latents


def _draw_yaws(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.uniform(-np.pi, np.pi, count)


def _draw_gadgets(rng: np.random.Generator, count: int, gadgets: tuple[str, ...]) -> np.ndarray:
    known = np.array([GADGETS.index(gadget) for gadget in gadgets], np.int8)
    return known[rng.integers(len(known), size=count)]
