"""SiteMatcherPolicy: fills in sites of GMiniWoB-v0 by comparing words, without learning anything."""

from collections.abc import Iterator, Sequence

import numpy as np

from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.policy import Observations, Policy
from procgen_bench.tasks.sites.primitive import YES
from procgen_bench.tasks.sites.primitives import CATALOGUE
from procgen_bench.tasks.sites.vocabulary import PADDING, TAG_NUMBERS, token, tokenise

_ENVIRONMENT_ID = "GMiniWoB-v0"
Words = tuple[int, ...]


def _words(tokens: np.ndarray) -> Words:
    return tuple(tokens[tokens != PADDING].tolist())


def _tokens(text: str) -> Words:
    return _words(tokenise(text))


#: What the published pages call each field, by its key.
_NAMES = {_tokens(primitive.field): _tokens(primitive.label) for primitive in CATALOGUE.values() if primitive.active}
#: Types of inputs, which are among the words of their attributes.
_TYPES = {token(type_) for type_ in ("text", "number", "checkbox", "radio")}
_BOX, _OPTION, _YES, _PRIMARY = token("checkbox"), token("radio"), _tokens(YES), token("primary")
_INPUT, _SELECT, _BUTTON = TAG_NUMBERS["input"], TAG_NUMBERS["select"], TAG_NUMBERS["button"]
_NAMING_TAGS, _CHOICE = (TAG_NUMBERS["label"], TAG_NUMBERS["h6"]), TAG_NUMBERS["option"]


class SiteMatcherPolicy(Policy):
    """Puts a field's value where the published name of the field stands, and goes on by the wide or last button.

    It knows by heart what the published pages call each field, takes the name of an input out of its label,
    placeholder or name for screen readers, and where none is the same, the one with most words in common. Options and
    lists it knows by their values. On the published pages that is enough; on others it is what matching words is worth.

    Args:
        environment_id: ``"GMiniWoB-v0"``.
    """

    def __init__(self, environment_id: str):
        if environment_id != _ENVIRONMENT_ID:
            raise InvalidPolicyError(f"site-matcher plays {_ENVIRONMENT_ID!r} only, not {environment_id!r}")

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """One match per row: int64 (N, 2)."""
        rows = [{name: observations[name][row] for name in observations} for row in range(len(observations["tags"]))]
        return np.array([_Page(row).action() for row in rows], np.int64)


class _Page:
    """An observation, read."""

    def __init__(self, seen: dict[str, np.ndarray]):
        self._seen = seen
        shown = np.flatnonzero(seen["boxes"].any(axis=1) & np.isin(seen["tags"], (_INPUT, _SELECT)))
        self._inputs = {index: self._name(index) for index in shown.tolist()}
        self._kinds = {index: int(seen["attributes"][index, 0]) for index in self._inputs}

    def action(self) -> tuple[int, int]:
        """The first field that is to be put somewhere, else the button that goes on."""
        keys = [_words(row) for row in self._seen["field_labels"] if row.any()]
        for number, key in enumerate(keys):
            value = _words(self._seen["field_values"][number])
            index = self._place(_NAMES.get(key, key), key, value)
            if index is not None and not self._seen["filled"][index] and not self._holds(index, value):
                return index, number
        buttons = (self._seen["tags"] == _BUTTON) & self._seen["boxes"].any(axis=1)
        wide = buttons & (self._seen["classes"] == _PRIMARY).any(axis=1)
        return int(np.flatnonzero(wide if wide.any() else buttons)[-1]), 0

    def _holds(self, index: int, value: Words) -> bool:
        held = _words(self._seen["element_values"][index])
        return bool(held) == (value == _YES) if self._kinds[index] == _BOX else held == value

    def _place(self, name: Words, key: Words, value: Words) -> int | None:
        """The input for a field of this name, key and value."""
        for index in self._inputs:
            if value in self._offered(index):
                return index
        lines = [index for index in self._inputs if not list(self._offered(index))]
        common = {index: self._common(self._inputs[index], name, key) for index in lines}
        best = max(common, key=lambda index: common[index], default=None)
        return best if best is not None and common[best] > 0 else None

    @staticmethod
    def _common(shown: Words, name: Words, key: Words) -> float:
        """How much of a name is shown: 1 for all of it and nothing else."""
        both, either = set(name) | set(key), set(shown)
        return 1.0 if shown == name else len(either & both) / len(either | both) if either else 0.0

    def _offered(self, index: int) -> Iterator[Words]:
        """The values of an option or a list."""
        if self._kinds[index] == _OPTION:
            yield _words(self._seen["attributes"][index, 1:])
        elif self._seen["tags"][index] == _SELECT:
            inside = (self._seen["parents"] == index) & (self._seen["tags"] == _CHOICE)
            yield from map(_words, self._seen["texts"][inside])

    def _name(self, index: int) -> Words:
        """The words of an input's label, else those of its attributes."""
        beside = (self._seen["parents"] == self._seen["parents"][index]) & np.isin(self._seen["tags"], _NAMING_TAGS)
        labels: Sequence[np.ndarray] = self._seen["texts"][beside]
        if len(labels):
            return _words(labels[0])
        return tuple(word for word in _words(self._seen["attributes"][index]) if word not in _TYPES)
