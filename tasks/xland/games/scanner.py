"""Scanner: reads a line of text from left to right and raises errors that name the column."""

import re
from typing import NoReturn

from procgen_bench.core.errors import InvalidTaskError

_SPACES = re.compile(r"\s*")
_NAME = re.compile(r"[A-Za-z]+(?:\s+[A-Za-z]+)*")
_WORD = re.compile(r"\S+")


class Scanner:
    """A place in a line of text. Spaces between symbols and names do not matter.

    Args:
        text: The line.
        where: What errors call it; the column follows, counted from 1.
    """

    def __init__(self, text: str, where: str):
        self.text, self.where = text, where
        self._position = 0
        self._skip_spaces()

    @property
    def column(self) -> int:
        """Where the next symbol or name begins, from 1."""
        return self._position + 1

    @property
    def at_end(self) -> bool:
        """Whether nothing is left."""
        return self._position == len(self.text)

    def accept(self, symbol: str) -> bool:
        """Go past ``symbol`` if it comes next; whether it did."""
        found = self.text.startswith(symbol, self._position)
        if found:
            self._position += len(symbol)
            self._skip_spaces()
        return found

    def expect(self, symbol: str) -> None:
        """Go past ``symbol``; :class:`InvalidTaskError` unless it comes next."""
        if not self.accept(symbol):
            self.fail(f"'{symbol}'")

    def name(self, known: tuple[str, ...]) -> str:
        """Go past one of the ``known`` names and return it; :class:`InvalidTaskError` unless one comes next."""
        match = _NAME.match(self.text, self._position)
        name = " ".join(match[0].split()) if match else None
        if match is None or name not in known:
            self.fail(f"one of {', '.join(known)}", value=name)
        self._position = match.end()
        self._skip_spaces()
        return name

    def fail(self, expected: str, value: str | None = None, column: int | None = None) -> NoReturn:
        """Raise :class:`InvalidTaskError` about ``value``, or else what comes next, at ``column``, or else here."""
        if value is None:
            match = _WORD.match(self.text, self._position)
            value = match[0] if match else "the end of the text"
        raise InvalidTaskError(f"{self.where} at column {column or self.column}", value, expected)

    def _skip_spaces(self) -> None:
        spaces = _SPACES.match(self.text, self._position)
        assert spaces is not None  # none at all match, too
        self._position = spaces.end()
