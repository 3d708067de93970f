"""SiteMatcherPolicy: fills in sites of GMiniWoB-v0 by comparing words, without learning anything."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.baselines.policies.scripted.site_view import (
    TRUE,
    Kind,
    Words,
    button_on,
    check_environment,
    inputs_of,
    instruction_of,
    kind_of,
    offered_by,
    words,
    words_of_text,
)
from procgen_bench.core.policy import Observations, Policy
from procgen_bench.tasks.sites.primitives import CATALOGUE
from procgen_bench.tasks.sites.vocabulary import TAG_NUMBERS, token

#: What the published pages call each field, by its key.
_NAMES = {words_of_text(one.field): words_of_text(one.label) for one in CATALOGUE.values() if one.active}
#: Types of inputs, which are among the words of their attributes.
_TYPES = {token(type_) for type_ in ("text", "number", "checkbox", "radio")}
_NAMING_TAGS = (TAG_NUMBERS["label"], TAG_NUMBERS["h6"])


class SiteMatcherPolicy(Policy):
    """Puts a field's value where the published name of the field stands, and goes on by the wide or last button.

    It knows by heart what the published pages call each field, takes the name of an input out of its label,
    placeholder or name for screen readers, and where none is the same, the one with most words in common. Options and
    lists it knows by their values. On the published pages that is enough; on others it is what matching words is worth.

    Args:
        environment_id: ``"GMiniWoB-v0"``.
    """

    def __init__(self, environment_id: str):
        check_environment("site-matcher", environment_id)

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """One match per row: int64 (N, 2)."""
        rows = [{name: observations[name][row] for name in observations} for row in range(len(observations["tags"]))]
        return np.array([_Page(row).action() for row in rows], np.int64)


class _Page:
    """An observation, read."""

    def __init__(self, seen: dict[str, np.ndarray]):
        self._seen = seen
        self._inputs = {index: self._name(index) for index in inputs_of(seen)}
        self._offered = {index: list(offered_by(seen, index)) for index in self._inputs}

    def action(self) -> tuple[int, int]:
        """The first field that is to be put somewhere, else the button that goes on."""
        for number, (key, value) in enumerate(instruction_of(self._seen)):
            index = self._place(_NAMES.get(key, key), key, value)
            if index is not None and not self._seen["filled"][index] and not self._holds(index, value):
                return index, number
        return button_on(self._seen), 0

    def _holds(self, index: int, value: Words) -> bool:
        held = words(self._seen["element_values"][index])
        return bool(held) == (value == TRUE) if kind_of(self._seen, index) == Kind.BOX else held == value

    def _place(self, name: Words, key: Words, value: Words) -> int | None:
        """The input for a field of this name, key and value."""
        for index, offered in self._offered.items():
            if value in offered:
                return index
        lines = [index for index, offered in self._offered.items() if not offered]
        common = {index: self._common(self._inputs[index], name, key) for index in lines}
        best = max(common, key=lambda index: common[index], default=None)
        return best if best is not None and common[best] > 0 else None

    @staticmethod
    def _common(shown: Words, name: Words, key: Words) -> float:
        """How much of a name is shown: 1 for all of it and nothing else."""
        both, either = set(name) | set(key), set(shown)
        return 1.0 if shown == name else len(either & both) / len(either | both) if either else 0.0

    def _name(self, index: int) -> Words:
        """The words of an input's label, else those of its attributes."""
        beside = (self._seen["parents"] == self._seen["parents"][index]) & np.isin(self._seen["tags"], _NAMING_TAGS)
        labels: Sequence[np.ndarray] = self._seen["texts"][beside]
        if len(labels):
            return words(labels[0])
        return tuple(word for word in words(self._seen["attributes"][index]) if word not in _TYPES)
