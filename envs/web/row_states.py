"""What the elements of rows' pages are like, a number each, and which blocks of the pages have changed."""

from typing import NamedTuple

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.web.site_arrays import View
from procgen_bench.tasks.sites.element_arrays import NOTHING
from procgen_bench.tasks.sites.elements import TYPED, VISITED
from procgen_bench.tasks.sites.pages import MAX_BLOCKS, MAX_ELEMENTS
from procgen_bench.tasks.sites.vocabulary import token

#: Parts of what an element is like, as bits of one number; above them the number of the text that it holds.
IS_CHECKED, IS_HIDDEN, IS_SHOWN, IS_VISITED, IS_ACTIVE, TEXT = 1, 2, 4, 8, 16, 32
#: In place of a text's number: some text.
_SOME = 0
_VISITED = token(VISITED)
_TYPED = tuple(int(behaviour) for behaviour in TYPED)


class RowStates(NamedTuple):
    """What has been seen of N rows.

    Attributes:
        states: int64 (N, 250), what each element is like.
        kinds: int64 (N, 250), the same without which text a line holds.
        elements: int32 (N, 250), the elements' numbers.
        starts: int16 (N, 64), the index of each block's first element.
        counts: int16 (N,), how many elements the pages have.
        changed: bool (N, 64), the blocks that have changed since somebody set it to false.
        touched: bool (N,), the rows whose pages have.
    """

    states: np.ndarray
    kinds: np.ndarray
    elements: np.ndarray
    starts: np.ndarray
    counts: np.ndarray
    changed: np.ndarray
    touched: np.ndarray


def nothing_seen(num_rows: int) -> RowStates:
    """Of ``num_rows`` rows nothing has been seen."""
    return RowStates(
        states=np.zeros((num_rows, MAX_ELEMENTS), np.int64),
        kinds=np.zeros((num_rows, MAX_ELEMENTS), np.int64),
        elements=np.full((num_rows, MAX_ELEMENTS), NOTHING, np.int32),
        starts=np.zeros((num_rows, MAX_BLOCKS), np.int16),
        counts=np.zeros(num_rows, np.int16),
        changed=np.zeros((num_rows, MAX_BLOCKS), np.bool_),
        touched=np.zeros(num_rows, np.bool_),
    )


def look(seen: RowStates, rows: range, pages: np.ndarray, view: View, elements: np.ndarray) -> None:
    """See what is there now.

    Args:
        seen: What was seen before, which is brought up to date.
        rows: The rows to look at, one after the other.
        pages: PAGE (N,).
        view: What is observed.
        elements: ELEMENT (E,), those of all primitives.
    """
    _look(seen, rows.start, rows.stop, pages, view.classes, elements)


@njit
def _look(seen, first, end, pages, classes, elements):
    for i in range(first, end):
        page = pages[i]
        if page.num_elements != seen.counts[i]:
            seen.counts[i], seen.touched[i] = page.num_elements, True
        for element in range(page.num_elements):
            inside, block = page.elements[element], page.blocks[element]
            state, held = 0, page.held[element]
            if page.checked[element]:
                state += IS_CHECKED
            if page.hidden[element]:
                state += IS_HIDDEN
            if page.shown[element]:
                state += IS_SHOWN
            if page.focus == element:
                state += IS_ACTIVE
            kind = held
            if inside != NOTHING:
                if classes[i, element, elements[inside].state_place] == _VISITED:
                    state += IS_VISITED
                if held != NOTHING and elements[inside].behaviour in _TYPED:
                    kind = _SOME
            kind, state = kind * TEXT + state, held * TEXT + state
            if block == NOTHING:
                seen.states[i, element], seen.elements[i, element] = state, inside
                continue
            if state != seen.states[i, element] or inside != seen.elements[i, element]:
                seen.states[i, element], seen.kinds[i, element] = state, kind
                seen.elements[i, element] = inside
                seen.changed[i, block], seen.touched[i] = True, True
            if seen.starts[i, block] != page.block_starts[block]:
                seen.starts[i, block] = page.block_starts[block]
                seen.changed[i, block], seen.touched[i] = True, True
