"""Primitive: a piece of a page, out of which designs are made."""

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from procgen_bench.tasks.sites.elements import CHECKED, FORMED, TYPED, Behaviour, Element
from procgen_bench.tasks.sites.formed_values import values_of_form
from procgen_bench.tasks.sites.variation import PUBLISHED_LOOK

#: The values of a field that asks to have a box checked, or not.
YES, NO = "true", "false"


@dataclass(frozen=True, eq=False, repr=False)
class Primitive:
    """A piece of a page. Two are equal when all their attributes are.

    Attributes:
        name: What designs call it by.
        template: The template that made it, e.g. ``"input"``.
        root: Its elements.
        field: Name of the field of the instruction that it asks for; empty of a passive primitive.
        label: What its page calls the field.
        gap: Pixels between its block and the next.
        decoy: Whether it only looks as if it asked for something: it is to be left as it was at first.
    """

    name: str
    template: str
    root: Element
    field: str = ""
    label: str = ""
    gap: int = PUBLISHED_LOOK.gap
    decoy: bool = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Primitive):
            return NotImplemented
        return self is other or self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        """Short, for its elements may be hundreds, and as different as what it is of."""
        return f"<Primitive {self.name} ({self.template}) {self.fingerprint}>"

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hexadecimal) over all attributes."""
        parts = (self.name, self.template, self.root, self.field, self.label, self.gap, *("decoy",) * self.decoy)
        return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def content(self) -> str:
        """SHA-256 (hexadecimal) over what is seen of it: the same whatever it is called by."""
        return hashlib.sha256(repr((self.label, self.root)).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def active(self) -> bool:
        """Whether it asks for a field of the instruction."""
        return bool(self.field)

    @property
    def height(self) -> int:
        """Pixels of its block, the gap below it included."""
        return self.root.box.top + self.root.box.height + self.gap

    @cached_property
    def num_elements(self) -> int:
        """How many elements it has."""
        return len(self.root)

    @cached_property
    def leaves(self) -> bool:
        """Whether it leads to the next page."""
        return any(element.behaviour == Behaviour.LEAVE for element in self.root)

    @cached_property
    def submits(self) -> bool:
        """Whether it submits the site."""
        return any(element.behaviour == Behaviour.SUBMIT for element in self.root)

    @cached_property
    def options(self) -> tuple[str, ...]:
        """The values that it can hold; none where it takes any text."""
        behaviours = {element.behaviour for element in self.root}
        if Behaviour.CHECK in behaviours:
            return (YES, NO)
        if Behaviour.CHOOSE in behaviours:
            return tuple(e.attribute("value") for e in self.root if e.behaviour == Behaviour.CHOOSE)
        if Behaviour.SELECT in behaviours:
            return tuple(e.text for e in self.root if e.tag == "option" and _is_choice(e))
        line = next((e for e in self.root if e.behaviour in FORMED), None)
        return values_of_form(line.behaviour, *map(line.attribute, ("min", "max", "step"))) if line else ()

    @cached_property
    def initial(self) -> str:
        """The value that it holds at first; empty for none."""
        for element in self.root:
            held = element.value_at_first
            if element.behaviour == Behaviour.CHECK:
                return YES if held else NO
            if element.behaviour == Behaviour.CHOOSE and held == CHECKED:
                return element.attribute("value")
            if element.behaviour in (*TYPED, Behaviour.SELECT):
                return held
        return ""


def _is_choice(option: Element) -> bool:
    """Whether an option is one to ask for: none that is disabled, or that with an empty value says what to do."""
    return not option.attribute("disabled") and ("value", "") not in option.attributes


@lru_cache(maxsize=4096)
def spaced(primitive: Primitive, gap: int) -> Primitive:
    """A primitive with so many pixels between its block and the next."""
    return primitive if primitive.gap == gap else replace(primitive, gap=gap)
