"""VoxelBuildTask: where the agent starts and what it is to build, checked."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task

#: Cells of the paper's arena along x and y, of the small one, and of both upwards.
SIDE, SMALL_SIDE, LAYERS = 11, 5, 3
SIDES = (SIDE, SMALL_SIDE)
#: Least length of a goal's sides in the paper's arena and in the small one.
MIN_LENGTH, SMALL_MIN_LENGTH = 4, 2
#: The greatest height of a goal, and the most blocks that it may have.
MAX_HEIGHT, MAX_BLOCKS = 2, 34
#: Steps of an episode.
HORIZON = 100

#: Names of the block types 1, 2 and 3; 0 is no block.
MATERIALS = ("stone", "planks", "diamond")
EMPTY = 0

#: Names of the headings 0 to 3, each a right turn from the one before. North is against y.
HEADINGS = ("north", "east", "south", "west")

_SYMBOLS = ".spd"


@njit
def count_blocks(width, depth, height):
    """Blocks of four walls around ``width`` x ``depth`` cells."""
    return 2 * (width + depth - 2) * height


@njit
def min_length(side):
    """Least length of a goal's sides in an arena of ``side`` cells."""
    return MIN_LENGTH if side == SIDE else SMALL_MIN_LENGTH


@njit
def is_goal(width, depth, height, side):
    """Whether walls of these measures are a goal in an arena of ``side`` cells: long enough, and at most 34 blocks."""
    return min(width, depth) >= min_length(side) and count_blocks(width, depth, height) <= MAX_BLOCKS


def arena_shape(side: int) -> tuple[int, int, int]:
    """Shape of the arena of ``side`` cells along x and y, and of its goals: [y, x, z]."""
    return side, side, LAYERS


class Rectangle(NamedTuple):
    """A goal by its measures: walls along the border of the cells x ``west`` to ``east``, y ``north`` to ``south``."""

    west: int
    north: int
    east: int
    south: int
    height: int
    material: int

    @property
    def num_blocks(self) -> int:
        """Number of blocks."""
        return count_blocks(self.east - self.west + 1, self.south - self.north + 1, self.height)

    def cuboid(self, side: int = SIDE) -> np.ndarray:
        """The goal in an arena of ``side`` cells: uint8 (side, side, 3), indexed [y, x, z]."""
        goal = np.zeros(arena_shape(side), np.uint8)
        goal[self.north : self.south + 1, self.west : self.east + 1, : self.height] = self.material
        goal[self.north + 1 : self.south, self.west + 1 : self.east] = EMPTY
        return goal

    @classmethod
    def around(cls, goal: np.ndarray) -> "Rectangle":
        """The smallest box on the ground around the blocks of ``goal``, uint8 (side, side, 3) with at least one, of the
        first block's type."""
        y, x, z = np.nonzero(goal)
        places = (x.min(), y.min(), x.max(), y.max(), z.max() + 1, goal[y[0], x[0], z[0]])
        return cls(*(int(place) for place in places))


@dataclass(frozen=True, eq=False)
class VoxelBuildTask(Task):
    """A structure to build in an arena that is empty at first: the paper's, of side 11, or the small one, of side 5.

    Attributes:
        start: int8 (3,), x (to the east) and y (to the south) of the agent, 0 to side - 1, and its heading (0 north, 1
            east, 2 south, 3 west).
        goal: uint8 (side, side, 3), indexed [y, x, z]: 0 for cells that must be empty, 1 to 3 for blocks of that type.
            The blocks are of one type and the outline of a rectangle on the ground: four walls, one or two blocks high,
            hollow, each at least 4 long (in the small arena 2); at most 34 blocks.
    """

    start: np.ndarray
    goal: np.ndarray

    def validate(self, side: int = SIDE) -> None:
        """Raise :class:`InvalidTaskError` unless the fields are as documented, for an arena of this side."""
        check_array("start", self.start, np.int8, (3,))
        check_array("goal", self.goal, np.uint8, arena_shape(side))
        check_start(self.start, side)
        check_goal(self.goal)

    def to_text(self) -> str:
        """A line ``X Y HEADING`` of the start, then the goal from above, a line per y.

        ``.`` is an empty cell, ``s``, ``p`` or ``d`` one block of stone, planks or diamond, capitals are two.
        """
        x, y, heading = self.start.tolist()
        symbols = np.array(list(_SYMBOLS))[self.goal[:, :, 0]]
        symbols = np.where(self.goal[:, :, 1] != EMPTY, np.char.upper(symbols), symbols)
        return "\n".join([f"{x} {y} {HEADINGS[heading]}", *("".join(line) for line in symbols)])

    @classmethod
    def from_text(cls, text: str) -> "VoxelBuildTask":
        """The task that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: The text has another form, or shows no valid task.
        """
        words = text.split()
        side = len(words) - 3
        if side not in SIDES or any(len(line) != side for line in words[3:]):
            known = " or ".join(f"{one} lines of {one} symbols" for one in SIDES)
            raise InvalidTaskError("text", text, f"a line 'X Y HEADING' and {known}")
        for name, word in zip("xy", words):
            if not word.isdecimal():
                raise InvalidTaskError(f"start's {name}", word, f"a whole number in [0, {side - 1}]")
        if words[2] not in HEADINGS:
            raise InvalidTaskError("start's heading", words[2], f"one of {list(HEADINGS)}")
        goal = np.zeros(arena_shape(side), np.uint8)
        for y, line in enumerate(words[3:]):
            for x, symbol in enumerate(line):
                if symbol.lower() not in _SYMBOLS:
                    raise InvalidTaskError(f"symbol at ({x}, {y})", symbol, f"one of {_SYMBOLS}, or its capital")
                goal[y, x, : 2 if symbol.isupper() else 1] = _SYMBOLS.index(symbol.lower())
        start = np.array([int(words[0]), int(words[1]), HEADINGS.index(words[2])])
        check_start(start, side)
        check_goal(goal)
        return cls(start.astype(np.int8), goal)


def check_start(start: np.ndarray, side: int = SIDE) -> None:
    """Raise :class:`InvalidTaskError` unless ``start`` (numbers of any dtype, (3,)) is a cell of the arena and a
    heading."""
    bounds = np.array([side, side, len(HEADINGS)])
    inside = (start >= 0) & (start < bounds) & (start == np.floor(start))  # also false for NaN
    if not inside.all():
        expected = f"x, y and heading, whole numbers in [0, {side - 1}], [0, {side - 1}] and [0, {len(HEADINGS) - 1}]"
        raise InvalidTaskError("start", tuple(start.tolist()), expected)


def check_goal(goal: np.ndarray) -> None:
    """Raise :class:`InvalidTaskError` unless ``goal`` (integers of any dtype, (side, side, 3)) is as a task's; see the
    class."""
    known = np.isin(goal, range(len(MATERIALS) + 1))
    for y, x, z in np.argwhere(~known):
        raise InvalidTaskError(f"goal[{y}, {x}, {z}]", goal[y, x, z].item(), f"0 (empty) to {len(MATERIALS)}")
    num_blocks = int(np.count_nonzero(goal))
    if not 1 <= num_blocks <= MAX_BLOCKS:
        raise InvalidTaskError("number of goal blocks", num_blocks, f"1 to {MAX_BLOCKS}")
    rectangle = Rectangle.around(goal)
    lengths = rectangle.east - rectangle.west + 1, rectangle.south - rectangle.north + 1
    if min(lengths) < min_length(len(goal)):
        raise InvalidTaskError("goal's shorter side", min(lengths), f"at least {min_length(len(goal))}")
    outline = rectangle._replace(height=min(rectangle.height, MAX_HEIGHT)).cuboid(len(goal))
    for y, x, z in np.argwhere(goal != outline):
        raise InvalidTaskError(
            f"goal[{y}, {x}, {z}]",
            goal[y, x, z].item(),
            f"{outline[y, x, z]}: blocks of one type, the outline of a rectangle on the ground, 1 or {MAX_HEIGHT} high",
        )
