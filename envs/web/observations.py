"""What is observed of a site: the current page's elements as records, and these and the instruction as arrays."""

import math
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from procgen_bench.tasks.sites.design import HORIZON
from procgen_bench.tasks.sites.element_arrays import NUM_CLASSES
from procgen_bench.tasks.sites.elements import NO_BOX, Box
from procgen_bench.tasks.sites.pages import MAX_ELEMENTS
from procgen_bench.tasks.sites.vocabulary import TAG_NUMBERS, TEXT_LENGTH, num_tokens, token, tokenise

#: Fields that an instruction may have.
MAX_FIELDS = 25


#: Pixels that boxes are observed up to.
MAX_PIXELS = 2**15 - 1


class ElementRecord(NamedTuple):
    """An element of the current page as both backends tell it.

    Attributes:
        tag: Its HTML tag, in small letters.
        classes: Its classes, the one that tells its state last.
        text: Its own text, without that of the elements inside.
        attributes: Values of its attributes ``type``, ``value`` of options to choose, ``placeholder``, ``title``,
            ``alt`` and ``aria-label``, as far as it has them, in the order of its template.
        value: The text typed in, the option selected, or ``"checked"``; empty where there is none.
        depth: How many elements of the page are around it.
        parent: Index of the one directly around it; -1 of the first.
        box: Where it is drawn on the page; (0, 0, 0, 0) when it is not.
        active: Whether it has the focus.
    """

    tag: str
    classes: tuple[str, ...]
    text: str
    attributes: tuple[str, ...]
    value: str
    depth: int
    parent: int
    box: Box
    active: bool

    @property
    def visible(self) -> bool:
        """Whether it is drawn."""
        return self.box != NO_BOX


#: The arrays of an observation by name, int16: shape, and greatest value, ``None`` for that of tokens. The least is 0,
#: -1 of ``parents``.
_ELEMENT_ARRAYS = {
    "tags": ((MAX_ELEMENTS,), len(TAG_NUMBERS)),
    "classes": ((MAX_ELEMENTS, NUM_CLASSES), None),
    "texts": ((MAX_ELEMENTS, TEXT_LENGTH), None),
    "attributes": ((MAX_ELEMENTS, TEXT_LENGTH), None),
    "element_values": ((MAX_ELEMENTS, TEXT_LENGTH), None),
    "depths": ((MAX_ELEMENTS,), MAX_ELEMENTS - 1),
    "parents": ((MAX_ELEMENTS,), MAX_ELEMENTS - 1),
    "boxes": ((MAX_ELEMENTS, 4), MAX_PIXELS),
    "active": ((MAX_ELEMENTS,), 1),
}
#: Those that tell what has been, which no record of a page does.
_PAST_ARRAYS = {"filled": ((MAX_ELEMENTS,), 1), "new": ((MAX_ELEMENTS,), 1)}
_INSTRUCTION_ARRAYS = {
    "field_labels": ((MAX_FIELDS, TEXT_LENGTH), None),
    "field_values": ((MAX_FIELDS, TEXT_LENGTH), None),
}
ARRAYS = _ELEMENT_ARRAYS | _PAST_ARRAYS | _INSTRUCTION_ARRAYS | {"time_step": ((1,), HORIZON)}
NO_PARENT = -1


def observation_space(masked: bool = False) -> spaces.Dict:
    """The space of one observation, with or without what an action can be made of."""
    shown: dict[str, Any] = {
        name: spaces.Box(
            NO_PARENT if name == "parents" else 0, num_tokens() - 1 if high is None else high, shape, np.int16
        )
        for name, (shape, high) in ARRAYS.items()
    }
    masks = by_mask(*(spaces.Box(0, 1, (count,), np.int8) for count in (MAX_ELEMENTS, MAX_FIELDS)))
    return spaces.Dict(shown | masks if masked else shown)


def by_mask(elements: Any, fields: Any) -> dict[str, Any]:
    """What belongs to the two parts of an action, by the names of their masks."""
    return {"element_mask": elements, "field_mask": fields}


def empty_observations(num_rows: int) -> dict[str, np.ndarray]:
    """Arrays, int16 (N, ...), of ``num_rows`` observations of nothing, by name; see ``ARRAYS``."""
    return by_name(empty_memory(num_rows), num_rows)


def empty_memory(num_rows: int) -> np.ndarray:
    """One array, int16 (numbers,), with room for ``num_rows`` observations: copied as one, it is copied five times as
    fast."""
    return np.zeros(num_rows * sum(math.prod(shape) for shape, _ in ARRAYS.values()), np.int16)


def by_name(memory: np.ndarray, num_rows: int) -> dict[str, np.ndarray]:
    """The arrays, int16 (N, ...), of ``num_rows`` observations as parts of ``memory``, int16 (numbers,)."""
    arrays, start = {}, 0
    for name, (shape, _) in ARRAYS.items():
        end = start + num_rows * math.prod(shape)
        arrays[name] = memory[start:end].reshape(num_rows, *shape)
        start = end
    return arrays


def write_elements(
    records: Sequence[ElementRecord],
    observations: dict[str, np.ndarray],
    row: int,
    written: Sequence[ElementRecord] = (),
) -> None:
    """Write the elements of a page (at most 250) into ``row`` of ``observations`` (int16 (N, ...), see ``ARRAYS``), and
    0 for the rest.

    ``written`` are the records that the row observes so far; those that stay are not written again.
    """
    count = len(records)
    for name in _ELEMENT_ARRAYS:
        observations[name][row, count:] = 0
    for index, (record, known) in enumerate(zip_longest(records, written[:count])):
        if record is known:
            continue
        observations["tags"][row, index] = TAG_NUMBERS[record.tag]
        classes = [token(name) for name in record.classes]
        observations["classes"][row, index] = classes + [0] * (NUM_CLASSES - len(classes))
        observations["texts"][row, index] = tokenise(record.text)
        observations["attributes"][row, index] = tokenise(" ".join(record.attributes))
        observations["element_values"][row, index] = tokenise(record.value)
        observations["depths"][row, index] = record.depth
        observations["parents"][row, index] = record.parent
        observations["boxes"][row, index] = record.box
        observations["active"][row, index] = record.active


def write_instruction(instruction: Sequence[tuple[str, str]], observations: dict[str, np.ndarray], row: int) -> None:
    """Write an instruction's (label, value) pairs (at most 25) into ``row`` of ``observations`` (int16 (N, ...), see
    ``ARRAYS``), and 0 for the rest."""
    for name in _INSTRUCTION_ARRAYS:
        observations[name][row] = 0
    for index, (label, value) in enumerate(instruction):
        observations["field_labels"][row, index] = tokenise(label)
        observations["field_values"][row, index] = tokenise(value)


def dom_text(records: Sequence[ElementRecord]) -> str:
    """A page as text: a line per element, indented by its depth; index, tag, classes, texts, and marks of its state."""
    return "\n".join(_line(index, record) for index, record in enumerate(records))


def _line(index: int, record: ElementRecord) -> str:
    parts = [f"[{index}]", ".".join((record.tag, *record.classes))]
    parts += [repr(record.text)] if record.text else []
    parts += [f"({', '.join(record.attributes)})"] if record.attributes else []
    parts += [f"= {record.value!r}"] if record.value else []
    parts += ["*"] if record.active else []
    return "  " * record.depth + " ".join(parts)
