"""The eight symmetries of a grid, and what worlds share with their reflections and rotations."""

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.tasks.xland.worlds.tiles import MIRRORED_EAST_WEST

if TYPE_CHECKING:
    from procgen_bench.tasks.xland.worlds.world import World

#: The kind that each kind becomes in a quarter turn clockwise.
TURNED = np.array([0, 2, 3, 4, 1, 6, 7, 8, 5], np.int8)


def symmetries(kinds: np.ndarray, levels: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The tiles, int8 (H, W), in all eight reflections and rotations, the first as they are."""
    for mirrored in (False, True):
        if mirrored:
            kinds, levels = MIRRORED_EAST_WEST[kinds[:, ::-1]], levels[:, ::-1]
        for _ in range(4):
            yield kinds, levels
            # Rows run to the north, so what NumPy turns anticlockwise on paper turns clockwise here.
            kinds, levels = TURNED[np.rot90(kinds)], np.rot90(levels)


def canonical_world(world: "World") -> str:
    """SHA-256 (hexadecimal) that a world shares with the worlds of its tiles, reflected or rotated, and no others.

    Floors' colours, sizes, objects and players do not matter: worlds that differ in those alone collide.
    """
    forms = (
        repr(kinds.shape).encode() + kinds.tobytes() + levels.tobytes()
        for kinds, levels in symmetries(world.kinds, world.levels)
    )
    return hashlib.sha256(min(forms)).hexdigest()
