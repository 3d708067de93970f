"""GridWorldTask: tiles and objects, checked, and readable as text."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task

#: Side of the configurable grid, and of the map with its border walls.
SIDE, MAP_SIDE = 8, 10
#: Steps of an episode.
HORIZON = 50
#: Where the agent starts: x, y on the map, the upper left of the configurable grid.
START = (1, 1)

EMPTY, WALL, LAVA = 0, 1, 2
GOAL, DOOR_1, DOOR_2, KEY_1, KEY_2 = range(5)
NUM_OBJECTS = 5
OBJECT_NAMES = ("goal", "door 1", "door 2", "key 1", "key 2")
#: Coordinate of an object that does not appear.
ABSENT = -1

_TILE_SYMBOLS = ".#~"
_OBJECT_SYMBOLS = "GABab"


@dataclass(frozen=True, eq=False)
class GridWorldTask(Task):
    """One grid world.

    Attributes:
        tiles: int8 (8, 8), indexed [y - 1, x - 1]: 0 empty, 1 wall, 2 lava. Tiles under objects are empty.
        objects: int8 (5, 2), the x and y on the map (1 to 8) of the goal, door 1, door 2, key 1 and key 2;
            (-1, -1) for an object that does not appear. Key 1 opens door 1, key 2 door 2.
    """

    tiles: np.ndarray
    objects: np.ndarray

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless the fields are as documented."""
        check_array("tiles", self.tiles, np.int8, (SIDE, SIDE))
        check_array("objects", self.objects, np.int8, (NUM_OBJECTS, 2))
        if self.tiles.view(np.uint8).max() > LAVA:  # read so, what is below 0 is above all tiles
            y, x = np.argwhere((self.tiles < EMPTY) | (self.tiles > LAVA))[0]
            raise InvalidTaskError(f"tiles[{y}, {x}]", int(self.tiles[y, x]), "0 (empty), 1 (wall) or 2 (lava)")
        taken: dict[tuple[int, int], str] = {}
        for name, (x, y) in zip(OBJECT_NAMES, self.objects.tolist()):
            if (x, y) == (ABSENT, ABSENT):
                continue
            if not (1 <= x <= SIDE and 1 <= y <= SIDE):
                raise InvalidTaskError(f"position of {name}", (x, y), f"x and y in [1, {SIDE}], or (-1, -1) for absent")
            if (x, y) in taken:
                raise InvalidTaskError(f"position of {name}", (x, y), f"a tile not taken by {taken[x, y]}")
            if self.tiles[y - 1, x - 1] != EMPTY:
                raise InvalidTaskError(f"tile under {name}", int(self.tiles[y - 1, x - 1]), "0 (empty)")
            taken[x, y] = name

    def to_text(self) -> str:
        """Eight lines of eight symbols: ``.`` empty, ``#`` wall, ``~`` lava, ``G`` goal, ``AB`` doors, ``ab`` keys."""
        grid = [[_TILE_SYMBOLS[tile] for tile in row] for row in self.tiles]
        for symbol, (x, y) in zip(_OBJECT_SYMBOLS, self.objects):
            if x != ABSENT:
                grid[y - 1][x - 1] = symbol
        return "\n".join("".join(row) for row in grid)

    @classmethod
    def from_text(cls, text: str) -> "GridWorldTask":
        """The task that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: Not eight lines of eight known symbols, or an object that appears twice.
        """
        lines = text.split()
        if [len(line) for line in lines] != [SIDE] * SIDE:
            raise InvalidTaskError("text", text, f"{SIDE} lines of {SIDE} symbols")
        tiles = np.zeros((SIDE, SIDE), np.int8)
        objects = np.full((NUM_OBJECTS, 2), ABSENT, np.int8)
        for y, line in enumerate(lines):
            for x, symbol in enumerate(line):
                if symbol in _TILE_SYMBOLS:
                    tiles[y, x] = _TILE_SYMBOLS.index(symbol)
                elif symbol not in _OBJECT_SYMBOLS:
                    raise InvalidTaskError(
                        f"symbol in line {y + 1}", symbol, f"one of {_TILE_SYMBOLS + _OBJECT_SYMBOLS}"
                    )
                elif objects[_OBJECT_SYMBOLS.index(symbol), 0] != ABSENT:
                    raise InvalidTaskError(f"second symbol in line {y + 1}", symbol, "each object at most once")
                else:
                    objects[_OBJECT_SYMBOLS.index(symbol)] = x + 1, y + 1
        return cls(tiles, objects)
