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
    #: The option with the field's value is selected; without such an option nothing happens.
    SELECT = 2
    #: The box is checked, or unchecked if it was.
    CHECK = 3
    #: This option is chosen, and no other one of its group, if it is the field's value; else nothing happens.
    CHOOSE = 4
    #: The element is visited for the rest of the page's life.
    VISIT = 5
    #: The target is hidden, or shown if it was hidden.
    TOGGLE = 6
    #: The next page is shown; on the last page the element is visited.
    LEAVE = 7
    #: On the last page the site is sent off, which ends the episode; on the others nothing happens.
    SUBMIT = 8
    #: The episode ends, and has failed: the agent was distracted.
    END = 9
    #: As TYPE, in a line that takes numbers alone: any other text empties it.
    NUMBER = 10


#: Behaviours of what holds a value of its own.
HOLDING = (Behaviour.TYPE, Behaviour.NUMBER, Behaviour.SELECT, Behaviour.CHECK, Behaviour.CHOOSE)
#: Those of them that take a text.
TAKING_TEXT = (Behaviour.TYPE, Behaviour.NUMBER, Behaviour.SELECT)


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
