"""World: the state in which an episode begins, apart from the game that is played in it (section 2.1)."""

from dataclasses import dataclass

from procgen_bench.tasks.xland.worlds.bodies import LATENT_SIZE as LATENT_SIZE
from procgen_bench.tasks.xland.worlds.text import read_fields, write_text
from procgen_bench.tasks.xland.worlds.tiles import floor_height
from procgen_bench.tasks.xland.worlds.validity import check_world
from procgen_bench.tasks.xland.worlds.world_fields import WorldFields


@dataclass(frozen=True, eq=False)
class World(WorldFields):
    """Tiles, light, objects and players: the arrays of :class:`WorldFields`."""

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
