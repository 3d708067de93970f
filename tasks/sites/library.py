"""The primitives and the profiles' lists as arrays, for compiled rules."""

from functools import cache

import numpy as np

from procgen_bench.tasks.sites.elements import Behaviour, Element
from procgen_bench.tasks.sites.pages import PAGE_CLASSES, PAGE_TAGS
from procgen_bench.tasks.sites.primitives import EVERY_PRIMITIVE, FIELDS, primitives_in
from procgen_bench.tasks.sites.profiles import LIST_LENGTH, is_number, value_lists
from procgen_bench.tasks.sites.variation import CHOICES, NUM_LOOKS, PUBLISHED_LOOK, Look, look_of
from procgen_bench.tasks.sites.vocabulary import TAG_NUMBERS, TEXT_LENGTH, token, tokenise
from procgen_bench.tasks.sites.wording import sentence

#: Observed classes of an element; the last free one tells its state.
NUM_CLASSES = 4
#: Where there is no element, field or text.
NOTHING = -1


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
    ],
    align=True,
)
#: What is to be known of a primitive: where its elements begin and end among all, the height of its block, the place in
#: ``FIELDS`` of the field that it asks for (else -1), the number of the text that it holds at first (else -1), whether
#: it leads to the next page, and whether it sends the site off.
PRIMITIVE = np.dtype(
    [
        ("start", np.int32),
        ("end", np.int32),
        ("height", np.int16),
        ("field", np.int8),
        ("initial", np.int32),
        ("leaves", np.bool_),
        ("submits", np.bool_),
    ],
    align=True,
)
#: A field's list in a profile: how many values, number of each value's text (equal texts have equal numbers), each
#: value's words, whether it is a number, and the words that instructions of each kind call the field by.
VALUES = np.dtype(
    [
        ("length", np.int16),
        ("ids", np.int32, LIST_LENGTH),
        ("tokens", np.int16, (LIST_LENGTH, TEXT_LENGTH)),
        ("numbers", np.int8, LIST_LENGTH),
        ("names", np.int16, (len(CHOICES["instruction"]), TEXT_LENGTH)),
    ],
    align=True,
)
#: Primitives of one look.
NUM_PRIMITIVES = len(EVERY_PRIMITIVE)
#: Room for the elements of one look: most are there where all that can have a label has one.
_ROOM = sum(len(primitive.root) for primitive in primitives_in(Look(naming="label")).values())


@cache
def text_numbers() -> dict[str, int]:
    """Number of every text that a profile's lists or a primitive's options hold."""
    texts = [value for values in value_lists().values() for value in values]
    texts += [option for primitive in EVERY_PRIMITIVE.values() for option in primitive.options]
    return {text: number for number, text in enumerate(dict.fromkeys(texts))}


@cache
def element_library() -> np.ndarray:
    """The elements of all primitives, look by look: ELEMENT (E,). Those of a look are there from :func:`prepare` on."""
    return np.zeros(NUM_LOOKS * _ROOM, ELEMENT)


@cache
def primitive_library() -> np.ndarray:
    """The primitives of all looks, ``NUM_PRIMITIVES`` of each, in their order: PRIMITIVE (P,).

    Those of the published look are first; others are there from :func:`prepare` on.
    """
    library = np.zeros(NUM_LOOKS * NUM_PRIMITIVES, PRIMITIVE)
    _write_look(PUBLISHED_LOOK, element_library(), library)
    return library


@cache
def prepare(look_number: int) -> None:
    """Write the primitives and elements of a look into the libraries, where they are not there yet."""
    if look_number != PUBLISHED_LOOK.number:
        _write_look(look_of(look_number), element_library(), primitive_library())


def _write_look(look: Look, elements: np.ndarray, library: np.ndarray) -> None:
    fields, numbers = list(FIELDS), text_numbers()
    start, first = look.number * _ROOM, look.number * NUM_PRIMITIVES
    for place, primitive in enumerate(primitives_in(look).values(), start=first):
        end = start + len(primitive.root)
        elements[start:end] = _element_rows(primitive.root)
        library[place] = (
            start,
            end,
            primitive.height,
            fields.index(primitive.field) if primitive.active else NOTHING,
            numbers[primitive.initial] if primitive.initial else NOTHING,
            primitive.leaves,
            primitive.submits,
        )
        start = end


@cache
def value_library() -> np.ndarray:
    """The lists of :func:`~procgen_bench.tasks.sites.profiles.value_lists`, in the order of ``FIELDS``: VALUES (K,)."""
    numbers = text_numbers()
    library = np.zeros(len(FIELDS), VALUES)
    library["ids"] = NOTHING
    for row, (field, values) in zip(library, value_lists().items()):
        row["length"], row["names"] = len(values), [tokenise(name) for name in (field, sentence(field))]
        for place, value in enumerate(values):
            row["ids"][place], row["tokens"][place] = numbers[value], tokenise(value)
            row["numbers"][place] = is_number(value)
    return library


@cache
def page_elements() -> tuple[np.ndarray, np.ndarray]:
    """Tags int16 (K,) and classes int16 (K, 4) of the K elements around the blocks of every page."""
    classes = np.zeros((len(PAGE_TAGS), NUM_CLASSES), np.int16)
    classes[:, 0] = [token(name) for name in PAGE_CLASSES]
    return np.array([TAG_NUMBERS[tag] for tag in PAGE_TAGS], np.int16), classes


def _element_rows(root: Element) -> list[tuple]:
    """For every element of a primitive the fields of ELEMENT."""
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
            _held_number(element),
        )
        for element, (depth, parent) in zip(elements, _depths_and_parents(root, len(PAGE_TAGS), NOTHING, 0))
    ]


def _depths_and_parents(element: Element, depth: int, parent: int, index: int) -> list[tuple[int, int]]:
    found = [(depth, parent)]
    for child in element.children:
        found += _depths_and_parents(child, depth + 1, index, index + len(found))
    return found


def _held_number(element: Element) -> int:
    text = _held_text(element)
    return NOTHING if text is None else text_numbers().get(text, NOTHING)


def _held_text(element: Element) -> str | None:
    """The text that a field holds when this element is selected or chosen."""
    if element.behaviour == Behaviour.CHOOSE:
        return element.attribute("value")
    return element.text if element.tag == "option" else None
