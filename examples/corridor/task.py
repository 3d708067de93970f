"""CorridorTask: which way each door of a corridor opens."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task

#: Doors of a corridor, and steps of an episode.
DOORS, HORIZON = 8, 40

LEFT, RIGHT = 0, 1
SYMBOLS = "<>"


@dataclass(frozen=True, eq=False)
class CorridorTask(Task):
    """A corridor with a sign on every door.

    Attributes:
        signs: int8 (8,), the way that opens each door: 0 left, 1 right.
    """

    signs: np.ndarray

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless the field is as documented."""
        check_array("signs", self.signs, np.int8, (DOORS,))
        for door in np.flatnonzero((self.signs != LEFT) & (self.signs != RIGHT)):
            raise InvalidTaskError(f"signs[{door}]", self.signs[door].item(), "0 (left) or 1 (right)")

    def to_text(self) -> str:
        """A symbol per door: ``<`` left, ``>`` right."""
        return "".join(SYMBOLS[sign] for sign in self.signs)

    @classmethod
    def from_text(cls, text: str) -> "CorridorTask":
        """The task that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: Not eight symbols, or unknown ones.
        """
        signs = text.strip()
        if len(signs) != DOORS or not set(signs) <= set(SYMBOLS):
            raise InvalidTaskError("text", text, f"{DOORS} symbols of {SYMBOLS}")
        return cls(np.array([SYMBOLS.index(sign) for sign in signs], np.int8))
