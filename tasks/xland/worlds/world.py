"""World: the state in which an episode begins, apart from the game that is played in it (section 2.1)."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.task import Task
from procgen_bench.tasks.xland.worlds.bodies import LATENT_SIZE as LATENT_SIZE
from procgen_bench.tasks.xland.worlds.text import read_fields, write_text
from procgen_bench.tasks.xland.worlds.tiles import floor_height
from procgen_bench.tasks.xland.worlds.validity import check_world


@dataclass(frozen=True, eq=False)
class World(Task):
    """Tiles, light, objects and players. Coordinates are those of :mod:`procgen_bench.tasks.xland.worlds.tiles`.

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

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError`, which names the offending tile or thing, unless the world is as documented.

        - 5 to 15 tiles a side, and all arrays of the types, shapes and ranges above.
        - A ramp's low end meets a floor of its level and its high end one of the next level, all along the side;
          neither lies at the border. All else may form a wall.
        - At most three players, of distinct colours.
        - Things lie in the world on flat tiles or ramps, and their footprints not in a wall at a side of their tile.
        """
        check_world(self)

    def floor_height(self, x: float, y: float) -> float:
        """Height of the floor in metres at ``x`` and ``y`` (tiles), which must lie in the world."""
        return floor_height(self.kinds, self.levels, float(x), float(y)) * float(self.tile_size[2])

    def to_text(self) -> str:
        """The world in a form that people read and write; see :mod:`procgen_bench.tasks.xland.worlds.text`."""
        return write_text(self)

    @classmethod
    def from_text(cls, text: str) -> "World":
        """The world that :meth:`to_text` shows, or that a person wrote in its form.

        Raises:
            InvalidTaskError: The text has another form (line and word are named), or shows no valid world.
        """
        world = cls(**read_fields(text))
        world.validate()
        return world
