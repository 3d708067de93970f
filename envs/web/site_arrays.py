"""The arrays of N sites as compiled rules read and write them: B blocks and E elements a page, F fields, K in all."""

from typing import NamedTuple

import numpy as np

from procgen_bench.envs.web.observations import MAX_FIELDS
from procgen_bench.tasks.sites.design import MAX_PAGES
from procgen_bench.tasks.sites.library import NOTHING
from procgen_bench.tasks.sites.pages import MAX_ELEMENTS
from procgen_bench.tasks.sites.primitives import FIELDS, PRIMITIVES
from procgen_bench.tasks.sites.vocabulary import TEXT_LENGTH

NUM_FIELDS, NUM_PRIMITIVES = len(FIELDS), len(PRIMITIVES)


class Sites(NamedTuple):
    """What there is to do.

    Attributes:
        num_pages: int8 (N,).
        page_sizes: int8 (N, 10), primitives of every page.
        primitives: int8 (N, 10, B), places in ``PRIMITIVES``, by page and from top to bottom.
        num_active: int16 (N,), active primitives of the site.
        num_fields: int8 (N,), fields of the instruction.
        fields: int8 (N, F), their places in ``FIELDS``.
        places: int8 (N, K), the other way round: the place in the instruction; -1 of fields that are not asked for.
        value_ids: int32 (N, F), numbers of the values' texts; equal texts of one site have equal numbers.
        value_tokens: int16 (N, F, 10), the values' words.
    """

    num_pages: np.ndarray
    page_sizes: np.ndarray
    primitives: np.ndarray
    num_active: np.ndarray
    num_fields: np.ndarray
    fields: np.ndarray
    places: np.ndarray
    value_ids: np.ndarray
    value_tokens: np.ndarray


class Pages(NamedTuple):
    """The current page, and what has been done.

    Attributes:
        numbers: int8 (N,), the page's number from 0.
        num_elements: int16 (N,).
        elements: int16 (N, E), places in the library of elements; -1 of those around the blocks.
        blocks: int8 (N, E), each element's block; -1 of those around the blocks.
        block_starts: int16 (N, B), index of each block's first element.
        block_tops: int16 (N, B), pixels above each block.
        hidden: bool (N, E), whether the element itself is hidden.
        shown: bool (N, E), whether it is drawn.
        checked: bool (N, E), whether it is checked or chosen.
        typed: int8 (N, E), the field whose value it holds; -1: none.
        right: bool (N, B), whether the block holds what the instruction asks for.
        num_right: int16 (N,), blocks that do, those of the pages before as they were left.
        focus: int16 (N,), the element that has the focus; -1: none.
        previous: int16 (N, 2), the action of the step before; -1 at the start.
    """

    numbers: np.ndarray
    num_elements: np.ndarray
    elements: np.ndarray
    blocks: np.ndarray
    block_starts: np.ndarray
    block_tops: np.ndarray
    hidden: np.ndarray
    shown: np.ndarray
    checked: np.ndarray
    typed: np.ndarray
    right: np.ndarray
    num_right: np.ndarray
    focus: np.ndarray
    previous: np.ndarray


class View(NamedTuple):
    """What is observed (see :data:`~procgen_bench.envs.web.observations.ARRAYS`), and what can be acted upon.

    Attributes:
        element_masks: int8 (N, E), 1 for elements of the current page that an action changes something at.
        field_masks: int8 (N, F), 1 for the fields of the instruction.
    """

    tags: np.ndarray
    classes: np.ndarray
    texts: np.ndarray
    attributes: np.ndarray
    values: np.ndarray
    depths: np.ndarray
    parents: np.ndarray
    boxes: np.ndarray
    active: np.ndarray
    field_labels: np.ndarray
    field_values: np.ndarray
    element_masks: np.ndarray
    field_masks: np.ndarray


def empty_sites(num_rows: int) -> Sites:
    """Arrays of ``num_rows`` sites without a page."""
    return Sites(
        num_pages=np.zeros(num_rows, np.int8),
        page_sizes=np.zeros((num_rows, MAX_PAGES), np.int8),
        primitives=np.zeros((num_rows, MAX_PAGES, NUM_PRIMITIVES), np.int8),
        num_active=np.zeros(num_rows, np.int16),
        num_fields=np.zeros(num_rows, np.int8),
        fields=np.zeros((num_rows, MAX_FIELDS), np.int8),
        places=np.full((num_rows, NUM_FIELDS), NOTHING, np.int8),
        value_ids=np.zeros((num_rows, MAX_FIELDS), np.int32),
        value_tokens=np.zeros((num_rows, MAX_FIELDS, TEXT_LENGTH), np.int16),
    )


def empty_pages(num_rows: int) -> Pages:
    """Arrays of ``num_rows`` pages without an element."""
    return Pages(
        numbers=np.zeros(num_rows, np.int8),
        num_elements=np.zeros(num_rows, np.int16),
        elements=np.zeros((num_rows, MAX_ELEMENTS), np.int16),
        blocks=np.zeros((num_rows, MAX_ELEMENTS), np.int8),
        block_starts=np.zeros((num_rows, NUM_PRIMITIVES), np.int16),
        block_tops=np.zeros((num_rows, NUM_PRIMITIVES), np.int16),
        hidden=np.zeros((num_rows, MAX_ELEMENTS), np.bool_),
        shown=np.zeros((num_rows, MAX_ELEMENTS), np.bool_),
        checked=np.zeros((num_rows, MAX_ELEMENTS), np.bool_),
        typed=np.full((num_rows, MAX_ELEMENTS), NOTHING, np.int8),
        right=np.zeros((num_rows, NUM_PRIMITIVES), np.bool_),
        num_right=np.zeros(num_rows, np.int16),
        focus=np.full(num_rows, NOTHING, np.int16),
        previous=np.full((num_rows, 2), NOTHING, np.int16),
    )


def view_of(observations: dict[str, np.ndarray]) -> View:
    """These arrays of observations of nothing, with their masks."""
    num_rows = len(observations["tags"])
    masks = np.zeros((num_rows, MAX_ELEMENTS), np.int8), np.zeros((num_rows, MAX_FIELDS), np.int8)
    return View(**observations, element_masks=masks[0], field_masks=masks[1])
