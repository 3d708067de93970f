"""Texts with holes: parts of a page are written once, and ids and what is typed in are filled in later."""

from markupsafe import escape

#: Around what stands in a hole: no text of a site has control characters.
_MARK = "\0"
_ID, _IN_QUOTES, _IN_HTML, _CONCEALED = "iqhc"


class HeldText(str):
    """In place of a text that a line holds: the index of the line. Written down, it leaves a hole."""

    def __repr__(self) -> str:
        return f"{_MARK}{_IN_QUOTES}{self:s}{_MARK}"

    def __html__(self) -> str:
        return f"{_MARK}{_IN_HTML}{self:s}{_MARK}"


class ConcealedText(HeldText):
    """In place of what a line for passwords shows of such a text."""

    def __repr__(self) -> str:
        return f"{_MARK}{_CONCEALED}{self:s}{_MARK}"


class AnyPlace:
    """In place of the id that the first element of a block has: added to an index, it leaves a hole."""

    def __add__(self, index: int) -> str:
        return f"{_MARK}{_ID}{index}{_MARK}"


def concealed(text: str) -> str:
    """What a line for passwords shows of a text: a dot for each character."""
    return ConcealedText(text) if isinstance(text, HeldText) else "\u2022" * len(text)


class Template:
    """A text with holes.

    Args:
        text: It, as :class:`HeldText` and :class:`AnyPlace` make holes.
    """

    def __init__(self, text: str):
        self._parts = text.split(_MARK)
        holes = [(place, self._parts[place]) for place in range(1, len(self._parts), 2)]
        self._ids = [(place, int(hole[1:])) for place, hole in holes if hole[0] == _ID]
        self._held = [(place, hole[0], int(hole[1:])) for place, hole in holes if hole[0] != _ID]

    def filled(self, first: int, held: dict[int, str]) -> str:
        """The text of a block whose first element has this id, and whose lines hold these texts, by index."""
        parts = self._parts.copy()
        for place, index in self._ids:
            parts[place] = str(first + index)
        for place, kind, index in self._held:
            text = held[index]
            if kind == _IN_HTML:
                parts[place] = escape(text)
            else:
                parts[place] = repr(text if kind == _IN_QUOTES else concealed(text))
        return "".join(parts)
