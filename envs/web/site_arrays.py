"""The arrays of N sites as compiled rules read and write them: B blocks and E elements a page, F fields, K in all."""

from typing import NamedTuple

import numpy as np

from procgen_bench.envs.web.observations import MAX_FIELDS
from procgen_bench.tasks.sites.design import MAX_PAGES
from procgen_bench.tasks.sites.element_arrays import NOTHING
from procgen_bench.tasks.sites.pages import MAX_BLOCKS, MAX_ELEMENTS
from procgen_bench.tasks.sites.variation import CHOICES
from procgen_bench.tasks.sites.vocabulary import TEXT_LENGTH

#: In an action, in place of a field: the row's own text, which an agent wrote. Its values stand behind the fields'.
OWN_TEXT = -1


class Sites(NamedTuple):
    """What there is to do; numbers are those of :class:`~procgen_bench.envs.web.site_tables.SiteTables`.

    Attributes:
        num_pages: int8 (N,).
        variations: int8 (N, 7), places of a variation's parts among their choices.
        page_sizes: int8 (N, 10), primitives of every page, decoys included.
        primitives: int32 (N, 10, B), their numbers, by page and from top to bottom.
        asked: int8 (N, 10, B), the place in the instruction of the field that each asks for; -2 of decoys; else -1.
        num_active: int16 (N,), active primitives of the site.
        num_fields: int8 (N,), fields of the instruction.
        fields: int32 (N, F), their numbers.
        value_ids: int32 (N, F + 1), numbers of the values' texts; equal texts of one site have equal numbers.
        value_tokens: int16 (N, F + 1, 10), the values' words.
        value_forms: int8 (N, F + 1), of which forms the values are (:func:`forms_of`): which lines take them.
    """

    num_pages: np.ndarray
    variations: np.ndarray
    page_sizes: np.ndarray
    primitives: np.ndarray
    asked: np.ndarray
    num_active: np.ndarray
    num_fields: np.ndarray
    fields: np.ndarray
    value_ids: np.ndarray
    value_tokens: np.ndarray
    value_forms: np.ndarray


#: Place in ``variations``.
INSTRUCTION = list(CHOICES).index("instruction")


#: A row's current page, and what has been done on it. Flags are 0 and 1: Numba nests no booleans.
#:
#: - ``number``: Its number from 0.
#: - ``num_elements``: How many of the following hold something.
#: - ``elements``: Numbers of elements; -1 of those around the blocks.
#: - ``blocks``: Each element's block; -1 of those around the blocks.
#: - ``block_starts``, ``block_tops``: Index of each block's first element; pixels above each block.
#: - ``hidden``, ``shown``: Whether the element itself is hidden; whether it is drawn.
#: - ``checked``: Whether it is checked or chosen.
#: - ``held``: The number of the text that it holds; -1: none.
#: - ``right``: Whether the block holds what the instruction asks for; of a decoy, what it held at first.
#: - ``num_right``: Blocks that do, less the decoys that do not; those of the pages before as they were left.
#: - ``focus``: The element that has the focus; -1: none.
#: - ``has_new``: Whether an element is new.
PAGE = np.dtype(
    [
        ("number", np.int8),
        ("num_elements", np.int16),
        ("elements", np.int32, MAX_ELEMENTS),
        ("blocks", np.int8, MAX_ELEMENTS),
        ("block_starts", np.int16, MAX_BLOCKS),
        ("block_tops", np.int16, MAX_BLOCKS),
        ("hidden", np.int8, MAX_ELEMENTS),
        ("shown", np.int8, MAX_ELEMENTS),
        ("checked", np.int8, MAX_ELEMENTS),
        ("held", np.int32, MAX_ELEMENTS),
        ("right", np.int8, MAX_BLOCKS),
        ("num_right", np.int16),
        ("focus", np.int16),
        ("has_new", np.int8),
    ],
    align=True,
)


class View(NamedTuple):
    """What is observed, int16 (N, ...) (:data:`~procgen_bench.envs.web.observations.ARRAYS`), and what can be acted
    upon.

    Attributes:
        element_masks: int8 (N, E), 1 for elements of the current page that an action changes something at, or for all
            that are drawn.
        field_masks: int8 (N, F), 1 for the fields of the instruction.
        all_present: Whether the former is 1 for all that are drawn.
        grouped: Whether options of a group are one target: the first that is drawn stands for all.
    """

    tags: np.ndarray
    classes: np.ndarray
    texts: np.ndarray
    attributes: np.ndarray
    element_values: np.ndarray
    depths: np.ndarray
    parents: np.ndarray
    boxes: np.ndarray
    active: np.ndarray
    filled: np.ndarray
    new: np.ndarray
    field_labels: np.ndarray
    field_values: np.ndarray
    time_step: np.ndarray
    element_masks: np.ndarray
    field_masks: np.ndarray
    all_present: bool
    grouped: bool


def empty_sites(num_rows: int) -> Sites:
    """Arrays of ``num_rows`` sites without a page."""
    return Sites(
        num_pages=np.zeros(num_rows, np.int8),
        variations=np.zeros((num_rows, len(CHOICES)), np.int8),
        page_sizes=np.zeros((num_rows, MAX_PAGES), np.int8),
        primitives=np.zeros((num_rows, MAX_PAGES, MAX_BLOCKS), np.int32),
        asked=np.full((num_rows, MAX_PAGES, MAX_BLOCKS), NOTHING, np.int8),
        num_active=np.zeros(num_rows, np.int16),
        num_fields=np.zeros(num_rows, np.int8),
        fields=np.zeros((num_rows, MAX_FIELDS), np.int32),
        value_ids=np.zeros((num_rows, MAX_FIELDS + 1), np.int32),
        value_tokens=np.zeros((num_rows, MAX_FIELDS + 1, TEXT_LENGTH), np.int16),
        value_forms=np.zeros((num_rows, MAX_FIELDS + 1), np.int8),
    )


def empty_pages(num_rows: int) -> np.recarray:
    """``num_rows`` pages without an element: PAGE (N,)."""
    pages = np.zeros(num_rows, PAGE).view(np.recarray)
    pages.held = pages.focus = NOTHING
    return pages


def view_of(observations: dict[str, np.ndarray], all_present: bool, grouped: bool) -> View:
    """These ``observations`` of nothing, int16 (N, ...) by name, with masks of 0, int8."""
    num_rows = len(observations["tags"])
    masks = np.zeros((num_rows, MAX_ELEMENTS), np.int8), np.zeros((num_rows, MAX_FIELDS), np.int8)
    return View(**observations, element_masks=masks[0], field_masks=masks[1], all_present=all_present, grouped=grouped)
