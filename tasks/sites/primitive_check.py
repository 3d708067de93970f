"""What every primitive is held to, those of the catalogue and those made by chance."""

from collections.abc import Iterator

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.elements import HIDDEN, VISITED, Behaviour, Element
from procgen_bench.tasks.sites.pages import MAX_ELEMENTS, PAGE_TAGS
from procgen_bench.tasks.sites.primitives import Primitive
from procgen_bench.tasks.sites.vocabulary import TAG_NUMBERS

#: Classes of an element but for the one that tells its state.
MAX_CLASSES = 3

_FILLED_IN = (Behaviour.TYPE, Behaviour.SELECT, Behaviour.CHECK, Behaviour.CHOOSE)
_TURNING = (Behaviour.FORWARD, Behaviour.BACK)


def check_primitive(primitive: Primitive) -> None:
    """Raise :class:`InvalidTaskError` unless a primitive can be shown, observed and, if it is active, filled in.

    Its tags are known, and no element has more than three classes; some text is to be seen; what a button hides or
    turns over is there; and an active one has one line or box to fill in, or at least two options to choose among,
    different and each with its text behind it.
    """
    if len(primitive.root) > MAX_ELEMENTS - len(PAGE_TAGS):
        raise _fault(primitive, "number of elements", len(primitive.root), f"at most {MAX_ELEMENTS - len(PAGE_TAGS)}")
    for element in primitive.root:
        _check_element(primitive, element)
    if not any(element.text for element in primitive.root):
        raise _fault(primitive, "text", "", "some text to be seen")
    if primitive.active != bool(primitive.label):
        raise _fault(primitive, "label", primitive.label, "one for a field, and none without")
    if primitive.active:
        _check_input(primitive)


def _check_element(primitive: Primitive, element: Element) -> None:
    if element.tag not in TAG_NUMBERS:
        raise _fault(primitive, "tag", element.tag, f"one of {', '.join(TAG_NUMBERS)}")
    if len(element.classes) > MAX_CLASSES or {HIDDEN, VISITED} & set(element.classes):
        raise _fault(primitive, "classes", element.classes, f"at most {MAX_CLASSES}, none that tells a state")
    if element.behaviour in (Behaviour.TOGGLE, *_TURNING):
        targets = [other for other in primitive.root if other.name == element.target]
        if len(targets) != 1:
            raise _fault(primitive, f"elements named {element.target!r}", len(targets), "one")
        shown = [child for child in targets[0].children if not child.hidden]
        if element.behaviour in _TURNING and not len(shown) == 1 < len(targets[0].children):
            raise _fault(primitive, "parts shown at first", len(shown), "one out of at least two")


def _check_input(primitive: Primitive) -> None:
    inputs = [element for element in primitive.root if element.behaviour in _FILLED_IN]
    behaviours = {element.behaviour for element in inputs}
    if behaviours == {Behaviour.CHOOSE}:
        shown = list(_texts_behind_options(primitive.root))
        if len(set(shown)) < len(shown) or len(shown) < 2 or any(value != text or not text for value, text in shown):
            raise _fault(primitive, "options", shown, "at least two different ones, each with its text behind it")
    elif len(inputs) != 1:
        raise _fault(primitive, "number of elements to fill in", len(inputs), "one, or options to choose among")
    elif behaviours == {Behaviour.SELECT} and len(set(primitive.options)) < max(1, len(primitive.options)):
        raise _fault(primitive, "options", primitive.options, "at least one, no two alike")


def _texts_behind_options(element: Element) -> Iterator[tuple[str, str]]:
    """Of every option to choose its value and the text of the element behind it."""
    for child, behind in zip(element.children, (*element.children[1:], None)):
        if child.behaviour == Behaviour.CHOOSE:
            yield child.attribute("value"), behind.text if behind and behind.behaviour == Behaviour.NONE else ""
        yield from _texts_behind_options(child)


def _fault(primitive: Primitive, what: str, value: object, expected: str) -> InvalidTaskError:
    return InvalidTaskError(f"{what} of primitive {primitive.name!r}", value, expected)
