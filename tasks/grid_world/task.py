"""GridWorldTask and GridWorldLargeTask: tiles and objects, checked, and readable as text."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Self

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task

#: Side of the configurable grid, and of the map with its border walls.
SIDE, MAP_SIDE = 8, 10
#: Pairs of a door and its key.
NUM_PAIRS = 2
#: Steps of an episode.
HORIZON = 50
#: The same of GridWorldLarge-v0.
LARGE_SIDE, LARGE_PAIRS, LARGE_HORIZON = 16, 6, 200
#: Where the agent starts: x, y on the map, the upper left of the configurable grid.
START = (1, 1)

EMPTY, WALL, LAVA = 0, 1, 2
#: Objects are the goal, then the doors, then the keys; of the small grid:
GOAL, DOOR_1, DOOR_2, KEY_1, KEY_2 = range(5)
NUM_OBJECTS = 1 + 2 * NUM_PAIRS
#: Coordinate of an object that does not appear.
ABSENT = -1

_TILE_SYMBOLS = ".#~"
_DOOR_SYMBOLS = "ABCDEF"


@cache
def object_names(num_pairs: int) -> tuple[str, ...]:
    """Names of the objects in their order: the goal, the doors, the keys."""
    numbers = range(1, num_pairs + 1)
    return ("goal", *(f"{kind} {number}" for kind in ("door", "key") for number in numbers))


@cache
def _object_symbols(num_pairs: int) -> str:
    doors = _DOOR_SYMBOLS[:num_pairs]
    return f"G{doors}{doors.lower()}"


@dataclass(frozen=True, eq=False)
class GridWorldTask(Task):
    """One grid world.

    Attributes:
        tiles: int8 (8, 8), indexed [y - 1, x - 1]: 0 empty, 1 wall, 2 lava. Tiles under objects are empty.
        objects: int8 (5, 2), the x and y on the map (1 to 8) of the goal, door 1, door 2, key 1 and key 2;
            (-1, -1) for an object that does not appear. Key 1 opens door 1, key 2 door 2.
        side: Of the configurable grid.
        num_pairs: Of a door and its key.
        horizon: Steps of an episode.
    """

    tiles: np.ndarray
    objects: np.ndarray
    side: ClassVar[int] = SIDE
    num_pairs: ClassVar[int] = NUM_PAIRS
    horizon: ClassVar[int] = HORIZON

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless the fields are as documented."""
        side, names = self.side, object_names(self.num_pairs)
        check_array("tiles", self.tiles, np.int8, (side, side))
        check_array("objects", self.objects, np.int8, (len(names), 2))
        if self.tiles.view(np.uint8).max() > LAVA:  # read so, what is below 0 is above all tiles
            y, x = np.argwhere((self.tiles < EMPTY) | (self.tiles > LAVA))[0]
            raise InvalidTaskError(f"tiles[{y}, {x}]", int(self.tiles[y, x]), "0 (empty), 1 (wall) or 2 (lava)")
        taken: dict[tuple[int, int], str] = {}
        for name, (x, y) in zip(names, self.objects.tolist()):
            if (x, y) == (ABSENT, ABSENT):
                continue
            if not (1 <= x <= side and 1 <= y <= side):
                raise InvalidTaskError(f"position of {name}", (x, y), f"x and y in [1, {side}], or (-1, -1) for absent")
            if (x, y) in taken:
                raise InvalidTaskError(f"position of {name}", (x, y), f"a tile not taken by {taken[x, y]}")
            if self.tiles[y - 1, x - 1] != EMPTY:
                raise InvalidTaskError(f"tile under {name}", int(self.tiles[y - 1, x - 1]), "0 (empty)")
            taken[x, y] = name

    def to_text(self) -> str:
        """A line of symbols for every row: ``.`` empty, ``#`` wall, ``~`` lava, ``G`` goal, ``A`` door 1, ``a`` key 1,
        and so on."""
        grid = [[_TILE_SYMBOLS[tile] for tile in row] for row in self.tiles]
        for symbol, (x, y) in zip(_object_symbols(self.num_pairs), self.objects):
            if x != ABSENT:
                grid[y - 1][x - 1] = symbol
        return "\n".join("".join(row) for row in grid)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The task that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: Not as many lines of known symbols as the grid has rows, each as long as a row, or an
                object that appears twice.
        """
        lines, side, names = text.split(), cls.side, _object_symbols(cls.num_pairs)
        if [len(line) for line in lines] != [side] * side:
            raise InvalidTaskError("text", text, f"{side} lines of {side} symbols")
        tiles = np.zeros((side, side), np.int8)
        objects = np.full((len(names), 2), ABSENT, np.int8)
        for y, line in enumerate(lines):
            for x, symbol in enumerate(line):
                if symbol in _TILE_SYMBOLS:
                    tiles[y, x] = _TILE_SYMBOLS.index(symbol)
                elif symbol not in names:
                    raise InvalidTaskError(f"symbol in line {y + 1}", symbol, f"one of {_TILE_SYMBOLS + names}")
                elif objects[names.index(symbol), 0] != ABSENT:
                    raise InvalidTaskError(f"second symbol in line {y + 1}", symbol, "each object at most once")
                else:
                    objects[names.index(symbol)] = x + 1, y + 1
        return cls(tiles, objects)


@dataclass(frozen=True, eq=False)
class GridWorldLargeTask(GridWorldTask):
    """One large grid world.

    Attributes:
        tiles: int8 (16, 16), indexed [y - 1, x - 1]: 0 empty, 1 wall, 2 lava. Tiles under objects are empty.
        objects: int8 (13, 2), the x and y on the map (1 to 16) of the goal, doors 1 to 6 and keys 1 to 6; (-1, -1) for
            an object that does not appear. Each key opens the door of its number.
    """

    side: ClassVar[int] = LARGE_SIDE
    num_pairs: ClassVar[int] = LARGE_PAIRS
    horizon: ClassVar[int] = LARGE_HORIZON
