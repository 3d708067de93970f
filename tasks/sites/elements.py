"""Elements: the trees that primitives are made of, with what a person's action does to each element."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple


class Behaviour(IntEnum):
    """What an action on an element does."""

    #: Nothing.
    NONE = 0
    #: The field's value is typed in, in place of what was there.
    TYPE = 1
    #: The option with the field's value is selected; without such an option nothing happens. Under the published rule
    #: the list is visited if the option was selected already.
    SELECT = 2
    #: The box is checked, or unchecked if it was; under the published rule it is visited if it is to stay as at first.
    CHECK = 3
    #: This option is chosen, and no other one of its group, if it is the field's value; else nothing happens. Under the
    #: published rule the option of the group that is the value is chosen in its place.
    CHOOSE = 4
    #: The element is visited for the rest of the page's life.
    VISIT = 5
    #: The target is hidden, or shown if it was hidden.
    TOGGLE = 6
    #: The next page is shown; on the last page the element is visited.
    LEAVE = 7
    #: On the last page the site is submitted, which ends the episode; on the others nothing happens.
    SUBMIT = 8
    #: The episode ends, and has failed: the agent was distracted.
    END = 9
    #: As TYPE, in a line that takes numbers alone: any other text empties it.
    NUMBER = 10
    #: The same for dates (``2027-01-31``), times of day (``09:30``), and e-mail addresses.
    DATE = 11
    TIME = 12
    EMAIL = 13


#: Behaviours of lines that a text is typed into; those of lines that take texts of a form alone.
FORMED = (Behaviour.NUMBER, Behaviour.DATE, Behaviour.TIME, Behaviour.EMAIL)
TYPED = (Behaviour.TYPE, *FORMED)
#: Behaviours of what holds a value of its own.
HOLDING = (*TYPED, Behaviour.SELECT, Behaviour.CHECK, Behaviour.CHOOSE)
#: Those of them that take a text.
TAKING_TEXT = (*TYPED, Behaviour.SELECT)
#: Attributes whose values are observed. Of ``value`` only that of options to choose: elsewhere it is what is held at
#: first, as ``checked`` and ``selected`` are. An attribute that is there or not has its own name as its value.
OBSERVED_ATTRIBUTES = (
    *("type", "value", "placeholder", "title", "alt", "aria-label", "aria-description"),
    *("min", "max", "step", "required", "disabled", "readonly", "multiple"),
)


class Box(NamedTuple):
    """A rectangle in CSS pixels; ``top`` counts from the top of the block that holds it."""

    left: int
    top: int
    width: int
    height: int


NO_BOX = Box(0, 0, 0, 0)


@dataclass(frozen=True)
class Element:
    """A node of a page's tree.

    Attributes:
        tag: Its HTML tag.
        box: Where it is drawn, measured from the page's left side and the top of its block. An ``option`` has none of
            its own.
        classes: What it is styled by; at most three, for a fourth one tells its state.
        text: Its own text, before its children.
        attributes: Further HTML attributes (name, value) that are observed.
        behaviour: What an action on it does.
        name: What ``target`` calls it by, unique in its primitive; empty where nothing does.
        target: Name of the element that its behaviour changes.
        hidden: Whether it is hidden at first.
        children: The elements inside.
    """

    tag: str
    box: Box = NO_BOX
    classes: tuple[str, ...] = ()
    text: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    behaviour: Behaviour = Behaviour.NONE
    name: str = ""
    target: str = ""
    hidden: bool = False
    children: tuple["Element", ...] = ()

    def __iter__(self) -> Iterator["Element"]:
        """The element and all inside it, in the order of the document."""
        yield self
        for child in self.children:
            yield from child

    def __len__(self) -> int:
        return 1 + sum(map(len, self.children))

    def attribute(self, name: str) -> str:
        """The value of an attribute; empty where it has none."""
        return dict(self.attributes).get(name, "")

    @property
    def observed(self) -> tuple[str, ...]:
        """The values of its attributes that are observed."""
        radio = self.attribute("type") == "radio"
        return tuple(v for name, v in self.attributes if name in OBSERVED_ATTRIBUTES and (radio or name != "value"))

    @property
    def is_tick(self) -> bool:
        """Whether it is a box to check, or an option to choose, disabled or not."""
        return self.tag == "input" and self.attribute("type") in ("checkbox", "radio")

    @property
    def value_at_first(self) -> str:
        """The text that it holds at first, or ``"checked"``; empty where there is none."""
        if self.tag == "select":
            selected = [option.text for option in self.children if option.attribute("selected")]
            if self.attribute("multiple"):
                return selected[0] if selected else ""
            usable = [option.text for option in self.children if not option.attribute("disabled")]
            return (selected or usable or [""])[0]
        if self.is_tick:
            return CHECKED if self.attribute("checked") else ""
        return self.attribute("value") if self.tag == "input" else ""


def renamed(element: Element, old: str, new: str) -> Element:
    """An element in which, and in all inside it, a text or an attribute's value is another one."""
    return replace(
        element,
        text=new if element.text == old else element.text,
        attributes=tuple((name, new if value == old else value) for name, value in element.attributes),
        children=tuple(renamed(child, old, new) for child in element.children),
    )


#: Classes that tell an element's state, last of its classes.
VISITED, HIDDEN = "visited", "hidden"
#: What a checked box and a chosen option observe as their value.
CHECKED = "checked"
