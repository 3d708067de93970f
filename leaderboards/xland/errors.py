"""The error of tables of returns: one line, naming the cell, its value and what was expected."""

from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.leaderboards.errors import brief


class InvalidReturnsError(ProcgenBenchError, ValueError):
    """Returns that are missing, impossible, or cannot be scored.

    Attributes:
        place: What is wrong, e.g. ``"return of 'swift' on game 'tag', world '3', co-player 'noop'"``.
        value: What was found.
        expected: What would have been accepted, in words.
    """

    def __init__(self, place: str, value: object, expected: str):
        self.place, self.value, self.expected = place, value, expected
        super().__init__(f"invalid returns: {place} is {brief(value)}, expected {expected}")
