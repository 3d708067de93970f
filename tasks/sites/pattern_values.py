"""Texts that keep to an input's ``pattern``: by construction, so that no pattern is ever matched against for long."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.tasks.sites.formed_values import MAX_VALUES

_DIGITS, _LOWER = "0123456789", "abcdefghijklmnopqrstuvwxyz"
_LETTERS = _LOWER.upper() + _LOWER
_ANY = _DIGITS + _LETTERS
_CLASSES = {"d": _DIGITS, "D": _LETTERS, "w": f"{_ANY}_", "W": "-", "s": " ", "S": _ANY}
#: Of classes that texts are drawn from in part, all that they do not take.
_REFUSED = {"D": _DIGITS, "W": f"{_ANY}_", "S": " \t\n"}
_QUANTIFIERS = {"?": (0, 1), "*": (0, None), "+": (1, None)}
#: What stands doubled in a set for an operation on sets, by HTML's reading of patterns.
_DOUBLED = "&!#$%*+,.:;<=>?@^`~-"
_COUNTS = re.compile(r"\{([0-9]{1,2})(,([0-9]{0,2}))?\}")
#: How often something without a limit is repeated at most, beyond the least; letters of a text; texts that are drawn.
_MORE, _LONGEST, _DRAWS = 5, 60, 512
#: Letters of the longest text of a pattern, and brackets in each other, beyond which nothing is made of it.
_MOST_LETTERS, _DEEPEST = 1_000, 20


class UnreadPatternError(ValueError):
    """A pattern holds what texts are not made of here: a look around, a reference, repeats without limits in others,
    sets in sets; or its texts are very long."""


@dataclass(frozen=True)
class _Repeated:
    """One of some letters, or one of several sequences, a number of times; ``most`` is ``None`` without a limit.

    ``refused`` has the letters that are not taken where all others are; ``letters`` are then those to draw from.
    """

    letters: str
    refused: str | None
    ways: "tuple[tuple[_Repeated, ...], ...]"
    least: int
    most: int | None

    @property
    def longest(self) -> int:
        """Letters of the longest text that is drawn of it."""
        once = max((sum(one.longest for one in way) for way in self.ways), default=1)
        return once * (self.least + _MORE if self.most is None else self.most)

    def ends(self, text: str, starts: Iterable[int]) -> set[int]:
        """Where it can have ended that begins at one of these places of a text."""
        at, found = set(starts), set[int]()
        for time in range(1 + (self.least + len(text) if self.most is None else self.most)):
            if time >= self.least:
                at -= found
                found |= at
            if not at:
                break
            at = self._once(text, at)
        return found

    def _once(self, text: str, starts: set[int]) -> set[int]:
        if self.ways:
            return _ends(self.ways, text, starts)
        return {at + 1 for at in starts if at < len(text) and self._takes(text[at])}

    def _takes(self, letter: str) -> bool:
        return letter in self.letters if self.refused is None else letter not in self.refused

    @property
    def has_no_limit(self) -> bool:
        return self.most is None or any(one.has_no_limit for way in self.ways for one in way)


@lru_cache(maxsize=1024)
def values_of_pattern(pattern: str, wanted: tuple[str, ...] = ()) -> tuple[str, ...]:
    """At most 64 texts that a pattern takes whole, no two alike, always the same; none: nothing is made of it here.

    Args:
        pattern: As HTML has it.
        wanted: Texts that are taken instead if the pattern takes at least a few of them.
    """
    try:
        ways = _Reader(pattern).read()
    except UnreadPatternError:
        return ()
    kept = tuple(text for text in wanted if len(text) in _ends(ways, text, {0}))
    if len(kept) >= min(_MORE, len(wanted)) > 0:
        return kept
    rng = np.random.default_rng(seed_from_parts("pattern", pattern))
    drawn = dict.fromkeys(_drawn(ways, rng) for _ in range(_DRAWS))
    fitting = (text for text in drawn if text and text == text.strip() and len(text) <= _LONGEST)
    return tuple(fitting)[:MAX_VALUES]


def _ends(ways: tuple[tuple[_Repeated, ...], ...], text: str, starts: set[int]) -> set[int]:
    """Where one of the sequences can have ended that begins at one of these places of a text."""
    found: set[int] = set()
    for way in ways:
        at = starts
        for one in way:
            at = one.ends(text, at)
        found |= at
    return found


def _drawn(ways: tuple[tuple[_Repeated, ...], ...], rng: np.random.Generator) -> str:
    parts = []
    for one in ways[rng.integers(len(ways))]:
        most = one.least + _MORE if one.most is None else one.most
        for _ in range(rng.integers(one.least, most + 1)):
            parts.append(one.letters[rng.integers(len(one.letters))] if one.letters else _drawn(one.ways, rng))
    return "".join(parts)


class _Reader:
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str):
        self._left, self._depth = pattern, 0

    def read(self) -> tuple[tuple[_Repeated, ...], ...]:
        """The sequences that the pattern takes.

        Raises:
            UnreadPatternError: See the error.
        """
        self._left = self._left.removeprefix("^")
        if self._left.endswith("$") and not self._left.endswith("\\$"):
            self._left = self._left[:-1]
        ways = self._ways()
        if self._left:
            raise UnreadPatternError(f"{self._left[0]!r} ends nothing")
        if max(sum(one.longest for one in way) for way in ways) > _MOST_LETTERS:
            raise UnreadPatternError(f"its texts have more than {_MOST_LETTERS} letters")
        return ways

    def _ways(self) -> tuple[tuple[_Repeated, ...], ...]:
        ways: list[list[_Repeated]] = [[]]
        while self._left and self._left[0] != ")":
            if self._left[0] == "|":
                self._take()
                ways.append([])
            else:
                ways[-1].append(self._repeated())
        return tuple(map(tuple, ways))

    def _repeated(self) -> _Repeated:
        letters, refused, ways = self._one()
        least, most = self._times()
        one = _Repeated(letters, refused, ways, least, most)
        if (most is None or most > 1) and any(inner.has_no_limit for way in ways for inner in way):
            raise UnreadPatternError("repeats without limits are repeated")
        return one

    def _one(self) -> tuple[str, str | None, tuple[tuple[_Repeated, ...], ...]]:
        """Letters to draw from, what is not taken, and sequences, of which there are letters or sequences."""
        sign = self._take()
        if sign == "(":
            return "", None, self._group()
        if sign == "[":
            return *self._set(), ()
        if sign in "*+?{^$":
            raise UnreadPatternError(f"{sign!r} in the middle")
        if sign == ".":
            return _ANY, "\n", ()
        if sign == "\\":
            kind = self._left[:1]
            return self._escaped(), _REFUSED.get(kind), ()
        return sign, None, ()

    def _group(self) -> tuple[tuple[_Repeated, ...], ...]:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnreadPatternError(f"more than {_DEEPEST} brackets in each other")
        if self._left.startswith("?"):
            if not self._left.startswith("?:"):
                raise UnreadPatternError("a look around, or a name")
            self._left = self._left[2:]
        ways = self._ways()
        if self._take() != ")":
            raise UnreadPatternError("a bracket is open")
        self._depth -= 1
        return ways

    def _times(self) -> tuple[int, int | None]:
        if found := _COUNTS.match(self._left):
            self._left = self._left[found.end() :]
            least = int(found[1])
            times = (least, int(found[3]) if found[3] else None if found[2] else least)
        elif self._left[:1] in _QUANTIFIERS and self._left:
            times = _QUANTIFIERS[self._take()]
        else:
            return 1, 1
        if self._left[:1] == "?":  # as few as possible: the same texts
            self._take()
        return times

    def _set(self) -> tuple[str, str | None]:
        others, found = self._left.startswith("^"), ""
        self._left = self._left.removeprefix("^")
        while self._left and self._left[0] != "]":
            sign = self._take()
            if sign == "[" or (sign in _DOUBLED and self._left.startswith(sign)):
                raise UnreadPatternError("sets in a set")
            sign = self._escaped() if sign == "\\" else sign
            if len(sign) == 1 and self._left.startswith("-") and self._left[1:2] not in ("", "]"):
                self._take()
                last = self._take()
                last = self._escaped() if last == "\\" else last
                sign = "".join(map(chr, range(ord(sign), min(ord(last[0]), 0x7E) + 1)))
            found += sign
        if self._take() != "]":
            raise UnreadPatternError("a set is open")
        letters = "".join(sign for sign in _ANY if sign not in found) if others else "".join(dict.fromkeys(found))
        if not letters:
            raise UnreadPatternError("an empty set")
        return letters, found if others else None

    def _escaped(self) -> str:
        sign = self._take()
        if sign in _CLASSES:
            return _CLASSES[sign]
        if sign in _ANY:
            raise UnreadPatternError(f"\\{sign}")
        return sign

    def _take(self) -> str:
        if not self._left:
            raise UnreadPatternError("it ends too early")
        sign, self._left = self._left[0], self._left[1:]
        return sign
