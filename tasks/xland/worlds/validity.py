"""What makes a world valid; every fault is an error that names the offending tile or thing."""

from collections.abc import Callable

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, GADGETS, MAX_PLAYERS, PLAYERS, SHAPES
from procgen_bench.tasks.xland.worlds.bodies import LATENT_SIZE, object_radii, player_radii
from procgen_bench.tasks.xland.worlds.tiles import (
    NUM_KINDS,
    NUM_LEVELS,
    OPPOSITE,
    RAMP_ENDS,
    SIDE_HEIGHTS,
    SIDES,
    STEPS,
    TileKind,
    is_diagonal,
    is_wall,
)
from procgen_bench.tasks.xland.worlds.world_fields import WorldFields

#: Least and greatest number of tiles along a side of a world.
LEAST_SIDE, GREATEST_SIDE = 5, 15
#: Greatest width of a tile, height of a level and size of an object, in metres.
MAX_METRES = 100.0
_FLAT, _FIRST_RAMP, _LAST_RAMP = int(TileKind.FLAT), int(TileKind.RAMP_NORTH), int(TileKind.RAMP_WEST)


def check_side(name: str, value: int) -> None:
    """Raise :class:`InvalidTaskError` unless ``value`` is a number of tiles that a world may have along a side."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not LEAST_SIDE <= value <= GREATEST_SIDE:
        raise InvalidTaskError(name, value, f"an integer in [{LEAST_SIDE}, {GREATEST_SIDE}]")


def is_valid(validate: Callable[[], None]) -> bool:
    """Whether the ``validate`` of a drawn world or task finds no fault: what has one may be drawn again."""
    try:
        validate()
    except InvalidTaskError:
        return False
    return True


def check_world(world: WorldFields) -> None:
    """Raise :class:`InvalidTaskError` for the first fault of ``world``; see :meth:`World.validate`."""
    _check_forms(world)
    _check_ranges(world)
    check_tiles(world.kinds, world.levels)
    colours = world.player_colours.tolist()
    if len(set(colours)) < len(colours):
        raise InvalidTaskError("player_colours", [PLAYERS[colour] for colour in colours], "distinct colours")
    _check_places(world, "object", world.object_positions, object_radii(world.object_shapes, world.object_sizes))
    _check_places(world, "player", world.player_positions, player_radii(len(world.player_positions)))


def check_tiles(kinds: np.ndarray, levels: np.ndarray) -> None:
    """Raise :class:`InvalidTaskError` unless every ramp of the tiles, ``kinds`` and ``levels`` int8 (H, W), is joined
    to the tile that it leads to."""
    row, column, side = _first_misfit(np.array(kinds), np.array(levels))
    if row < 0:
        return
    kind, level = int(kinds[row, column]), int(levels[row, column])
    name = TileKind(kind).name
    if side < 0:
        raise InvalidTaskError(
            f"levels[{row}, {column}]", level, f"at most {NUM_LEVELS - 2}: a {name} reaches the next level"
        )
    tile, value, height = f"the {name} at [{row}, {column}]", f"level {level}", level + int(SIDE_HEIGHTS[kind, side, 0])
    other_row, other_column = row + int(STEPS[side, 0]), column + int(STEPS[side, 1])
    if not (0 <= other_row < kinds.shape[0] and 0 <= other_column < kinds.shape[1]):
        raise InvalidTaskError(tile, value, f"a neighbour in the {SIDES[side]}, not the border")
    other = kinds[other_row, other_column], OPPOSITE[side]
    ends = (levels[other_row, other_column] + SIDE_HEIGHTS[other]).tolist()
    raise InvalidTaskError(
        tile, value, f"a floor of height {height} all along its {SIDES[side]} side, not from {ends[0]} to {ends[1]}"
    )


@njit
def _first_misfit(kinds, levels):
    """Row, column and side of the first ramp that is not joined; the side is -1 where its level is too high, and the
    row where all is well."""
    rows, columns = kinds.shape
    for row in range(rows):
        for column in range(columns):
            if kinds[row, column] != _FLAT and levels[row, column] == NUM_LEVELS - 1:
                return row, column, -1
    for row in range(rows):
        for column in range(columns):
            kind, level = kinds[row, column], levels[row, column]
            if not _FIRST_RAMP <= kind <= _LAST_RAMP:
                continue
            for side in range(4):
                if not RAMP_ENDS[kind, side]:
                    continue
                other_row, other_column = row + STEPS[side, 0], column + STEPS[side, 1]
                if not (0 <= other_row < rows and 0 <= other_column < columns):
                    return row, column, side
                other, height = kinds[other_row, other_column], level + SIDE_HEIGHTS[kind, side, 0]
                for end in range(2):
                    if levels[other_row, other_column] + SIDE_HEIGHTS[other, OPPOSITE[side], end] != height:
                        return row, column, side
    return -1, -1, -1


def _check_forms(world: WorldFields) -> None:
    """Types and shapes of all arrays."""
    check_array("kinds", world.kinds, np.int8, (None, None))
    rows, columns = world.kinds.shape
    check_side("rows", rows)
    check_side("columns", columns)
    check_array("levels", world.levels, np.int8, (rows, columns))
    check_array("floors", world.floors, np.int8, (rows, columns))
    check_array("tile_size", world.tile_size, np.float64, (3,))
    check_array("light", world.light, np.float64, (4,))
    for thing, categories, numbers in (
        ("object", ("shapes", "colours"), {"sizes": (), "positions": (2,), "yaws": (), "latents": (LATENT_SIZE,)}),
        ("player", ("colours", "gadgets"), {"positions": (2,), "yaws": (), "latents": (LATENT_SIZE,)}),
    ):
        first = getattr(world, f"{thing}_{categories[0]}")
        check_array(f"{thing}_{categories[0]}", first, np.int8, (None,))
        for name in categories[1:]:
            check_array(f"{thing}_{name}", getattr(world, f"{thing}_{name}"), np.int8, first.shape)
        for name, shape in numbers.items():
            check_array(f"{thing}_{name}", getattr(world, f"{thing}_{name}"), np.float64, (*first.shape, *shape))
    if len(world.player_colours) > MAX_PLAYERS:
        raise InvalidTaskError("number of players", len(world.player_colours), f"at most {MAX_PLAYERS}")


def _check_ranges(world: WorldFields) -> None:
    """Values of all arrays, each by itself."""
    inf = np.inf
    for name, least, most in (
        ("kinds", 0, NUM_KINDS - 1),
        ("levels", 0, NUM_LEVELS - 1),
        ("floors", 0, len(FLOORS) - 1),
        ("tile_size", 0.1, MAX_METRES),
        ("light", [-inf, 0.0, 0.0, 0.0], [inf, np.pi / 2, 1.0, 1.0]),
        ("object_shapes", 0, len(SHAPES) - 1),
        ("object_colours", 0, len(COLOURS) - 1),
        ("object_sizes", 0.01, MAX_METRES),
        ("object_yaws", -inf, inf),
        ("object_latents", -inf, inf),
        ("player_colours", 0, len(PLAYERS) - 1),
        ("player_yaws", -inf, inf),
        ("player_gadgets", 0, len(GADGETS) - 1),
        ("player_latents", -inf, inf),
    ):
        array = getattr(world, name)
        inside = (least <= array) & (array <= most) & np.isfinite(array)
        if inside.all():
            continue
        low, high = np.broadcast_to(least, array.shape), np.broadcast_to(most, array.shape)
        for index in np.argwhere(~inside).tolist():
            bounds = f"[{low[tuple(index)]:g}, {high[tuple(index)]:g}]"
            expected = f"a number in {bounds}" if np.isfinite(high[tuple(index)]) else "a finite number"
            raise InvalidTaskError(f"{name}{index}", array[tuple(index)].item(), expected)


def _check_places(world: WorldFields, thing: str, positions: np.ndarray, radii: np.ndarray) -> None:
    """Things lie in the world, on tiles where they can stand, with their bodies off the walls around their tile."""
    rows, columns = world.shape
    for index, ((x, y), radius) in enumerate(zip(positions.tolist(), radii.tolist())):
        name, place = f"{thing}_positions[{index}]", (x, y)
        if not (0 <= x < columns and 0 <= y < rows):
            raise InvalidTaskError(name, place, f"x in [0, {columns}) and y in [0, {rows})")
        row, column = int(y), int(x)
        if is_diagonal(world.kinds[row, column]):
            kind = TileKind(int(world.kinds[row, column])).name
            raise InvalidTaskError(name, place, f"a flat tile or a ramp, not the {kind} at [{row}, {column}]")
        width, depth = float(world.tile_size[0]), float(world.tile_size[1])
        gaps = ((row + 1 - y) * depth, (column + 1 - x) * width, (y - row) * depth, (x - column) * width)
        for side, gap in enumerate(gaps):
            if gap < radius and is_wall(world.kinds, world.levels, row, column, side):
                least = f"at least {radius:.3g} m to the wall in the {SIDES[side]} of tile [{row}, {column}]"
                raise InvalidTaskError(name, place, f"{least}, not {gap:.3g} m")
