"""The primitives and the profiles' lists as arrays, for compiled rules."""

from functools import cache
from typing import NamedTuple

import numpy as np

from procgen_bench.tasks.sites.elements import Behaviour, Element
from procgen_bench.tasks.sites.pages import PAGE_CLASSES, PAGE_TAGS
from procgen_bench.tasks.sites.primitives import FIELDS, PRIMITIVES, YES
from procgen_bench.tasks.sites.profiles import LIST_LENGTH, value_lists
from procgen_bench.tasks.sites.vocabulary import TAG_NUMBERS, TEXT_LENGTH, token, tokenise

#: Observed classes of an element; the last free one tells its state.
NUM_CLASSES = 4
#: Where there is no element, field or text.
NOTHING = -1


class ElementLibrary(NamedTuple):
    """The elements of all primitives, one after the other, each primitive's in the order of the document.

    Attributes:
        starts: int32 (P + 1,), where each primitive's elements begin.
        tags: int16 (E,).
        classes: int16 (E, 4).
        texts: int16 (E, 10).
        attributes: int16 (E, 10).
        depths: int16 (E,), on the page.
        parents: int16 (E,), counted from the primitive's first element; -1 of the first itself.
        boxes: int16 (E, 4), the top counted from the block's.
        sizes: int16 (E,), elements inside, itself included.
        behaviours: int8 (E,).
        targets: int16 (E,), the element that its behaviour changes, counted from the primitive's first; else -1.
        hidden: bool (E,), at first.
        state_places: int8 (E,), place of the class that tells the state.
        text_ids: int32 (E,), number of the text that it stands for when it is selected, chosen or checked; else -1.
    """

    starts: np.ndarray
    tags: np.ndarray
    classes: np.ndarray
    texts: np.ndarray
    attributes: np.ndarray
    depths: np.ndarray
    parents: np.ndarray
    boxes: np.ndarray
    sizes: np.ndarray
    behaviours: np.ndarray
    targets: np.ndarray
    hidden: np.ndarray
    state_places: np.ndarray
    text_ids: np.ndarray


class PrimitiveLibrary(NamedTuple):
    """What is to be known of each primitive, in the order of ``PRIMITIVES``.

    Attributes:
        heights: int16 (P,), of its block.
        fields: int8 (P,), place in ``FIELDS`` of the field that it asks for; else -1.
        leaves: bool (P,), whether it leads to the next page.
        submits: bool (P,), whether it sends the site off.
    """

    heights: np.ndarray
    fields: np.ndarray
    leaves: np.ndarray
    submits: np.ndarray


class ValueLibrary(NamedTuple):
    """The profiles' lists, in the order of ``FIELDS``.

    Attributes:
        lengths: int16 (K,), values of each field.
        ids: int32 (K, 64), number of each value's text: equal texts have equal numbers.
        tokens: int16 (K, 64, 10), each value's words.
        labels: int16 (K, 10), the words of each field's label.
    """

    lengths: np.ndarray
    ids: np.ndarray
    tokens: np.ndarray
    labels: np.ndarray


@cache
def text_numbers() -> dict[str, int]:
    """Number of every text that a profile's lists or a primitive's options hold."""
    texts = [value for values in value_lists().values() for value in values]
    texts += [option for primitive in PRIMITIVES.values() for option in primitive.options]
    return {text: number for number, text in enumerate(dict.fromkeys(texts))}


@cache
def element_library() -> ElementLibrary:
    """The elements of :data:`~procgen_bench.tasks.sites.primitives.PRIMITIVES`."""
    rows = [row for primitive in PRIMITIVES.values() for row in _element_rows(primitive.root)]
    starts = np.cumsum([0, *(len(primitive.root) for primitive in PRIMITIVES.values())]).astype(np.int32)
    columns = [np.array(column) for column in zip(*rows)]
    types = (*[np.int16] * 8, np.int8, np.int16, np.bool_, np.int8, np.int32)
    return ElementLibrary(starts, *(column.astype(type_) for column, type_ in zip(columns, types, strict=True)))


@cache
def primitive_library() -> PrimitiveLibrary:
    """The primitives of :data:`~procgen_bench.tasks.sites.primitives.PRIMITIVES`."""
    fields = list(FIELDS)
    primitives = PRIMITIVES.values()
    return PrimitiveLibrary(
        np.array([primitive.height for primitive in primitives], np.int16),
        np.array([fields.index(p.field) if p.active else NOTHING for p in primitives], np.int8),
        np.array([primitive.leaves for primitive in primitives]),
        np.array([primitive.submits for primitive in primitives]),
    )


@cache
def value_library() -> ValueLibrary:
    """The lists of :func:`~procgen_bench.tasks.sites.profiles.value_lists`."""
    lists, numbers = value_lists(), text_numbers()
    ids = np.full((len(lists), LIST_LENGTH), NOTHING, np.int32)
    tokens = np.zeros((len(lists), LIST_LENGTH, TEXT_LENGTH), np.int16)
    for field, values in enumerate(lists.values()):
        for place, value in enumerate(values):
            ids[field, place], tokens[field, place] = numbers[value], tokenise(value)
    lengths = np.array([len(values) for values in lists.values()], np.int16)
    return ValueLibrary(lengths, ids, tokens, np.array([tokenise(label) for label in FIELDS.values()]))


@cache
def page_elements() -> tuple[np.ndarray, np.ndarray]:
    """Tags int16 (2,) and classes int16 (2, 4) of the elements around the blocks of every page."""
    classes = np.zeros((len(PAGE_TAGS), NUM_CLASSES), np.int16)
    classes[:, 0] = [token(name) for name in PAGE_CLASSES]
    return np.array([TAG_NUMBERS[tag] for tag in PAGE_TAGS], np.int16), classes


def _element_rows(root: Element) -> list[tuple]:
    """For every element of a primitive the fields of :class:`ElementLibrary` after ``starts``."""
    elements = list(root)
    places = {element.name: place for place, element in enumerate(elements) if element.name}
    return [
        (
            TAG_NUMBERS[element.tag],
            [token(name) for name in element.classes] + [0] * (NUM_CLASSES - len(element.classes)),
            tokenise(element.text),
            tokenise(" ".join(value for _, value in element.attributes)),
            depth,
            parent,
            element.box,
            len(element),
            element.behaviour,
            places[element.target] if element.target else NOTHING,
            element.hidden,
            len(element.classes),
            text_numbers().get(_held_text(element), NOTHING),
        )
        for element, (depth, parent) in zip(elements, _depths_and_parents(root, len(PAGE_TAGS), NOTHING, 0))
    ]


def _depths_and_parents(element: Element, depth: int, parent: int, index: int) -> list[tuple[int, int]]:
    found = [(depth, parent)]
    for child in element.children:
        found += _depths_and_parents(child, depth + 1, index, index + len(found))
    return found


def _held_text(element: Element) -> str | None:
    """The text that a field holds when this element is selected, chosen or checked."""
    if element.behaviour == Behaviour.CHOOSE:
        return element.attribute("value")
    if element.behaviour == Behaviour.CHECK:
        return YES
    return element.text if element.tag == "option" else None
