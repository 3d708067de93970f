"""What a page of a site answers, checked against the design, and which fields it shows to be right."""

import json
from collections.abc import Iterable, Sequence, Sized
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from procgen_bench.envs.web.observations import MAX_PIXELS, NUM_CLASSES, ElementRecord
from procgen_bench.tasks.sites.elements import CHECKED, Behaviour, Box
from procgen_bench.tasks.sites.pages import MAX_ELEMENTS, PlacedElement, placed_elements
from procgen_bench.tasks.sites.primitives import PRIMITIVES
from procgen_bench.tasks.sites.task import SiteTask


class NonsenseError(ValueError):
    """A page answered what no page of its site answers."""


class PageReading(NamedTuple):
    """A site as its page told it.

    Attributes:
        page: Number of the current page, from 0.
        sent: Whether the site was sent off.
        told: The current page's elements in the words of ``site.js``.
        records: The same elements as records.
    """

    page: int
    sent: bool
    told: list
    records: tuple[ElementRecord, ...]


def read_answer(answer: Any, task: SiteTask, actions: Sized, before: PageReading | None) -> PageReading:
    """What a page answered after actions.

    Args:
        answer: A JSON string: number of actions since it was loaded, current page, whether the site was sent off, and
            the elements as ``observe`` of ``site.js`` tells them.
        task: The site's task.
        actions: What has been done since it was loaded.
        before: The reading before the last action, whose records of unchanged elements are taken over; ``None``: no
            reading since it was loaded.

    Raises:
        NonsenseError: It is something else, or does not fit the site.
    """
    try:
        counted, page, sent, told = json.loads(answer)
        if counted != len(actions):
            raise NonsenseError(f"{counted!r} actions were done instead of {len(actions)}")
        if type(page) is not int or page < 0 or (before is not None and page - before.page not in (0, 1)):
            raise NonsenseError(f"page {page!r} is shown")
        placed = placed_elements(task.design.pages[page])
        if len(told) != len(placed):
            raise NonsenseError(f"page {page} has {len(told)} elements instead of {len(placed)}")
        if before is not None and before.page == page:
            known: Iterable[tuple[list | None, ElementRecord | None]] = zip(before.told, before.records)
        else:
            known = ((None, None),) * len(placed)
        records = [
            old_record if old_record and element == old_element else _record(element, expected)
            for element, expected, (old_element, old_record) in zip(told, placed, known)
        ]
    except NonsenseError:
        raise
    except (TypeError, ValueError, IndexError, KeyError) as error:
        raise NonsenseError(f"{error}: {str(answer)[:80]}") from None
    return PageReading(page, sent is True, told, tuple(records))


def _record(told: list, expected: PlacedElement) -> ElementRecord:
    tag, classes, text, attributes, value, depth, parent, box, active = told
    if (tag, depth, parent) != (expected.element.tag, expected.depth, expected.parent):
        raise NonsenseError(f"<{tag}> stands where <{expected.element.tag}> belongs")
    if len(classes) > NUM_CLASSES or not all(isinstance(word, str) for word in (*classes, *attributes, text, value)):
        raise NonsenseError(f"<{tag}> has classes {classes!r}, attributes {attributes!r}, {text!r} and {value!r}")
    if len(box) != 4 or not all(type(pixels) is int and 0 <= pixels <= MAX_PIXELS for pixels in box):
        raise NonsenseError(f"<{tag}> has the box {box!r}")
    if type(active) is not bool:
        raise NonsenseError(f"<{tag}> has the focus {active!r}")
    return ElementRecord(tag, tuple(classes), text, tuple(attributes), value, depth, parent, Box(*box), active)


@lru_cache(maxsize=4096)
def usable_elements(page: tuple[str, ...]) -> np.ndarray:
    """bool (250,), which elements of a page do something when they are drawn."""
    usable = np.zeros(MAX_ELEMENTS, np.bool_)
    placed = placed_elements(page)
    usable[: len(placed)] = [one.element.behaviour != Behaviour.NONE for one in placed]
    usable.flags.writeable = False
    return usable


def num_asked(pages: Sequence[tuple[str, ...]]) -> int:
    """Number of active primitives on pages."""
    return sum(len(_asking(page)) for page in pages)


@lru_cache(maxsize=4096)
def _asking(page: tuple[str, ...]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """For each active primitive of a page, top to bottom: its field, and the indices of the elements that hold it."""
    holding = (Behaviour.TYPE, Behaviour.SELECT, Behaviour.CHECK, Behaviour.CHOOSE)
    return tuple(
        (
            PRIMITIVES[name].field,
            tuple(
                index
                for index, placed in enumerate(placed_elements(page))
                if placed.block == block and placed.element.behaviour in holding
            ),
        )
        for block, name in enumerate(page)
        if PRIMITIVES[name].active
    )


def right_fields(reading: PageReading, task: SiteTask) -> list[bool]:
    """For each active primitive of the current page, top to bottom, whether it holds what the profile says."""
    page, wanted = task.design.pages[reading.page], dict(task.profile)
    elements = placed_elements(page)
    return [
        any(_holds(elements[index], reading.records[index], wanted[field]) for index in indices)
        for field, indices in _asking(page)
    ]


def _holds(placed: PlacedElement, record: ElementRecord, wanted: str) -> bool:
    behaviour = placed.element.behaviour
    if behaviour == Behaviour.CHECK:
        return record.value == CHECKED
    if behaviour == Behaviour.CHOOSE:
        return record.value == CHECKED and placed.element.attribute("value") == wanted
    return record.value == wanted
