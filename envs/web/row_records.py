"""Records of the elements that rows show; those of elements that stay as they were are not made again."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from procgen_bench.envs.web.observations import ElementRecord
from procgen_bench.envs.web.row_states import IS_ACTIVE, IS_CHECKED, IS_HIDDEN, IS_SHOWN, IS_VISITED, TEXT
from procgen_bench.envs.web.texts import Texts
from procgen_bench.tasks.sites.element_arrays import NOTHING
from procgen_bench.tasks.sites.elements import CHECKED, HIDDEN, NO_BOX, VISITED
from procgen_bench.tasks.sites.pages import Page, PlacedElement, placed_elements


class _Known(NamedTuple):
    """A page's elements as they were."""

    page: Page
    states: np.ndarray
    records: tuple[ElementRecord, ...]


class RowRecords:
    """Records of the elements of N rows.

    Args:
        num_rows: N.
    """

    def __init__(self, num_rows: int):
        self._known: list[_Known | None] = [None] * num_rows

    def forget(self) -> None:
        """Make all records again: numbers of texts have got other texts."""
        self._known = [None] * len(self._known)

    def of(self, row: int, page: Page, states: np.ndarray, texts: Texts) -> tuple[ElementRecord, ...]:
        """The elements of a row's current page.

        Args:
            row: The row.
            page: Its current page.
            states: int64 (elements,), what they are like.
            texts: Texts by number.
        """
        known = self._known[row]
        if known is None or known.page != page:
            known = _at_first(page)
        changed = np.flatnonzero(states != known.states).tolist()
        if changed:
            records, placed = list(known.records), placed_elements(page)
            for index, state in zip(changed, states[changed].tolist()):
                records[index] = record_in(state, placed[index], records[index], texts)
            known = _Known(page, states.copy(), tuple(records))
        self._known[row] = known
        return known.records


def record_in(state: int, placed: PlacedElement, record: ElementRecord, texts: Texts) -> ElementRecord:
    """A record of an element in this state, of which ``record`` tells it in another one."""
    mark = (HIDDEN,) if state & IS_HIDDEN else (VISITED,) if state & IS_VISITED else ()
    held = state // TEXT
    return record._replace(
        classes=placed.element.classes + mark,
        value=texts[held] if held != NOTHING else CHECKED if state & IS_CHECKED else "",
        box=placed.box if state & IS_SHOWN else NO_BOX,
        active=bool(state & IS_ACTIVE),
    )


def record_at_first(placed: PlacedElement) -> ElementRecord:
    """The record of an element that is shown, and of which nothing is held, checked or used."""
    element = placed.element
    return ElementRecord(
        element.tag, element.classes, element.text, element.observed, "", placed.depth, placed.parent, placed.box, False
    )


@lru_cache(maxsize=4096)
def _at_first(page: Page) -> _Known:
    """A page of which everything is shown, and nothing is held, checked or used."""
    records = tuple(map(record_at_first, placed_elements(page)))
    return _Known(page, np.full(len(records), NOTHING * TEXT + IS_SHOWN, np.int64), records)
