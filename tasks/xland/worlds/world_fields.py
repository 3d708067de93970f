"""WorldFields: the arrays that a world is made of, which its text and its checks read."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.core.task import Task


@dataclass(frozen=True, eq=False)
class WorldFields(Task):
    """What a world holds: tiles, light, objects and players.

    Coordinates are those of :mod:`procgen_bench.tasks.xland.worlds.tiles`.

    H and W are the numbers of rows and columns, K and P those of objects and players.

    Attributes:
        kinds: int8 (H, W), :class:`TileKind` of every tile.
        levels: int8 (H, W), 0 to 5.
        floors: int8 (H, W), the floors' colours: places in ``FLOORS``.
        tile_size: float64 (3,), metres: width of a tile (east), depth (north), height of a level.
        light: float64 (4,): azimuth (radians, anticlockwise from the east), elevation (radians), strength (0 to 1)
            and hue (0 to 1).
        object_shapes: int8 (K,), places in ``SHAPES``.
        object_colours: int8 (K,), places in ``COLOURS``.
        object_sizes: float64 (K,), metres: edge of a cube, diameter of a sphere, base and height of a pyramid, longest
            edge of a slab (whose others are half and an eighth of it).
        object_positions: float64 (K, 2), x and y in tiles; objects stand on the floor there.
        object_yaws: float64 (K,), radians anticlockwise from the east.
        object_latents: float64 (K, 8), what decided the objects' places.
        player_colours: int8 (P,), places in ``PLAYERS``; player 1 is the one that is scored.
        player_positions: float64 (P, 2), x and y in tiles.
        player_yaws: float64 (P,), radians anticlockwise from the east.
        player_gadgets: int8 (P,), places in ``GADGETS``.
        player_latents: float64 (P, 8).
    """

    kinds: np.ndarray
    levels: np.ndarray
    floors: np.ndarray
    tile_size: np.ndarray
    light: np.ndarray
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

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.kinds.shape
