"""A page in a context of its own, which shows documents, answers within deadlines, and is refused all else."""

import asyncio
import json
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from procgen_bench.core.errors import PageError
from procgen_bench.envs.web.browser import END_DEADLINE, START_DEADLINE, Browser, playwright, within

Result = TypeVar("Result")

#: Where a page believes to be. The name cannot exist (RFC 2606), and is never looked up.
PAGE_ADDRESS = "http://site.invalid/"

#: What Chromium grants a page: its own text, style and script, and nothing else. Forms fire their events, go nowhere.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; sandbox allow-scripts allow-forms"
)


@dataclass(frozen=True)
class PageFailure:
    """A page that is lost: what its calls return from then on, until something is loaded into it anew.

    Attributes:
        kind: ``"browser"`` (Chromium or its driver died), ``"crash"`` (the page's renderer died), ``"hang"`` (no answer
            within the deadline), ``"left"`` (the page left its document, or closed itself).
        reason: The same in a few words, for people.
    """

    kind: Literal["browser", "crash", "hang", "left"]
    reason: str


#: Calls what is given if it is a function.
_VALUE_OF = "((given, argument) => typeof given === 'function' ? given(argument) : given)"

BROWSER_DIED = PageFailure("browser", "the browser died")
PAGE_CRASHED = PageFailure("crash", "the page crashed")
PAGE_LEFT = PageFailure("left", "the page left its document")


class Tab:
    """A context with one page, opened when something is first loaded, and again after a failure.

    Its methods are called in the background loop.

    Args:
        viewport: Width and height in pixels.
    """

    def __init__(self, viewport: tuple[int, int]):
        self._viewport = viewport
        self._browser: Browser | None = None
        self._context: playwright.BrowserContext | None = None
        self._page: playwright.Page | None = None
        self._inspector: playwright.CDPSession | None = None
        self._limits: set[asyncio.Timeout] = set()
        self._served: str | None = None
        self._failure: PageFailure | None = None

    @property
    def loaded(self) -> bool:
        """Whether something was ever loaded."""
        return self._browser is not None

    @property
    def failure(self) -> PageFailure | None:
        """Why the page is lost; ``None``: it is not, as far as is known by now."""
        if self._failure is None and self._browser is not None and not self._browser.alive:
            self._failure = BROWSER_DIED
        return self._failure

    async def load(self, browser: Browser, html: str, deadline: float) -> PageFailure | None:
        """Show a document in place of what is shown, in a fresh page where the old one is lost."""
        fresh = self._page is None or self.failure is not None or self._browser is not browser
        if fresh:
            await self.close()
            if not await self._open(browser):
                return self.failure
        self._served = html
        try:
            # Chromium parses in pieces: before this event, the document may be there in part.
            await self._within(deadline, self._opened_page.goto(PAGE_ADDRESS, wait_until="domcontentloaded"))
        except playwright.Error:
            await self._lose(PAGE_LEFT)
        if self.failure is None or fresh:
            return self.failure
        return await self.load(browser, html, deadline)

    async def evaluate(self, expression: str, argument: Any, deadline: float) -> Any | PageFailure:
        """The value of an expression, or of a function of ``argument``, in the page."""
        return await self._answer(deadline, lambda: self._inspect(expression, argument))

    async def screenshot(self, deadline: float) -> bytes | PageFailure:
        """The whole page as PNG."""
        return await self._answer(
            deadline, lambda: self._opened_page.screenshot(full_page=True, animations="disabled", caret="hide")
        )

    @property
    def _opened_page(self) -> "playwright.Page":
        assert self._page is not None  # opened before anything is asked of it
        return self._page

    async def close(self) -> None:
        """Close the context, if it is open; a browser that does not close it is ended."""
        context, self._context, self._page = self._context, None, None
        browser = self._browser
        if context is None or browser is None or not browser.alive:
            return
        if not await within(END_DEADLINE, context.close()):
            await browser.end()

    async def _open(self, browser: Browser) -> bool:
        """Open a fresh page; where that fails, the browser is of no more use and is ended."""
        self._browser, self._failure = browser, None
        try:
            async with asyncio.timeout(START_DEADLINE):
                self._context = await browser.new_context(self._viewport)
                await self._context.route("**/*", self._serve)
                await self._context.add_init_script(
                    "window.name = ''"
                )  # all that a load would leave of the page before
                page = await self._context.new_page()
                self._inspector = await self._context.new_cdp_session(page)
        except (TimeoutError, playwright.Error):
            await browser.end()
            return False
        page.set_default_timeout(0)  # deadlines are kept here
        page.on("crash", lambda _: self._note(page, PAGE_CRASHED))
        page.on("framenavigated", lambda frame: self._check_address(page, frame))
        self._page = page
        return True

    async def _serve(self, route: "playwright.Route") -> None:
        """Answer the request for the document that is being loaded, once, and refuse every other."""
        if route.request.url == PAGE_ADDRESS and self._served is not None:
            html, self._served = self._served, None
            await route.fulfill(
                body=html,
                content_type="text/html; charset=utf-8",
                headers={"Content-Security-Policy": CONTENT_SECURITY_POLICY},
            )
        else:
            await route.abort("aborted")  # of all errors the one that leaves the shown document in its place

    def _check_address(self, page: "playwright.Page", frame: "playwright.Frame") -> None:
        if frame == page.main_frame and frame.url.partition("#")[0] != PAGE_ADDRESS:
            self._note(page, PAGE_LEFT)

    def _note(self, page: "playwright.Page", failure: PageFailure) -> None:
        if page == self._page and self._failure is None:
            self._failure = failure
            for limit in self._limits:  # no answer comes any more
                if not limit.expired():
                    limit.reschedule(0)

    async def _inspect(self, expression: str, argument: Any) -> Any:
        """See :meth:`evaluate`. Chromium's own call takes half the time of Playwright's, which it is made of."""
        call = f"{_VALUE_OF}(({expression}), {json.dumps(argument)})"
        assert self._inspector is not None  # open with the page
        result = await self._inspector.send(
            "Runtime.evaluate", {"expression": call, "returnByValue": True, "awaitPromise": True}
        )
        if "exceptionDetails" in result:
            thrown = result["exceptionDetails"]["exception"]
            raise playwright.Error(thrown.get("description", str(thrown.get("value"))))
        return result["result"].get("value")

    async def _answer(self, deadline: float, ask) -> Any | PageFailure:
        """What ``ask()`` gives; where the page is lost, the failure."""
        if self.failure is not None:
            return self.failure
        try:
            answer = await self._within(deadline, ask())
        except playwright.Error as error:
            if not await self._is_lost():
                raise PageError(error.message) from None
        return self.failure or answer

    async def _within(self, deadline: float, call: Awaitable[Result]) -> Result | None:
        """What ``call`` gives; a page that does not answer in time is lost, and closed."""
        limit = asyncio.timeout(deadline)
        self._limits.add(limit)
        try:
            async with limit:
                return await call
        except TimeoutError:
            await self._lose(PageFailure("hang", f"the page did not answer within {deadline:g} s"))
            return None
        finally:
            self._limits.discard(limit)

    async def _is_lost(self) -> bool:
        """Whether a call failed because the page is lost; the news of that may come a moment after the answer."""
        for _ in range(20):
            if self.failure is not None:
                break
            await asyncio.sleep(0.01)
        if self.failure is None and not self._opened_page.is_closed():
            return False
        await self._lose(PAGE_LEFT)
        return True

    async def _lose(self, failure: PageFailure) -> None:
        """Close a page that is lost, by ``failure`` if not by something that is known already."""
        self._failure = self.failure or failure
        await self.close()
