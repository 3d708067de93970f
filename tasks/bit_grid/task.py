"""BitGridTask: where the agent starts and which bits are to be on, checked."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task

#: Side of the paper's grid, and the sides that can be chosen.
SIDE, MIN_SIDE, MAX_SIDE = 13, 3, 32
#: Steps of an episode.
HORIZON = 50

#: Actions as x (right) and y (down) steps: the 3 x 3 moves, column by column as in the published source.
MOVES = np.array([[x, y] for x in (-1, 0, 1) for y in (-1, 0, 1)], np.int64)
#: The move that stays, and toggles the bit under the agent.
TOGGLE = 4

OFF, ON = 0, 1

_BIT_SYMBOLS, _START_SYMBOLS = ".#", "@&"


@dataclass(frozen=True, eq=False)
class BitGridTask(Task):
    """A goal on a grid whose bits are all off at first.

    Attributes:
        start: int8 (2,), x (to the right) and y (down) of the agent, 0 to side - 1.
        goal: int8 (side, side), indexed [y, x]: 1 for the bits that are to be on, 0 for the others; at least one is on.
    """

    start: np.ndarray
    goal: np.ndarray

    def validate(self, side: int = SIDE) -> None:
        """Raise :class:`InvalidTaskError` unless the fields are as documented, for a grid of this side."""
        check_array("start", self.start, np.int8, (2,))
        check_array("goal", self.goal, np.int8, (side, side))
        check_start(self.start, side)
        check_goal(self.goal)

    def to_text(self) -> str:
        """A line per row of the goal: ``.`` off, ``#`` on, and for the cell of the start ``@`` off, ``&`` on."""
        grid = [[_BIT_SYMBOLS[bit] for bit in row] for row in self.goal]
        x, y = self.start
        grid[y][x] = _START_SYMBOLS[self.goal[y, x]]
        return "\n".join("".join(row) for row in grid)

    @classmethod
    def from_text(cls, text: str) -> "BitGridTask":
        """The task that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: Not a square of known symbols, or not exactly one start.
        """
        lines = text.split()
        if not lines or any(len(line) != len(lines) for line in lines):
            raise InvalidTaskError("text", text, "as many symbols in every line as there are lines")
        symbols = np.array([list(line) for line in lines])
        for y, x in np.argwhere(~np.isin(symbols, list(_BIT_SYMBOLS + _START_SYMBOLS))):
            raise InvalidTaskError(
                f"symbol in line {y + 1}", str(symbols[y, x]), f"one of {_BIT_SYMBOLS + _START_SYMBOLS}"
            )
        starts = np.argwhere(np.isin(symbols, list(_START_SYMBOLS)))
        if len(starts) != 1:
            raise InvalidTaskError("number of starts", len(starts), "1")
        goal = np.isin(symbols, [_BIT_SYMBOLS[ON], _START_SYMBOLS[ON]])
        return cls(starts[0, ::-1].astype(np.int8), goal.astype(np.int8))


def check_start(start: np.ndarray, side: int) -> None:
    """Raise :class:`InvalidTaskError` unless ``start`` (numbers of any dtype, (2,)) is the x and y of a cell, 0 to
    ``side`` - 1."""
    inside = (start >= 0) & (start < side) & (start == np.floor(start))  # also false for NaN
    if not inside.all():
        raise InvalidTaskError("start", tuple(start.tolist()), f"x and y, whole numbers in [0, {side - 1}]")


def check_goal(goal: np.ndarray) -> None:
    """Raise :class:`InvalidTaskError` unless ``goal`` (numbers of any dtype, (side, side)) holds 0 and 1, and at least
    one 1."""
    for y, x in np.argwhere((goal != OFF) & (goal != ON)):
        raise InvalidTaskError(f"goal[{y}, {x}]", goal[y, x].item(), "0 (off) or 1 (on)")
    if not goal.any():
        raise InvalidTaskError("number of goal bits that are on", 0, "at least 1")
