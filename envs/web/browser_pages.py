"""Pages of the one browser that a process shares among its environments."""

import io
import weakref
from collections.abc import Sequence
from typing import Any

import gymnasium.error
import numpy as np
from PIL import Image

from procgen_bench.core.errors import InvalidOptionError, ResetNeededError
from procgen_bench.envs.web.browser_service import BrowserService
from procgen_bench.envs.web.chromium import DEFAULT_DEADLINE
from procgen_bench.envs.web.inspector import Call, Message
from procgen_bench.envs.web.tab import PageFailure, Tab


class BrowserPage:
    """A page in the browser of this process, with a context of its own: no cookie, script or process is shared.

    The first page starts the browser, the last one to close ends it; the program's end closes all. A page closes by
    :meth:`close`, or when it is let go of. Nothing that a page requests leaves the browser: links, forms, scripts,
    images and sockets lead nowhere, windows and dialogs do not open.

    Calls may come from any thread, also under a running event loop; each waits for its answer. Those for many pages,
    :func:`load_pages`, :func:`evaluate_pages` and :func:`use_pages`, wait for all of them at once. A page that is lost
    costs no more than its deadline and the moments in which it is closed; calls then return a
    :class:`~procgen_bench.envs.web.tab.PageFailure`, until a load gets a fresh page, in a fresh browser where need be.
    In a child after fork, a page is an unloaded one in a browser of the child's own.

    Args:
        width, height: Of the viewport, in pixels, at least 1.
        deadline: Seconds that one answer may take.

    Raises:
        InvalidOptionError: A size or the deadline is not positive.
        MissingChromiumError: There is no Chromium to start.
        BrowserStartError: The browser does not start (now, or at a load after it died).
        gymnasium.error.ClosedEnvironmentError: From calls after :meth:`close`.
    """

    def __init__(self, width: int = 800, height: int = 600, deadline: float = DEFAULT_DEADLINE):
        for name, value in (("width", width), ("height", height), ("deadline", deadline)):
            if not value > 0:
                raise InvalidOptionError(f"{name} is {value!r}, expected a number above 0")
        self.viewport, self.deadline = (int(width), int(height)), float(deadline)
        self._attach()

    def load(self, html: str) -> PageFailure | None:
        """Show a document, with nothing left of what was shown before; see :func:`load_pages`."""
        return load_pages([(self, html)])[0]

    def evaluate(self, expression: str, argument: Any = None) -> Any | PageFailure:
        """What an expression, or a function of ``argument``, gives in the page; see :func:`evaluate_pages`."""
        return evaluate_pages([(self, expression, argument)])[0]

    def inspect(self, calls: Sequence[Call]) -> list[Message] | PageFailure:
        """What the browser's inspector answers to calls (name, parameters) about the page, one after the other."""
        self._check_loaded()
        return self._service.run(self._service.inspect(self._tab, calls, self.deadline))

    def screenshot(self, height: int | None = None) -> np.ndarray | PageFailure:
        """So many rows of the page, or the whole, also what lies below the viewport: uint8 (height, width, 3)."""
        self._check_loaded()
        png = self._service.run(self._service.screenshot(self._tab, height, self.deadline))
        if isinstance(png, PageFailure):
            return png
        with Image.open(io.BytesIO(png)) as image:
            return np.asarray(image.convert("RGB"))

    def address(self) -> str | PageFailure:
        """Where Playwright (``chromium.connect_over_cdp``) or another client of the inspector finds this page alone.

        It is a websocket of this machine whose path is a secret; it holds until the page is closed or lost.
        """
        self._check_loaded()
        return self._service.run(self._tab.address())

    @property
    def failure(self) -> PageFailure | None:
        """Why the page is lost, as far as is known without asking it."""
        return self._tab.failure

    def close(self) -> None:
        """Close the page, and the browser with the last one. Closing again does nothing."""
        if self._finalizer.detach() is not None and self._service.is_of_this_process:
            self._service.run(self._service.release(self._tab))

    def _attach(self) -> None:
        self._service = BrowserService.of_this_process()
        self._tab = Tab(self.viewport)
        self._service.run(self._service.hold(self._tab))
        self._finalizer = weakref.finalize(self, self._service.release_soon, self._tab)
        self._finalizer.atexit = False  # the service ends as a whole

    def _check_open(self) -> None:
        if not self._finalizer.alive:
            raise gymnasium.error.ClosedEnvironmentError("the page is closed; make a new one")
        if not self._service.is_of_this_process:
            self._finalizer.detach()
            self._attach()

    def _check_loaded(self) -> None:
        self._check_open()
        if not self._tab.loaded:
            raise ResetNeededError("nothing is loaded into the page; load a document before asking it")


def load_pages(loads: Sequence[tuple[BrowserPage, str]]) -> list[PageFailure | None]:
    """Show documents in pages, at the same time.

    Args:
        loads: Pairs of a page, each at most once, and its HTML.

    Returns:
        For each ``None``, or why it could not be shown in a fresh page either.

    Raises:
        BrowserStartError: The browser had died, and does not start again.
    """
    for page, _ in loads:
        page._check_open()
    service = BrowserService.of_this_process()
    return service.run(service.load([(page._tab, html, page.deadline) for page, html in loads]))


def evaluate_pages(requests: Sequence[tuple[BrowserPage, str, Any]]) -> list[Any | PageFailure]:
    """Evaluate in pages, at the same time.

    Args:
        requests: Triples of a page, each at most once; a JavaScript expression, or a function of one argument; and that
            argument, of plain values. Let it return one JSON string: other values take several times as long.

    Returns:
        For each the value; or why the page is lost, which no further call changes until a load.

    Raises:
        PageError: A script threw an exception; the first one that did. All scripts have run by then.
        ResetNeededError: Nothing was ever loaded into a page.
    """
    for page, _, _ in requests:
        page._check_loaded()
    service = BrowserService.of_this_process()
    return service.run(
        service.evaluate([(page._tab, expression, argument, page.deadline) for page, expression, argument in requests])
    )


def use_pages(uses: Sequence[tuple[BrowserPage, str, Sequence[Any], str]]) -> list[Any | PageFailure]:
    """Use pages by mouse and keyboard, at the same time: what the browser takes in is as if it came from a person.

    Args:
        uses: For each page, at most once, a JavaScript function that tells the gestures of an action, as a list
            (:mod:`procgen_bench.envs.web.gestures`); its arguments, one after the other; and an expression for the
            answer. The page's deadline is one for each gesture.

    Returns:
        For each what the expression gives when all is done, or what the function gave in place of a list; or why the
        page is lost.

    Raises:
        PageError: A script threw an exception, or named a gesture that there is not; the first one that did.
        ResetNeededError: Nothing was ever loaded into a page.
    """
    for page, *_ in uses:
        page._check_loaded()
    service = BrowserService.of_this_process()
    return service.run(service.use([(page._tab, aim, some, answer, page.deadline) for page, aim, some, answer in uses]))
