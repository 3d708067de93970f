"""What every primitive is held to, those of the catalogue and those drawn at random."""

from collections.abc import Iterator

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.elements import HIDDEN, HOLDING, VISITED, Behaviour, Element
from procgen_bench.tasks.sites.pages import MAX_ELEMENTS, PAGE_TAGS
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.vocabulary import TAG_NUMBERS

#: Classes of an element but for the one that tells its state.
MAX_CLASSES = 3


def check_primitive(primitive: Primitive) -> None:
    """Raise :class:`InvalidTaskError` unless a primitive can be shown, observed and, if it is active, filled in.

    Its tags are known, and no element has more than three classes; some text is to be seen or read out; what a button
    hides is there; and an active one, or a decoy, has one line or box to fill in, or at least two options to choose
    among, different and each with its text next to it. None is both.
    """
    if len(primitive.root) > MAX_ELEMENTS - len(PAGE_TAGS):
        raise _fault(primitive, "number of elements", len(primitive.root), f"at most {MAX_ELEMENTS - len(PAGE_TAGS)}")
    for element in primitive.root:
        _check_element(primitive, element)
    if not any(element.text or _name(element) for element in primitive.root):
        raise _fault(primitive, "text", "", "some text to be seen, or to be read out")
    if primitive.active != bool(primitive.label):
        raise _fault(primitive, "label", primitive.label, "one for a field, and none without")
    if primitive.active and primitive.decoy:
        raise _fault(primitive, "decoy", True, "false of what asks for a field")
    if primitive.active or primitive.decoy:
        _check_input(primitive)


def _check_element(primitive: Primitive, element: Element) -> None:
    if element.tag not in TAG_NUMBERS:
        raise _fault(primitive, "tag", element.tag, f"one of {', '.join(TAG_NUMBERS)}")
    if len(element.classes) > MAX_CLASSES or {HIDDEN, VISITED} & set(element.classes):
        raise _fault(primitive, "classes", element.classes, f"at most {MAX_CLASSES}, none that tells a state")
    if element.behaviour == Behaviour.TOGGLE:
        targets = [other for other in primitive.root if other.name == element.target]
        if len(targets) != 1:
            raise _fault(primitive, f"elements named {element.target!r}", len(targets), "one")


def _check_input(primitive: Primitive) -> None:
    inputs = [element for element in primitive.root if element.behaviour in HOLDING]
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
    """Of every option to choose its value and the text of the element behind it, or else before it."""
    for place, child in enumerate(element.children):
        if child.behaviour == Behaviour.CHOOSE:
            neighbours = (*element.children[place + 1 : place + 2], *element.children[max(0, place - 1) : place])
            yield child.attribute("value"), next((e.text for e in neighbours if e.behaviour == Behaviour.NONE), "")
        yield from _texts_behind_options(child)


def _name(element: Element) -> str:
    """What an element without a text is called by."""
    return element.attribute("placeholder") or element.attribute("aria-label") or element.attribute("alt")


def _fault(primitive: Primitive, what: str, value: object, expected: str) -> InvalidTaskError:
    return InvalidTaskError(f"{what} of primitive {primitive.name!r}", value, expected)
