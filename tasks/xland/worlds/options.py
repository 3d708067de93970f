"""What can be chosen about generated worlds."""

from collections.abc import Collection
from dataclasses import dataclass, field

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.entities import COLOURS, GADGETS, MAX_PLAYERS, SHAPES
from procgen_bench.tasks.xland.worlds.states import TileWeights
from procgen_bench.tasks.xland.worlds.tiles import NUM_LEVELS

#: The different objects, shape and colour, in the order of their numbers; and how many there are.
OBJECT_KINDS = tuple((shape, colour) for shape in SHAPES for colour in COLOURS)
NUM_OBJECTS = len(OBJECT_KINDS)
#: How floors are coloured, and how objects are grouped.
FLOOR_SCHEMES = ("level", "region")
GROUPINGS = ("none", "shape", "colour")


@dataclass(frozen=True)
class WorldOptions:
    """What a generated world is like; None has it drawn.

    Attributes:
        objects: Number of objects, 0 to 12, all different; at 12 there is one of each shape and colour. By chance: 1 to
            12, evenly.
        including: Objects (shape, colour) that are among them.
        players: Number of players, 1 to 3. By chance: evenly.
        max_level: Highest level of a floor, 0 to 5.
        weights: How likely tiles are, and how coherent.
        symmetry: Chance of a symmetric world, 0 to 1.
        floors: Colours of floors by ``"level"`` or by ``"region"``. By chance: evenly.
        grouping: Objects lie independently (``"none"``) or in groups by ``"shape"`` or ``"colour"``. By chance:
            evenly.
        gadgets: The gadgets that a player may have; each player's is drawn evenly.
        playable: Least fraction of the tiles that the playable area has, 0 to 1 (in section 3.1.1 it is half).
        tools: Chance, 0 to 1, that one of the world's slabs, if any, is long enough to lean on a ledge, with tiles wide
            enough for it, and if possible such that it opens some. None here; tasks are drawn with a chance
            (:data:`~procgen_bench.tasks.xland.drawing.TOOLS`).
    """

    objects: int | None = NUM_OBJECTS
    including: Collection[tuple[str, str]] = ()
    players: int | None = None
    max_level: int = NUM_LEVELS - 1
    weights: TileWeights = field(default_factory=TileWeights)
    symmetry: float = 0.2
    floors: str | None = None
    grouping: str | None = None
    gadgets: tuple[str, ...] = GADGETS
    playable: float = 0.5
    tools: float = 0.0

    def check(self) -> None:
        """Raise :class:`InvalidTaskError` unless the options are as documented."""
        for name, low, high in (("objects", 0, NUM_OBJECTS), ("players", 1, MAX_PLAYERS)):
            value = getattr(self, name)
            if value is not None and value not in range(low, high + 1):
                raise InvalidTaskError(name, value, f"an integer in [{low}, {high}], or None")
        for thing in self.including:
            if tuple(thing) not in OBJECT_KINDS:
                raise InvalidTaskError("including", thing, f"a shape of {list(SHAPES)} and a colour of {list(COLOURS)}")
        if self.objects is not None and len(set(self.including)) > self.objects:
            raise InvalidTaskError("objects", self.objects, f"at least the {len(set(self.including))} of 'including'")
        for name in ("symmetry", "playable", "tools"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidTaskError(name, getattr(self, name), "a number in [0, 1]")
        for name, known in (("floors", FLOOR_SCHEMES), ("grouping", GROUPINGS)):
            if getattr(self, name) not in (None, *known):
                raise InvalidTaskError(name, getattr(self, name), f"one of {list(known)}, or None")
        if not self.gadgets or not set(self.gadgets) <= set(GADGETS):
            raise InvalidTaskError("gadgets", self.gadgets, f"one or more of {list(GADGETS)}")
        self.weights.of_states(self.max_level)
