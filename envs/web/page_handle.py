"""Playwright's page on a page of ours: for agents that steer one themselves, and for all that it can tell."""

import os
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from procgen_bench.core.errors import PageError
from procgen_bench.core.extras import import_extra

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


class _Driver(threading.local):
    """Playwright's synchronous interface, of which a thread has one: started for its first handle, ended with the last.

    Attributes:
        num_users: Handles that are connected.
    """

    started: Any = None
    num_users = 0

    def start(self) -> Any:
        """The interface.

        Raises:
            PageError: It cannot be used here, since a loop runs in this thread.
        """
        api = import_extra("playwright.sync_api")
        if self.started is None:
            try:
                self.started = api.sync_playwright().start()
            except api.Error:
                raise PageError(
                    "page: an event loop runs in this thread (a notebook's, or another Playwright's), where the "
                    "synchronous page cannot be; connect a Playwright of your own: chromium.connect_over_cdp("
                    "env.unwrapped.page_address)"
                ) from None
        self.num_users += 1
        return self.started

    def release(self) -> None:
        """One handle less."""
        self.num_users -= 1
        if self.num_users == 0:
            started, self.started = self.started, None
            with suppress(Exception):  # its process may be gone before it
                started.stop()


_driver = _Driver()


class PageHandle:
    """What finds Playwright's page, and keeps it for as long as its address is the same. Copies find their own."""

    def __init__(self) -> None:
        self._owner: tuple[int, int] | None = None
        self._address = ""
        self._browser: Browser | None = None
        self._page: Page | None = None

    def __reduce__(self):
        return PageHandle, ()

    def at(self, address: str) -> "Page":
        """The page at an address, in this thread.

        Raises:
            MissingExtraError: Playwright is not installed.
            PageError: The address leads nowhere, or the synchronous interface cannot be used in this thread.
        """
        if self._page is None or (self._address, self._owner) != (address, _here()):
            self.close()
            self._browser = browser = self._connected(address)
            self._page = browser.contexts[0].pages[0]
            # What Playwright would have otherwise, and pages here have.
            self._page.emulate_media(color_scheme="light", reduced_motion="reduce")
            self._owner, self._address = _here(), address
        return self._page

    def close(self) -> None:
        """Let go of the page, which stays as it is."""
        browser, self._browser, self._page = self._browser, None, None
        if browser is not None and self._owner == _here():
            with suppress(Exception):  # as when the page is lost
                browser.close()
            _driver.release()

    def _connected(self, address: str) -> "Browser":
        started = _driver.start()
        try:
            return started.chromium.connect_over_cdp(address)
        except Exception as error:
            _driver.release()
            raise PageError(f"page: Playwright does not find it: {str(error).splitlines()[0]}") from None


def _here() -> tuple[int, int]:
    """This thread of this process, outside of which a page is of no use."""
    return os.getpid(), threading.get_ident()
