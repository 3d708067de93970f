"""Real pages of sites, one per row: opened, acted on all at once, and read; those that are lost say why."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from procgen_bench.core.errors import BrowserStartError, PageError
from procgen_bench.envs.web.browser_pages import BrowserPage, evaluate_pages, load_pages, use_pages
from procgen_bench.envs.web.page import site_document
from procgen_bench.envs.web.reading import NonsenseError, PageReading, read_answer
from procgen_bench.envs.web.tab import PageFailure
from procgen_bench.tasks.sites.task import SiteTask
from procgen_bench.tasks.sites.templates import PAGE_WIDTH

#: Acts in a page and reads it, in one call; what goes wrong inside is returned as well, and is no JSON.
_USE = """actions => {
  try {
    for (const action of actions) site.act(...action);
    return site.observe();
  } catch (error) {
    return String(error);
  }
}"""
#: The same in two calls, for hands to act in between.
_AIM = """(action) => {
  try {
    return site.aim(...action);
  } catch (error) {
    return String(error);
  }
}"""
_TELL = f"({_USE})([])"
#: Height of the window, by kind of events. Where nobody looks, what lies outside is not painted, and pictures are taken
#: of the whole page all the same; hands use what lies inside.
_WINDOW_HEIGHTS = {"script": 1, "input": 960}
#: How often a page is opened before its loss is an error.
_ATTEMPTS = 3


#: An element of the page, and a field or an agent's own text.
Action = tuple[int, int | str]


class Episode(NamedTuple):
    """What decides how a page is: the task, and what was done so far: (element, field), or (element, own text)."""

    task: SiteTask
    actions: tuple[Action, ...] = ()


class SitePages:
    """Pages of N rows, in the browser that this process shares.

    Args:
        num_rows: Number of rows, N.
        deadline: Seconds that a page may take for one answer.
        events: ``"input"``, mouse and keyboard, or ``"script"``.
        literal: Whether boxes, lists and options are used as they are pointed at, whatever a field's value is.

    Raises:
        MissingChromiumError: There is no Chromium to start.
        BrowserStartError: The browser does not start.
    """

    def __init__(self, num_rows: int, deadline: float, events: str, literal: bool):
        self._by_hand, self._literal = events == "input", literal
        size = (PAGE_WIDTH, _WINDOW_HEIGHTS[events])
        self._pages = [BrowserPage(*size, deadline) for _ in range(num_rows)]
        self._shown: list[tuple[Episode, PageReading] | None] = [None] * num_rows

    def shows(self, row: int, episode: Episode) -> bool:
        """Whether the page of ``row`` is in this state of this episode, as far as is known."""
        shown = self._shown[row]
        return shown is not None and shown[0] == episode

    def open(self, episodes: dict[int, Episode]) -> dict[int, PageReading]:
        """Load rows' sites again and repeat their episodes' actions; what the pages are like then.

        Raises:
            BrowserStartError: A page, or the browser, is lost again and again as it is opened.
        """
        readings: dict[int, PageReading] = {}
        reason = ""
        for _ in range(_ATTEMPTS):
            waiting = {row: episode for row, episode in episodes.items() if row not in readings}
            if not waiting:
                break
            load_pages(
                [(self._pages[row], site_document(episode.task, guarded=False)) for row, episode in waiting.items()]
            )
            self._shown = [None if row in waiting else shown for row, shown in enumerate(self._shown)]
            # A page that could not be loaded gives its failure as the answer.
            for row, reading in self._used(waiting, {row: e.actions for row, e in waiting.items()}).items():
                if isinstance(reading, str):
                    reason = f"row {row}'s page was lost {_ATTEMPTS} times as it was opened: {reading}"
                else:
                    readings[row] = reading
        if len(readings) < len(episodes):
            raise BrowserStartError(reason)
        return readings

    def act(self, episodes: dict[int, Episode]) -> dict[int, PageReading | str]:
        """Do the last actions of episodes, in all pages at once; what the pages are like then, or why they are lost."""
        return self._used(episodes, {row: episode.actions[-1:] for row, episode in episodes.items()})

    def screenshot(self, row: int, height: int) -> np.ndarray | None:
        """A picture of the page of ``row``, uint8 (height, 480, 3); ``None`` when it is lost."""
        picture = self._pages[row].screenshot(height) if self._shown[row] else None
        return picture if isinstance(picture, np.ndarray) else None

    def address(self, row: int) -> str | PageFailure:
        """Where the page of ``row`` is found by others; see :meth:`BrowserPage.address`."""
        return self._pages[row].address()

    def close(self) -> None:
        """Close the pages, and the browser with the last page of this process."""
        for page in self._pages:
            page.close()

    def _used(self, episodes: dict[int, Episode], actions: dict[int, Sequence[Action]]) -> dict[int, PageReading | str]:
        """Do ``actions``, which bring pages to the state of their episodes."""
        requests = [(self._pages[row], self._in_page(episodes[row].task, some)) for row, some in actions.items()]
        try:
            if self._by_hand:
                answers = use_pages([(page, _AIM, some, _TELL) for page, some in requests])
            else:
                answers = evaluate_pages([(page, _USE, some) for page, some in requests])
        except PageError:
            # The error does not say whose script failed: asking each again does, or its number of actions.
            answers = [_answer_of_one(page) for page, _ in requests]
        return {row: self._read(row, episodes[row], answer) for row, answer in zip(actions, answers)}

    def _in_page(self, task: SiteTask, actions: Sequence[Action]) -> list[tuple[int, str | None, bool]]:
        """Actions with the field's value in place of its number, ``None`` for no field, and whether it is literal."""
        values = dict(enumerate(value for _, value in task.profile))
        return [
            (element, field, True) if isinstance(field, str) else (element, values.get(field), self._literal)
            for element, field in actions
        ]

    def _read(self, row: int, episode: Episode, answer: object) -> PageReading | str:
        before, self._shown[row] = self._shown[row], None
        if isinstance(answer, PageFailure):
            return answer.reason
        try:
            reading = read_answer(answer, *episode, before and before[1])
        except NonsenseError as error:
            return f"the page answered nonsense: {error}"
        self._shown[row] = episode, reading
        return reading


def _answer_of_one(page: BrowserPage) -> object:
    try:
        return page.evaluate(_USE, [])
    except PageError as error:
        return f"script: {error}"
