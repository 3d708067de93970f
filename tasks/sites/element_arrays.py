"""Primitives, their elements, and fields with their values as rows of arrays, for compiled rules."""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from procgen_bench.tasks.sites.elements import Behaviour, Element
from procgen_bench.tasks.sites.formed_values import forms_of
from procgen_bench.tasks.sites.pages import PAGE_CLASSES, PAGE_TAGS
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.primitives import EVERY_PRIMITIVE
from procgen_bench.tasks.sites.profiles import LIST_LENGTH, value_lists
from procgen_bench.tasks.sites.variation import CHOICES
from procgen_bench.tasks.sites.vocabulary import TAG_NUMBERS, TEXT_LENGTH, token, tokenise
from procgen_bench.tasks.sites.wording import sentence

#: Observed classes of an element; the last free one tells its state.
NUM_CLASSES = 4
#: Where there is no element, field or text.
NOTHING = -1
#: In the place of what a decoy asks for: it is right as long as it is left as it was at first.
LEFT_ALONE = -2
#: Gives a text its number.
NumberOf = Callable[[str], int]

#: The elements of all primitives, one after the other, each primitive's in the order of the document.
#:
#: - ``tag``, ``classes``, ``text``, ``attributes``: Tokens.
#: - ``depth``: On the page.
#: - ``parent``: Counted from the primitive's first element; -1 of the first itself.
#: - ``box``: The top is counted from the block's.
#: - ``size``: Elements inside, itself included.
#: - ``behaviour``, ``target``: What it does, and to which element, counted from the primitive's first; else -1.
#: - ``hidden``: Whether it is, at first.
#: - ``state_place``: Place of the class that tells the state.
#: - ``text_id``: Number of the text that it stands for when it is selected or chosen; else -1.
#: - ``held``, ``value``: Number and words of the text that it holds at first; -1: none.
#: - ``checked``: Whether it is checked or chosen at first.
ELEMENT = np.dtype(
    [
        ("tag", np.int16),
        ("classes", np.int16, NUM_CLASSES),
        ("text", np.int16, TEXT_LENGTH),
        ("attributes", np.int16, TEXT_LENGTH),
        ("depth", np.int16),
        ("parent", np.int16),
        ("box", np.int16, 4),
        ("size", np.int16),
        ("behaviour", np.int8),
        ("target", np.int16),
        ("hidden", np.bool_),
        ("state_place", np.int8),
        ("text_id", np.int32),
        ("held", np.int32),
        ("value", np.int16, TEXT_LENGTH),
        ("checked", np.bool_),
    ],
    align=True,
)
#: What is to be known of a primitive: where its elements begin and end among all, the height of its block, the number
#: of the field that it asks for (else -1), the number of the text that it holds at first (else -1), whether it leads to
#: the next page, whether it submits the site, and whether it is a decoy.
PRIMITIVE = np.dtype(
    [
        ("start", np.int32),
        ("end", np.int32),
        ("height", np.int16),
        ("field", np.int32),
        ("initial", np.int32),
        ("leaves", np.bool_),
        ("submits", np.bool_),
        ("decoy", np.bool_),
    ],
    align=True,
)
#: A field's list in a profile: how many values, number of each value's text (equal texts have equal numbers), each
#: value's words, of which forms it is (:func:`forms_of`), and the words that instructions of each kind call the field
#: by.
VALUES = np.dtype(
    [
        ("length", np.int16),
        ("ids", np.int32, LIST_LENGTH),
        ("tokens", np.int16, (LIST_LENGTH, TEXT_LENGTH)),
        ("forms", np.int8, LIST_LENGTH),
        ("names", np.int16, (len(CHOICES["instruction"]), TEXT_LENGTH)),
    ],
    align=True,
)


@cache
def listed_texts() -> tuple[str, ...]:
    """Every text that the published lists of values or primitives' options hold, each once."""
    texts = [value for values in value_lists().values() for value in values]
    texts += [option for primitive in EVERY_PRIMITIVE.values() for option in primitive.options]
    return tuple(dict.fromkeys(texts))


def primitive_row(primitive: Primitive, start: int, field: int, number_of: NumberOf) -> tuple:
    """The fields of PRIMITIVE, with the number of its field; its elements begin at ``start``."""
    return (
        start,
        start + primitive.num_elements,
        primitive.height,
        field,
        number_of(primitive.initial) if primitive.initial else NOTHING,
        primitive.leaves,
        primitive.submits,
        primitive.decoy,
    )


def element_rows(primitive: Primitive, number_of: NumberOf) -> list[tuple]:
    """For every element of a primitive the fields of ELEMENT."""
    elements = list(primitive.root)
    places = {element.name: place for place, element in enumerate(elements) if element.name}
    return [
        (
            TAG_NUMBERS[element.tag],
            [token(name) for name in element.classes] + [0] * (NUM_CLASSES - len(element.classes)),
            tokenise(element.text),
            tokenise(" ".join(element.observed)),
            depth,
            parent,
            element.box,
            len(element),
            element.behaviour,
            places[element.target] if element.target else NOTHING,
            element.hidden,
            len(element.classes),
            NOTHING if (stands_for := _text_stood_for(element)) is None else number_of(stands_for),
            number_of(held) if (held := element.value_at_first) and not element.is_tick else NOTHING,
            tokenise(held),
            bool(held) and element.is_tick,
        )
        for element, (depth, parent) in zip(elements, _depths_and_parents(primitive.root, len(PAGE_TAGS), NOTHING, 0))
    ]


def value_row(field: str, values: Sequence[str], number_of: NumberOf) -> tuple:
    """The fields of VALUES for a field with these values, at most 64; none are known of a field without a list."""
    ids, forms = np.full(LIST_LENGTH, NOTHING), np.zeros(LIST_LENGTH, np.int8)
    tokens = np.zeros((LIST_LENGTH, TEXT_LENGTH), np.int16)
    for place, value in enumerate(values):
        ids[place], tokens[place], forms[place] = number_of(value), tokenise(value), forms_of(value)
    return len(values), ids, tokens, forms, [tokenise(name) for name in (field, sentence(field))]


@cache
def page_elements() -> tuple[np.ndarray, np.ndarray]:
    """Tags int16 (K,) and classes int16 (K, 4) of the K elements around the blocks of every page."""
    classes = np.zeros((len(PAGE_TAGS), NUM_CLASSES), np.int16)
    classes[:, 0] = [token(name) for name in PAGE_CLASSES]
    return np.array([TAG_NUMBERS[tag] for tag in PAGE_TAGS], np.int16), classes


def _depths_and_parents(element: Element, depth: int, parent: int, index: int) -> list[tuple[int, int]]:
    found = [(depth, parent)]
    for child in element.children:
        found += _depths_and_parents(child, depth + 1, index, index + len(found))
    return found


def _text_stood_for(element: Element) -> str | None:
    """The text that a field holds when this element is selected or chosen."""
    if element.behaviour == Behaviour.CHOOSE:
        return element.attribute("value")
    return element.text if element.tag == "option" and not element.attribute("disabled") else None
