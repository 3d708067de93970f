"""What scripted policies make out on a page of GMiniWoB-v0: words, what can be filled in, the button to go on by."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np

from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.formed_values import values_of_form
from procgen_bench.tasks.sites.primitive import NO, YES
from procgen_bench.tasks.sites.vocabulary import PADDING, TAG_NUMBERS, token, tokenise

_ENVIRONMENT_IDS = ("GMiniWoB-v0", "GMiniWoBLiteral-v0")
Words = tuple[int, ...]
Seen = dict[str, np.ndarray]


def check_environment(policy_name: str, environment_id: str) -> None:
    """Raise :class:`InvalidPolicyError` unless the environment is one of sites."""
    if environment_id not in _ENVIRONMENT_IDS:
        known = " and ".join(map(repr, _ENVIRONMENT_IDS))
        raise InvalidPolicyError(f"{policy_name} plays {known} only, not {environment_id!r}")


def words(tokens: np.ndarray) -> Words:
    """The tokens of ``tokens``, int (n,), other than the padding."""
    return tuple(tokens[tokens != PADDING].tolist())


def words_of_text(text: str) -> Words:
    """A text's tokens."""
    return words(tokenise(text))


class Kind(Enum):
    """Kinds of what is filled in, as tags and types tell them."""

    LINE = "line"
    SECRET = "password"
    NUMBER = "number"
    BOX = "checkbox"
    OPTIONS = "radio"
    LIST = "select"


_BY_TYPE = {token(kind.value): kind for kind in (Kind.SECRET, Kind.NUMBER, Kind.BOX, Kind.OPTIONS)}
_INPUT, _SELECT, _BUTTON = TAG_NUMBERS["input"], TAG_NUMBERS["select"], TAG_NUMBERS["button"]
_CHOICE, _PRIMARY, _GROUP = TAG_NUMBERS["option"], token("primary"), token("group")
_BOOLEANS, _NUMBERS = (
    tuple(map(words_of_text, (YES, NO))),
    tuple(map(words_of_text, values_of_form(Behaviour.NUMBER, "", "", ""))),
)
TRUE = _BOOLEANS[0]


@dataclass(frozen=True)
class Widget:
    """Something to fill in.

    Attributes:
        kind: What it is.
        elements: Its element, or its options.
        offered: The values that it offers, in the elements' order where these are options; none of a line of text.
    """

    kind: Kind
    elements: tuple[int, ...]
    offered: tuple[Words, ...]

    @property
    def takes_any(self) -> bool:
        """Whether it takes any text."""
        return self.kind in (Kind.LINE, Kind.SECRET)

    def element_for(self, value: Words) -> int:
        """The element that takes a value: of options the one that has it, else the first."""
        if self.kind == Kind.OPTIONS and value in self.offered:
            return self.elements[self.offered.index(value)]
        return self.elements[0]


def inputs_of(seen: Seen) -> list[int]:
    """Indices of inputs and lists that are shown."""
    return np.flatnonzero(seen["boxes"].any(axis=1) & np.isin(seen["tags"], (_INPUT, _SELECT))).tolist()


def kind_of(seen: Seen, index: int) -> Kind:
    """The kind of an input or a list."""
    return Kind.LIST if seen["tags"][index] == _SELECT else _BY_TYPE.get(int(seen["attributes"][index, 0]), Kind.LINE)


def offered_by(seen: Seen, index: int) -> Iterator[Words]:
    """The values of an option or a list."""
    kind = kind_of(seen, index)
    if kind == Kind.OPTIONS:
        yield words(seen["attributes"][index, 1:])
    elif kind == Kind.LIST:
        inside = (seen["parents"] == index) & (seen["tags"] == _CHOICE)
        yield from map(words, seen["texts"][inside])


def widgets_of(seen: Seen) -> list[Widget]:
    """What is filled in on a page, in the order of the document, but for the search line of a shop (:data:`_GROUP`)."""
    groups: dict[tuple[Kind, int], list[int]] = {}
    for index in inputs_of(seen):
        parent = seen["parents"][index]
        if (seen["classes"][parent] == _GROUP).any():
            continue
        kind = kind_of(seen, index)
        groups.setdefault((kind, int(seen["parents"][parent]) if kind == Kind.OPTIONS else index), []).append(index)
    widgets = []
    for (kind, _), elements in groups.items():
        fixed = {Kind.BOX: _BOOLEANS, Kind.NUMBER: _NUMBERS}.get(kind)
        offered = fixed or tuple(value for index in elements for value in offered_by(seen, index))
        widgets.append(Widget(kind, tuple(elements), offered))
    return widgets


def instruction_of(seen: Seen) -> list[tuple[Words, Words]]:
    """(key, value) of every field."""
    rows = np.flatnonzero(seen["field_labels"].any(axis=1)).tolist()
    return [(words(seen["field_labels"][row]), words(seen["field_values"][row])) for row in rows]


def button_on(seen: Seen) -> int:
    """The button to go on by: the last wide one, else the last one."""
    buttons = (seen["tags"] == _BUTTON) & seen["boxes"].any(axis=1)
    wide = buttons & (seen["classes"] == _PRIMARY).any(axis=1)
    return int(np.flatnonzero(wide if wide.any() else buttons)[-1])
