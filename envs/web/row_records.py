"""Records of the elements that rows show; those of elements that stay as they were are not made again."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from procgen_bench.envs.web.observations import ElementRecord
from procgen_bench.envs.web.texts import Texts
from procgen_bench.tasks.sites.element_arrays import NOTHING
from procgen_bench.tasks.sites.elements import CHECKED, HIDDEN, NO_BOX, VISITED
from procgen_bench.tasks.sites.pages import Page, placed_elements
from procgen_bench.tasks.sites.vocabulary import token

_VISITED_TOKEN = token(VISITED)
#: Parts of what an element is like, as bits of one number; above them the number of the text that it holds.
_CHECKED, _HIDDEN, _SHOWN, _VISITED, _ACTIVE, _TEXT = 1, 2, 4, 8, 16, 32


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

    def of(
        self, row: int, page: Page, pages: np.ndarray, classes: np.ndarray, texts: Texts
    ) -> tuple[ElementRecord, ...]:
        """The elements of a row's current page.

        Args:
            row: The row.
            page: Its current page.
            pages: PAGE (N,), what has been done in every row.
            classes: int16 (N, 250, 4), classes of elements; the last one is that of the state.
            texts: Texts by number.
        """
        known = self._known[row]
        if known is None or known.page != page:
            known = _at_first(page)
        states = _states(row, page, pages, classes)
        changed = np.flatnonzero(states != known.states).tolist()
        if changed:
            records, placed = list(known.records), placed_elements(page)
            for index, state in zip(changed, states[changed].tolist()):
                element = placed[index].element
                mark = (HIDDEN,) if state & _HIDDEN else (VISITED,) if state & _VISITED else ()
                held = state // _TEXT
                records[index] = records[index]._replace(
                    classes=element.classes + mark,
                    value=texts[held] if held != NOTHING else CHECKED if state & _CHECKED else "",
                    box=placed[index].box if state & _SHOWN else NO_BOX,
                    active=bool(state & _ACTIVE),
                )
            known = _Known(page, states, tuple(records))
        self._known[row] = known
        return known.records


def _states(row: int, page: Page, pages: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """int64 (elements,), what each element of a row's page is like."""
    places = _state_places(page)
    one = pages[row]
    count = len(places)
    visited = classes[row, :count][np.arange(count), places] == _VISITED_TOKEN
    states = one["held"][:count].astype(np.int64) * _TEXT
    states += one["checked"][:count] * _CHECKED + one["hidden"][:count] * _HIDDEN + one["shown"][:count] * _SHOWN
    states += visited * _VISITED
    if one["focus"] != NOTHING:
        states[one["focus"]] += _ACTIVE
    return states


@lru_cache(maxsize=4096)
def _state_places(page: Page) -> np.ndarray:
    """int64 (elements,), which of an element's classes tells its state."""
    return np.array([len(placed.element.classes) for placed in placed_elements(page)])


@lru_cache(maxsize=4096)
def _at_first(page: Page) -> _Known:
    """A page of which everything is shown, and nothing is held, checked or used."""
    records = tuple(
        ElementRecord(
            one.element.tag, one.element.classes, one.element.text, one.element.observed, "", one.depth, one.parent,
            one.box, False,
        )
        for one in placed_elements(page)
    )  # fmt: skip
    return _Known(page, np.full(len(records), NOTHING * _TEXT + _SHOWN, np.int64), records)
