"""Lines of text, as sites show and take them."""

import unicodedata

#: Unicode categories that a line does not take: control characters, surrogates, line and paragraph breaks.
_REFUSED_CATEGORIES = ("Cc", "Cs", "Zl", "Zp")


def refused_place(text: str) -> int | None:
    """The place of the first character that no line of text takes: a control or a line break; ``None``: of none."""
    places = (k for k, character in enumerate(text) if unicodedata.category(character) in _REFUSED_CATEGORIES)
    return next(places, None)
