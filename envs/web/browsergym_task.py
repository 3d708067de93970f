"""A site as BrowserGym asks for tasks. It needs a Playwright page, and nothing of BrowserGym."""

from typing import TYPE_CHECKING, Any

import numpy as np

from procgen_bench.core.seeding import checked_seed
from procgen_bench.core.success import success_info
from procgen_bench.envs.web.page import site_document
from procgen_bench.envs.web.page_text import instruction_text
from procgen_bench.envs.web.reading import (
    SENT,
    NonsenseError,
    PageReading,
    in_whole_pixels,
    num_spoiled,
    read_answer,
    right_fields,
)
from procgen_bench.envs.web.text_observations import PICTURE_HEIGHT
from procgen_bench.tasks.sites import SiteTaskSpace
from procgen_bench.tasks.sites.design import HORIZON
from procgen_bench.tasks.sites.templates import PAGE_WIDTH

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

#: Where a site is, as far as its page knows; nothing else can be reached.
ADDRESS = "http://procgen-bench.invalid/"


class BrowserGymTask:
    """One of some tasks of GMiniWoB-v0, in a page of BrowserGym's (its ``AbstractBrowserTask``).

    The reward is BrowserGym's kind: 1 when the site is submitted with every field right, else 0. The episode is done
    when the site is submitted, at a distraction, when the page shows the site no more, and after 25 steps.

    Args:
        seed: Which of the tasks is played: number ``seed`` modulo their number; ``None``: any.
        tasks: A suite's name, a task, a task's name, raw parameters, or a list of those.
    """

    slow_mo, timeout = 0, 5000  # milliseconds
    locale = timezone_id = None

    def __init__(self, seed: int | None, tasks: Any = "test"):
        seed = checked_seed(seed)
        chosen = SiteTaskSpace().resolve_many(tasks)
        place = np.random.default_rng().integers(len(chosen)) if seed is None else seed % len(chosen)
        self.task, self.viewport = chosen[place], {"width": PAGE_WIDTH, "height": PICTURE_HEIGHT}
        self._num_steps = 0

    def setup(self, page: "Page") -> tuple[str, dict]:
        """Show the site's first page; returns the instruction, and what is known of the episode."""
        self._page, self._is_served = page, False
        page.route("**/*", self._serve)
        page.goto(ADDRESS)
        return instruction_text(self.task), self._info([], False)

    def validate(self, page: "Page", chat_messages: list) -> tuple[float, bool, str, dict]:
        """What a step came to: reward, whether the episode is done, a message to the agent, what is known of it."""
        self._num_steps += 1
        try:
            readings = self._readings()
        except NonsenseError:
            return 0.0, True, "The site is no longer there.", self._info([], False)
        right = [one for reading in readings for one in right_fields(reading, self.task)]
        spoiled = sum(num_spoiled(reading, self.task) for reading in readings)
        success = readings[-1].end == SENT and sum(right) == self.task.design.num_active and not spoiled
        done = bool(readings[-1].end) or self._num_steps == HORIZON
        return float(success), done, "", self._info(right, success)

    def teardown(self) -> None:
        """Nothing is left behind but the page, which is BrowserGym's."""

    def _serve(self, route: "Route") -> None:
        """The site, once; any other request is refused, and so is the same one again, which would begin it again.

        The page stays where it is, as if the request had been stopped by hand.
        """
        if route.request.url != ADDRESS or self._is_served:
            route.abort("aborted")
            return
        self._is_served = True
        route.fulfill(body=site_document(self.task), content_type="text/html; charset=utf-8")

    def _readings(self) -> list[PageReading]:
        """The site's pages as far as it was gone through, each as it is, or was left.

        Raises:
            NonsenseError: The page shows something else.
        """
        current = self._reading(None)
        return [*(self._reading(number) for number in range(current.page)), current]

    def _reading(self, number: int | None) -> PageReading:
        from playwright.sync_api import Error  # it is there where a page of its is

        try:
            answer = self._page.evaluate("number => site.observe(number ?? undefined)", number)
        except Error as error:  # closed, crashed, or another one comes
            raise NonsenseError(str(error)) from None
        return read_answer(in_whole_pixels(answer), self.task, (), None)

    def _info(self, right: list[bool], success: bool) -> dict[str, Any]:
        """Success, how many fields are right on the pages gone through, and how many there are to fill in."""
        return success_info(success) | {"num_right": sum(right), "num_active": self.task.design.num_active}
