"""The eight symmetries of a grid, and what worlds share with their reflections and rotations."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.worlds.tiles import MIRRORED_EAST_WEST

if TYPE_CHECKING:
    from procgen_bench.tasks.xland.worlds.world import World

#: Number of reflections and rotations.
SYMMETRIES = 8
#: The kind that each kind becomes in a quarter turn clockwise.
TURNED = np.array([0, 2, 3, 4, 1, 6, 7, 8, 5], np.int8)


def symmetries(kinds: np.ndarray, levels: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """``kinds`` and ``levels``, int8 (H, W), in all eight reflections and rotations, (H, W) or (W, H), the first as
    they are."""
    for mirrored in (False, True):
        if mirrored:
            kinds, levels = MIRRORED_EAST_WEST[kinds[:, ::-1]], levels[:, ::-1]
        for _ in range(4):
            yield kinds, levels
            # Rows run to the north, so what NumPy turns anticlockwise on paper turns clockwise here.
            kinds, levels = TURNED[np.rot90(kinds)], np.rot90(levels)


def moved_world(world: "World", form: int) -> "World":
    """The world with all that is in it, reflected and rotated as the tiles of a place (0 to 7) in :func:`symmetries`.

    The light moves along, so that the world looks the same, or as in a mirror, to who is moved with it.
    """
    mirrored, turns = divmod(form, SYMMETRIES // 2)
    kinds, levels = next(islice(symmetries(world.kinds, world.levels), form, None))
    _, floors = next(islice(symmetries(world.kinds, world.floors), form, None))
    azimuth, *light = world.light.tolist()
    width, depth, height = world.tile_size.tolist()
    return replace(
        world,
        kinds=kinds,
        levels=levels,
        floors=floors,
        tile_size=np.array([depth, width, height] if turns % 2 else [width, depth, height]),
        light=np.array([_moved_angles(np.array(azimuth), mirrored, turns), *light]),
        object_positions=_moved_places(world.object_positions, world.shape, mirrored, turns),
        object_yaws=_moved_angles(world.object_yaws, mirrored, turns),
        player_positions=_moved_places(world.player_positions, world.shape, mirrored, turns),
        player_yaws=_moved_angles(world.player_yaws, mirrored, turns),
    )


def _moved_places(places: np.ndarray, shape: tuple[int, int], mirrored: int, turns: int) -> np.ndarray:
    """x and y, float64 (K, 2), after a reflection (or none) and quarter turns clockwise of a world of so many tiles."""
    (x, y), (rows, columns) = places.T, shape
    if mirrored:
        x = columns - x
    for _ in range(turns):
        x, y = y, columns - x
        rows, columns = columns, rows
    return np.stack([x, y], axis=1)


def _moved_angles(angles: np.ndarray, mirrored: int, turns: int) -> np.ndarray:
    """Directions (radians anticlockwise from the east), mirrored and turned; in [-pi, pi)."""
    moved = (np.pi - angles if mirrored else angles) - turns * np.pi / 2
    return (moved + np.pi) % (2 * np.pi) - np.pi


def canonical_world(world: "World") -> str:
    """SHA-256 (hexadecimal) that a world shares with the worlds of its tiles, reflected or rotated, and no others.

    Floors' colours, sizes, objects and players do not matter: worlds that differ in those alone collide.
    """
    rows, columns = world.shape
    # Of two shapes, the one whose text is the lesser; a square has one.
    first, turned = (repr(shape).encode() for shape in ((rows, columns), (columns, rows)))
    parities = np.array([first <= turned, turned <= first])
    form = _least_form(np.array(world.kinds), np.array(world.levels), parities)
    return hashlib.sha256(min(first, turned) + form.tobytes()).hexdigest()


@njit
def _least_form(kinds, levels, parities):
    """The least in the order of their numbers of a grid's reflections and rotations: kinds, then levels, row by row.

    Args:
        kinds, levels: int8 (H, W).
        parities: bool (2,), whether even and odd numbers of quarter turns are among them.

    Returns:
        int8 (2 * H * W,).
    """
    rows, columns = kinds.shape
    size = rows * columns
    least, form, is_first = np.empty(2 * size, np.int8), np.empty(2 * size, np.int8), True
    for mirrored in range(2):
        for turns in range(4):
            if not parities[turns % 2]:
                continue
            height, width = (columns, rows) if turns % 2 else (rows, columns)
            for row in range(height):
                for column in range(width):
                    # Where in the mirrored grid the cell was, before it was turned clockwise (rows run to the north).
                    if turns == 0:
                        old_row, old_column = row, column
                    elif turns == 1:
                        old_row, old_column = column, columns - 1 - row
                    elif turns == 2:
                        old_row, old_column = rows - 1 - row, columns - 1 - column
                    else:
                        old_row, old_column = rows - 1 - column, row
                    if mirrored:
                        kind = MIRRORED_EAST_WEST[kinds[old_row, columns - 1 - old_column]]
                        level = levels[old_row, columns - 1 - old_column]
                    else:
                        kind, level = kinds[old_row, old_column], levels[old_row, old_column]
                    for _ in range(turns):
                        kind = TURNED[kind]
                    form[row * width + column], form[size + row * width + column] = kind, level
            place = 0
            while not is_first and place < 2 * size and form[place] == least[place]:
                place += 1
            if is_first or (place < 2 * size and form[place] < least[place]):
                least[:], is_first = form, False
    return least
