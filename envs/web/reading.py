"""What a page of a site answers, checked against the design, and which fields it shows to be right."""

import json
from collections.abc import Iterable, Sequence, Sized
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from procgen_bench.envs.web.observations import MAX_PIXELS, NUM_CLASSES, ElementRecord
from procgen_bench.tasks.sites.elements import CHECKED, HOLDING, Behaviour, Box
from procgen_bench.tasks.sites.pages import MAX_ELEMENTS, Page, PlacedElement, placed_elements
from procgen_bench.tasks.sites.primitive import YES
from procgen_bench.tasks.sites.task import SiteTask

_OPTION = Behaviour.CHOOSE
#: How an episode may have ended: the site was submitted, or the agent was distracted.
SENT, ENDED = "sent", "ended"


class NonsenseError(ValueError):
    """A page answered what no page of its site answers."""


class PageReading(NamedTuple):
    """A site as its page describes it.

    Attributes:
        page: Number of the current page, from 0.
        end: ``"sent"`` off, ``"ended"`` by a distraction, or empty: it goes on.
        elements: The current page's elements, each a list as ``observe`` of ``site.js`` gives it.
        records: The same elements as records.
    """

    page: int
    end: str
    elements: list
    records: tuple[ElementRecord, ...]


def read_answer(answer: Any, task: SiteTask, actions: Sized, before: PageReading | None) -> PageReading:
    """What a page answered after actions.

    Args:
        answer: A JSON string: number of actions since it was loaded, current page, how the episode ended, and the
            elements as ``observe`` of ``site.js`` gives them.
        task: The site's task.
        actions: What has been done since it was loaded.
        before: The reading before the last action, whose records of unchanged elements are taken over; ``None``: no
            reading since it was loaded.

    Raises:
        NonsenseError: It is something else, or does not fit the site.
    """
    try:
        counted, page, end, elements = json.loads(answer)
        if counted != len(actions):
            raise NonsenseError(f"{counted!r} actions were done instead of {len(actions)}")
        if type(page) is not int or page < 0 or (before is not None and page - before.page not in (0, 1)):
            raise NonsenseError(f"page {page!r} is shown")
        if end not in ("", SENT, ENDED):
            raise NonsenseError(f"the end is {end!r}")
        placed = placed_elements(task.pages[page])
        if len(elements) != len(placed):
            raise NonsenseError(f"page {page} has {len(elements)} elements instead of {len(placed)}")
        if before is not None and before.page == page:
            known: Iterable[tuple[list | None, ElementRecord | None]] = zip(before.elements, before.records)
        else:
            known = ((None, None),) * len(placed)
        records = [
            old_record if old_record and element == old_element else _record(element, expected)
            for element, expected, (old_element, old_record) in zip(elements, placed, known)
        ]
    except NonsenseError:
        raise
    except (TypeError, ValueError, IndexError, KeyError) as error:
        raise NonsenseError(f"{error}: {str(answer)[:80]}") from None
    return PageReading(page, end, elements, tuple(records))


def in_whole_pixels(shown: str) -> str:
    """A page's answer, boxes rounded: on a page that a person has enlarged, pixels have parts.

    Raises:
        NonsenseError: It is no such JSON.
    """
    try:
        answer = json.loads(shown)
        for element in answer[3]:
            element[7] = [round(pixels) for pixels in element[7]]
    except (TypeError, ValueError, LookupError, OverflowError, RecursionError) as error:
        raise NonsenseError(f"{error}: {shown[:80]}") from None
    return json.dumps(answer)


def _record(found: list, expected: PlacedElement) -> ElementRecord:
    tag, classes, text, attributes, value, depth, parent, box, active = found
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
def usable_elements(page: Page) -> np.ndarray:
    """bool (250,), which elements of a page do something when they are drawn."""
    return _those(page, set(Behaviour) - {Behaviour.NONE})


@lru_cache(maxsize=4096)
def holding_elements(page: Page) -> np.ndarray:
    """bool (250,), which elements of a page hold a value."""
    return _those(page, set(HOLDING))


@lru_cache(maxsize=4096)
def option_groups(page: Page) -> tuple[np.ndarray, ...]:
    """For each block of a page that has options to choose among, their indices: int64 (options,)."""
    options = [
        (one.block, index) for index, one in enumerate(placed_elements(page)) if one.element.behaviour == _OPTION
    ]
    return tuple(np.array([index for one, index in options if one == block]) for block in dict(options))


def _those(page: Page, behaviours: set[Behaviour]) -> np.ndarray:
    chosen = np.zeros(MAX_ELEMENTS, np.bool_)
    placed = placed_elements(page)
    chosen[: len(placed)] = [one.element.behaviour in behaviours for one in placed]
    chosen.flags.writeable = False
    return chosen


def right_at_first(task: SiteTask) -> list[bool]:
    """For each active primitive of the site, page by page, whether it holds at first what the profile says."""
    wanted = dict(task.profile)
    return [primitive.initial == wanted[primitive.field] for primitive in task.design.primitives if primitive.active]


def num_asked(pages: Sequence[Page]) -> int:
    """Number of active primitives on pages."""
    return sum(primitive.active for page in pages for primitive in page)


@lru_cache(maxsize=4096)
def _asking(page: Page) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """For each active primitive of a page, top to bottom: its field, and the indices of the elements that hold it."""
    return tuple(
        (
            primitive.field,
            tuple(
                index
                for index, placed in enumerate(placed_elements(page))
                if placed.block == block and placed.element.behaviour in HOLDING
            ),
        )
        for block, primitive in enumerate(page)
        if primitive.active
    )


def right_fields(reading: PageReading, task: SiteTask) -> list[bool]:
    """For each active primitive of the current page, top to bottom, whether it holds what the profile says."""
    page, wanted = task.pages[reading.page], dict(task.profile)
    elements = placed_elements(page)
    return [
        any(_holds(elements[index], reading.records[index], wanted[field]) for index in indices)
        for field, indices in _asking(page)
    ]


def num_spoiled(reading: PageReading, task: SiteTask) -> int:
    """Of how many of the current page's decoys something holds another value than at first."""
    page = task.pages[reading.page]
    spoiled = {
        placed.block
        for placed, record in zip(placed_elements(page), reading.records)
        if placed.element.behaviour in HOLDING
        and page[placed.block].decoy
        and record.value != placed.element.value_at_first
    }
    return len(spoiled)


def is_changed(before: PageReading, after: PageReading) -> bool:
    """Whether a page shows something else than before, or is another one; where the focus is does not count."""
    if before.page != after.page:
        return True
    return any(
        old is not new and old._replace(active=new.active) != new for old, new in zip(before.records, after.records)
    )


def _holds(placed: PlacedElement, record: ElementRecord, wanted: str) -> bool:
    behaviour = placed.element.behaviour
    if behaviour == Behaviour.CHECK:
        return record.value == (CHECKED if wanted == YES else "")
    if behaviour == Behaviour.CHOOSE:
        return record.value == CHECKED and placed.element.attribute("value") == wanted
    return record.value == wanted
