"""Worlds as text: a map with north at the top, then a line for each thing.

::

    0. 0. 0> 1. 1.
    0. 0. 0> 1. 1.
    0. 0. 0. 0. 0◥
    0. 0. 0^ 0. 0.
    0. 0. 1. 0. 0.
    floors 0 brown 1 olive
    tiles 2.5 2.5 m, levels 1.25 m
    light from 0.8 0.9 strength 1.0 hue 0.0
    purple sphere 0.8 m at 3.5 1.5 facing 0.4
    blue player at 0.5 4.5 facing 0.0 with freeze

- A tile is the digit of its level and the symbol of its kind: ``.`` flat, ``^ > v <`` ramps by the side that they rise
  to, ``◥ ◢ ◣ ◤`` diagonals by their higher corner.
- ``floors`` names the colour of each level that there is. Where tiles of one level differ in colour, the line reads
  ``floors by tile`` and a map of letters follows: n brown, v olive, o orange, b blue, g grey, w white.
- ``light from`` azimuth and elevation in radians. Places are x and y in tiles, ``facing`` is a yaw in radians, and
  ``latent`` at the end of a thing's line is followed by its eight numbers.

Whatever follows the map may be left out, in lines and within a thing's line (but not its place): floors take their
colours in the order of ``FLOORS``, and :data:`DEFAULTS` has the rest. Empty lines, and what follows a ``#``, are
ignored. Numbers are printed in full, so that a world reads back exactly.
"""

from itertools import islice, takewhile
from typing import Any

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, GADGETS, PLAYERS, SHAPES
from procgen_bench.tasks.xland.worlds.bodies import LATENT_SIZE
from procgen_bench.tasks.xland.worlds.tiles import NUM_LEVELS
from procgen_bench.tasks.xland.worlds.world_fields import WorldFields

#: Symbols of the kinds of tiles.
KIND_SYMBOLS = ".^>v<◥◢◣◤"
#: Letters of the floors' colours.
FLOOR_LETTERS = "nvobgw"
#: What a text that leaves it out means.
DEFAULTS: dict[str, Any] = {
    "tile_size": (2.5, 2.5, 1.25),
    "light": (0.8, 0.9, 1.0, 0.0),
    "size": 0.8,
    "facing": 0.0,
    "gadget": GADGETS[0],
    "latent": (0.0,) * LATENT_SIZE,
}


def write_text(world: WorldFields) -> str:
    """The text of a world, which may be invalid but must have the types and shapes of one."""
    tiles = [
        " ".join(f"{level}{KIND_SYMBOLS[kind]}" for kind, level in zip(kinds, levels))
        for kinds, levels in zip(world.kinds[::-1].tolist(), world.levels[::-1].tolist())
    ]
    width, depth, height = world.tile_size.tolist()
    azimuth, elevation, strength, hue = world.light.tolist()
    objects = zip(
        world.object_colours.tolist(),
        world.object_shapes.tolist(),
        world.object_sizes.tolist(),
        world.object_positions.tolist(),
        world.object_yaws.tolist(),
        world.object_latents.tolist(),
    )
    players = zip(
        world.player_colours.tolist(),
        world.player_positions.tolist(),
        world.player_yaws.tolist(),
        world.player_gadgets.tolist(),
        world.player_latents.tolist(),
    )
    return "\n".join(
        [
            *tiles,
            *_write_floors(world.floors, world.levels),
            f"tiles {width!r} {depth!r} m, levels {height!r} m",
            f"light from {azimuth!r} {elevation!r} strength {strength!r} hue {hue!r}",
            *(
                f"{COLOURS[colour]} {SHAPES[shape]} {size!r} m at {x!r} {y!r} facing {yaw!r}{_write_latent(latent)}"
                for colour, shape, size, (x, y), yaw, latent in objects
            ),
            *(
                f"{PLAYERS[colour]} player at {x!r} {y!r} facing {yaw!r} with {GADGETS[gadget]}{_write_latent(latent)}"
                for colour, (x, y), yaw, gadget, latent in players
            ),
        ]
    )


def _write_floors(floors: np.ndarray, levels: np.ndarray) -> list[str]:
    colours = {level: set(floors[levels == level].tolist()) for level in np.unique(levels).tolist()}
    if all(len(of_level) == 1 for of_level in colours.values()):
        return ["floors " + " ".join(f"{level} {FLOORS[min(of_level)]}" for level, of_level in colours.items())]
    return ["floors by tile", *(" ".join(FLOOR_LETTERS[floor] for floor in row) for row in floors[::-1].tolist())]


def _write_latent(latent: list[float]) -> str:
    if all(repr(number) == "0.0" for number in latent):
        return ""
    return " latent " + " ".join(map(repr, latent))


class _Line:
    """The words of one line, read from left to right."""

    def __init__(self, number: int, words: list[str]):
        self.number, self.words, self.read = number, words, 0

    def fail(self, expected: str) -> InvalidTaskError:
        """The error that something else was expected in place of the next word."""
        if self.read < len(self.words):
            return InvalidTaskError(f"line {self.number}, word {self.read + 1}", self.words[self.read], expected)
        return InvalidTaskError(f"line {self.number}", " ".join(self.words), f"{expected} at its end")

    def take(self, *accepted: str) -> str:
        """The next word, which must be one of ``accepted``."""
        if self.read == len(self.words) or self.words[self.read] not in accepted:
            raise self.fail(" or ".join(repr(word) for word in accepted))
        self.read += 1
        return self.words[self.read - 1]

    def number_next(self) -> float:
        """The next word, which must be a number."""
        try:
            number = float(self.words[self.read])
        except (IndexError, ValueError):
            raise self.fail("a number") from None
        self.read += 1
        return number

    def numbers(self, count: int) -> list[float]:
        """The next ``count`` numbers."""
        return [self.number_next() for _ in range(count)]

    def follows(self, word: str) -> bool:
        """Whether ``word`` comes next; it is then taken."""
        if self.words[self.read : self.read + 1] == [word]:
            self.read += 1
            return True
        return False

    def end(self) -> None:
        """Nothing may be left."""
        if self.read < len(self.words):
            raise self.fail("the end of the line")


def read_fields(text: str) -> dict[str, np.ndarray]:
    """The fields of the world that ``text`` shows, by name, in the shapes and dtypes of :class:`World`; only its form
    is checked (:class:`InvalidTaskError`)."""
    lines = [
        _Line(number, words)
        for number, line in enumerate(text.splitlines(), start=1)
        if (words := line.partition("#")[0].split())
    ]
    if not lines or not lines[0].words[0][0].isdigit():
        raise InvalidTaskError("text", text, "a map first, of tiles such as '0.' and '1^'")
    rows = list(takewhile(lambda line: line.words[0][0].isdigit(), lines))
    kinds, levels = _read_map(rows)
    fields = {
        "kinds": kinds,
        "levels": levels,
        "floors": levels.copy(),
        "tile_size": np.array(DEFAULTS["tile_size"]),
        "light": np.array(DEFAULTS["light"]),
    }
    objects, players, seen = [], [], set()
    others = iter(lines[len(rows) :])
    for line in others:
        first = line.take("floors", "tiles", "light", *COLOURS, *PLAYERS)
        if first in COLOURS:
            objects.append(_read_object(line, first))
        elif first in PLAYERS:
            players.append(_read_player(line, first))
        elif first in seen:
            raise InvalidTaskError(f"line {line.number}", first, f"{first} only once")
        elif first == "floors" and line.follows("by"):
            line.take("tile")
            fields["floors"] = _read_letters(list(islice(others, len(rows))), line, kinds)
        elif first == "floors":
            fields["floors"] = _read_level_colours(line, levels)
        elif first == "tiles":
            fields["tile_size"] = _read_tile_size(line)
        else:
            fields["light"] = _read_light(line)
        seen.add(first)
        line.end()
    return {**fields, **_columns("object", _OBJECT_FIELDS, objects), **_columns("player", _PLAYER_FIELDS, players)}


def _read_map(rows: list[_Line]) -> tuple[np.ndarray, np.ndarray]:
    width = len(rows[0].words)
    kinds, levels = np.zeros((len(rows), width), np.int8), np.zeros((len(rows), width), np.int8)
    digits = "".join(map(str, range(NUM_LEVELS)))
    for row, line in zip(reversed(range(len(rows))), rows):
        if len(line.words) != width:
            raise InvalidTaskError(f"line {line.number}", " ".join(line.words), f"{width} tiles, as in the first line")
        for column, word in enumerate(line.words):
            if len(word) != 2 or word[0] not in digits or word[1] not in KIND_SYMBOLS:
                where = f"line {line.number}, column {column + 1} (tile [{row}, {column}])"
                raise InvalidTaskError(where, word, f"one of the levels {digits} and one of the kinds {KIND_SYMBOLS}")
            levels[row, column], kinds[row, column] = int(word[0]), KIND_SYMBOLS.index(word[1])
    return kinds, levels


def _read_letters(lines: list[_Line], header: _Line, kinds: np.ndarray) -> np.ndarray:
    rows, columns = kinds.shape
    if len(lines) < rows:
        raise InvalidTaskError(f"line {header.number}", "floors by tile", f"{rows} lines of letters below")
    floors = np.zeros((rows, columns), np.int8)
    for row, line in zip(reversed(range(rows)), lines):
        floors[row] = [FLOOR_LETTERS.index(line.take(*FLOOR_LETTERS)) for _ in range(columns)]
        line.end()
    return floors


def _read_level_colours(line: _Line, levels: np.ndarray) -> np.ndarray:
    floors = levels.copy()
    while line.read < len(line.words):
        level = int(line.take(*map(str, range(NUM_LEVELS))))
        floors[levels == level] = FLOORS.index(line.take(*FLOORS))
    return floors


def _read_tile_size(line: _Line) -> np.ndarray:
    width, depth = line.numbers(2)
    line.take("m,")
    line.take("levels")
    height = line.number_next()
    line.take("m")
    return np.array([width, depth, height])


def _read_light(line: _Line) -> np.ndarray:
    line.take("from")
    azimuth, elevation = line.numbers(2)
    strength = line.number_next() if line.follows("strength") else DEFAULTS["light"][2]
    hue = line.number_next() if line.follows("hue") else DEFAULTS["light"][3]
    return np.array([azimuth, elevation, strength, hue])


def _read_object(line: _Line, colour: str) -> tuple:
    shape, size = SHAPES.index(line.take(*SHAPES)), DEFAULTS["size"]
    if not line.follows("at"):
        size = line.number_next()
        line.take("m")
        line.take("at")
    position, yaw = line.numbers(2), _read_facing(line)
    return shape, COLOURS.index(colour), size, position, yaw, _read_latent(line)


def _read_player(line: _Line, colour: str) -> tuple:
    line.take("player")
    line.take("at")
    position, yaw = line.numbers(2), _read_facing(line)
    gadget = line.take(*GADGETS) if line.follows("with") else DEFAULTS["gadget"]
    return PLAYERS.index(colour), position, yaw, GADGETS.index(gadget), _read_latent(line)


def _read_facing(line: _Line) -> float:
    return line.number_next() if line.follows("facing") else DEFAULTS["facing"]


def _read_latent(line: _Line) -> list[float]:
    return line.numbers(LATENT_SIZE) if line.follows("latent") else list(DEFAULTS["latent"])


#: Fields of things in the order in which they are read: name, type, shape.
_OBJECT_FIELDS = (
    ("shapes", np.int8, ()),
    ("colours", np.int8, ()),
    ("sizes", np.float64, ()),
    ("positions", np.float64, (2,)),
    ("yaws", np.float64, ()),
    ("latents", np.float64, (LATENT_SIZE,)),
)
_PLAYER_FIELDS = (
    ("colours", np.int8, ()),
    ("positions", np.float64, (2,)),
    ("yaws", np.float64, ()),
    ("gadgets", np.int8, ()),
    ("latents", np.float64, (LATENT_SIZE,)),
)


def _columns(thing: str, fields: tuple, rows: list[tuple]) -> dict[str, np.ndarray]:
    """Arrays of the things' fields from one tuple for each thing."""
    return {
        f"{thing}_{name}": np.array([row[index] for row in rows], dtype).reshape(len(rows), *shape)
        for index, (name, dtype, shape) in enumerate(fields)
    }
