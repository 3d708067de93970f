"""What a cell of the map holds, as one number: a kind in the upper bits, one of six colours in the three lowest.

The library observes a cell as three numbers: type, colour and state (``OBSERVED``). Its own ``Box`` is always closed,
state 0; an open one has state 1, and one that holds the ball 2.
"""

import numpy as np

from procgen_bench.tasks.compositional_minigrid.task import COLOURS

COLOUR_BITS = 3
NUM_KINDS = 12
UNSEEN, EMPTY, GOAL, KEY, BALL, CLOSED_BOX, OPEN_BOX, FULL_BOX, OPEN_DOOR, CLOSED_DOOR, LOCKED_DOOR, WALL = range(12)
#: Kinds from here on cannot be seen through.
FIRST_OPAQUE = CLOSED_DOOR

#: By kind, the library's type and state.
LIBRARY_TYPES = (0, 1, 8, 5, 6, 7, 7, 7, 4, 4, 4, 2)
LIBRARY_STATES = (0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 2, 0)
MAX_TYPE, MAX_COLOUR, MAX_STATE = 8, 5, 2


def cell(kind: int, colour: str | int = 0) -> int:
    """The number of a thing in a colour (a name, or its place in ``COLOURS``)."""
    return kind << COLOUR_BITS | (COLOURS.index(colour) if isinstance(colour, str) else int(colour))


EMPTY_CELL, GOAL_CELL, WALL_CELL = cell(EMPTY), cell(GOAL, "green"), cell(WALL, "grey")
_COLOUR_MASK = (1 << COLOUR_BITS) - 1

#: uint64, by cell: type, colour and state as three bytes of one number, the type lowest.
OBSERVED = np.array(
    [
        LIBRARY_TYPES[number >> COLOUR_BITS]
        | (number & _COLOUR_MASK) << 8
        | LIBRARY_STATES[number >> COLOUR_BITS] << 16
        for number in range(NUM_KINDS << COLOUR_BITS)
    ],
    np.uint64,
)
