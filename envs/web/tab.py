"""A page in a context of its own, which shows documents, answers within deadlines, and is refused all else."""

import asyncio
import base64
import json
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from procgen_bench.core.errors import PageError
from procgen_bench.envs.web.browser import END_DEADLINE, START_DEADLINE, Browser
from procgen_bench.envs.web.empty_page import EMPTY_PAGE, PAGE_ADDRESS, page_settings
from procgen_bench.envs.web.gestures import AWAY, gesture_calls
from procgen_bench.envs.web.inspector import Call, Inspector, InspectorError, Message
from procgen_bench.envs.web.relay import Relay

Result = TypeVar("Result")


@dataclass(frozen=True)
class PageFailure:
    """A page that is lost: what its calls return from then on, until something is loaded into it again.

    Attributes:
        kind: ``"browser"`` (Chromium died), ``"crash"`` (the page's renderer died), ``"hang"`` (no answer
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
        self._context = self._target = self._session = ""
        self._relay: Relay | None = None
        self._opened = self._served = False
        self._parsed: asyncio.Future[None] | None = None
        self._limits: set[asyncio.Timeout] = set()
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
        fresh = not self._opened or self.failure is not None or self._browser is not browser
        if fresh:
            await self.close()
            if not await self._open(browser, deadline):
                return self.failure
        try:
            await self._within(deadline, self._replaced(html))
        except InspectorError:
            await self._lose(PAGE_LEFT)
        if self.failure is None or fresh:
            return self.failure
        return await self.load(browser, html, deadline)

    async def evaluate(self, expression: str, argument: Any, deadline: float) -> Any | PageFailure:
        """The value of an expression, or of a function of ``argument``, in the page."""
        call = f"{_VALUE_OF}(({expression}), {json.dumps(argument)})"
        return await self._answer(deadline, lambda: self._evaluated(call))

    async def use(self, aim: str, arguments: Sequence[Any], answer: str, deadline: float) -> Any | PageFailure:
        """For each argument make the gestures that ``aim``, a function of it, tells; then what ``answer`` gives.

        What ``aim`` gives in place of gestures ends it, and is given.
        """
        for argument in arguments:
            gestures = await self.evaluate(aim, argument, deadline)
            if not isinstance(gestures, list):
                return gestures
            for gesture in gestures:
                calls = gesture_calls(gesture)
                made = await self._answer(deadline, lambda calls=calls: self._made(calls))
                if isinstance(made, PageFailure):
                    return made
        self._call(*AWAY)
        return await self.evaluate(answer, None, deadline)

    async def inspect(self, calls: Sequence[Call], deadline: float) -> list[Message] | PageFailure:
        """What the inspector answers to calls about the page."""
        return await self._answer(deadline, lambda: self._inspected(calls))

    async def screenshot(self, height: int | None, deadline: float) -> bytes | PageFailure:
        """The page as PNG, this many rows of it or the whole."""
        return await self._answer(deadline, lambda: self._pictured(height))

    async def address(self) -> str | PageFailure:
        """Where Playwright, or another client of the inspector's protocol, finds the page while it is not lost."""
        if self.failure is not None:
            return self.failure
        if self._relay is None:
            assert self._browser is not None  # something was loaded
            self._relay = await Relay.at(self._browser.inspector, self._target)
        return self._relay.address

    def close_relay(self) -> None:
        """The address leads nowhere from now on."""
        relay, self._relay = self._relay, None
        if relay is not None:
            relay.close()

    async def close(self) -> None:
        """Close the context, if it is open; a browser that does not close it is ended."""
        self.close_relay()
        context, self._context, self._opened, browser = self._context, "", False, self._browser
        if not context or browser is None or not browser.alive:
            return
        browser.inspector.listeners.pop(self._session, None)
        try:
            async with asyncio.timeout(END_DEADLINE):
                await browser.inspector.call("Target.disposeBrowserContext", {"browserContextId": context})
        except TimeoutError:
            browser.end()
        except InspectorError:
            pass  # it is gone already

    async def _open(self, browser: Browser, deadline: float) -> bool:
        """Open a fresh page; where that fails, the browser is of no more use and is ended."""
        self._browser, self._failure, self._served = browser, None, False
        inspector = browser.inspector
        try:
            async with asyncio.timeout(deadline):  # a browser that stands still is given up like a page
                version = await inspector.call("Browser.getVersion")
            async with asyncio.timeout(START_DEADLINE):
                context = await inspector.call("Target.createBrowserContext", {"disposeOnDetach": True})
                self._context = context["browserContextId"]
                wanted = {"url": "about:blank", "browserContextId": self._context}
                target = await inspector.call("Target.createTarget", wanted)
                self._target = target["targetId"]
                attached = await inspector.call("Target.attachToTarget", {**target, "flatten": True})
                self._session = attached["sessionId"]
                inspector.listeners[self._session] = self._hear
                await inspector.call_all(page_settings(self._viewport, version["userAgent"]), self._session)
                self._parsed = asyncio.get_running_loop().create_future()
                await self._call("Page.navigate", {"url": PAGE_ADDRESS})
                await self._until_parsed(inspector)
        except (TimeoutError, InspectorError):
            browser.end()
            return False
        self._opened = True
        return True

    def _call(self, name: str, parameters: dict[str, Any] | None = None) -> "asyncio.Future[Message]":
        assert self._browser is not None  # opened before anything is asked of it
        return self._browser.inspector.call(name, parameters, self._session)

    def _hear(self, message: Message) -> None:
        """Take note of an event of the page."""
        name, params = message["method"], message["params"]
        if name == "Page.domContentEventFired":
            if self._parsed is not None and not self._parsed.done():
                self._parsed.set_result(None)
        elif name == "Fetch.requestPaused":
            self._serve(params["requestId"], params["request"]["url"])
        elif name == "Page.frameNavigated":
            frame = params["frame"]
            if self._opened and "parentId" not in frame and frame["url"].partition("#")[0] != PAGE_ADDRESS:
                self._note(PAGE_LEFT)
        elif name == "Inspector.targetCrashed":
            self._note(PAGE_CRASHED)
        elif name == "Inspector.detached":
            self._note(PAGE_LEFT)

    def _serve(self, request: str, address: str) -> None:
        """Answer the request for the page that is being opened, once, and refuse every other."""
        if address == PAGE_ADDRESS and not self._served:
            self._served = True
            self._call("Fetch.fulfillRequest", {"requestId": request, **EMPTY_PAGE})
        else:  # of all errors the one that leaves the shown document in its place
            self._call("Fetch.failRequest", {"requestId": request, "errorReason": "Aborted"})

    def _note(self, failure: PageFailure) -> None:
        if self._failure is None:
            self._failure = failure
            for limit in self._limits:  # no answer comes any more
                if not limit.expired():
                    limit.reschedule(0)

    async def _replaced(self, html: str) -> None:
        """Put a document in place of the shown one, in a window of its own, without a request: nothing of that is left.

        Chromium parses in pieces: before it says that it is through, the document may be there in part.
        """
        self._parsed = asyncio.get_running_loop().create_future()
        document = json.dumps(html).replace("%", "%25").replace("#", "%23").replace("?", "%3F")
        self._call(
            "Runtime.evaluate", {"expression": f"name = ''; location.replace({json.dumps('javascript:' + document)})"}
        )
        assert self._browser is not None
        await self._until_parsed(self._browser.inspector)

    async def _until_parsed(self, inspector: Inspector) -> None:
        assert self._parsed is not None
        await asyncio.wait((self._parsed, inspector.closed), return_when=asyncio.FIRST_COMPLETED)
        if not inspector.alive:
            raise InspectorError("the browser is gone")

    async def _evaluated(self, expression: str) -> Any:
        result = await self._call(
            "Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True}
        )
        if "exceptionDetails" in result:
            thrown = result["exceptionDetails"].get("exception", {})
            raise InspectorError(thrown.get("description", str(thrown.get("value"))))
        return result["result"].get("value")

    async def _made(self, calls: list[Call]) -> None:
        assert self._browser is not None
        await self._browser.inspector.call_all(calls, self._session)

    async def _inspected(self, calls: Sequence[Call]) -> list[Message]:
        return [await self._call(*call) for call in calls]

    async def _pictured(self, height: int | None) -> bytes:
        size = (await self._call("Page.getLayoutMetrics"))["cssContentSize"]
        rows = size["height"] if height is None else min(height, size["height"])
        clip = {"x": 0, "y": 0, "width": size["width"], "height": rows, "scale": 1}
        options = {"format": "png", "captureBeyondViewport": True, "clip": clip, "optimizeForSpeed": True}
        return base64.b64decode((await self._call("Page.captureScreenshot", options))["data"])

    async def _answer(self, deadline: float, ask) -> Any | PageFailure:
        """What ``ask()`` gives; where the page is lost, the failure."""
        if self.failure is not None:
            return self.failure
        try:
            answer = await self._within(deadline, ask())
        except InspectorError as error:
            if not await self._is_lost():
                raise PageError(str(error)) from None
            return self.failure
        return self.failure or answer

    async def _within(self, deadline: float, call: Awaitable[Result]) -> Result | None:
        """What ``call`` gives; a page that does not answer in time is lost, and closed.

        Before the time is over the browser is asked, too: one that stands still is ended at once, with all its pages.
        """
        browser, limit = self._browser, asyncio.timeout(deadline)
        assert browser is not None
        pulse = asyncio.get_running_loop().call_later(deadline / 2, browser.feel_pulse)
        self._limits.add(limit)
        try:
            async with limit:
                return await call
        except TimeoutError:
            who = "browser" if browser.stands_still else "page"
            self._failure = self.failure or PageFailure("hang", f"the {who} did not answer within {deadline:g} s")
            if browser.stands_still:
                browser.end()
            await self.close()
            return None
        finally:
            pulse.cancel()
            self._limits.discard(limit)

    async def _is_lost(self) -> bool:
        """Whether a call failed because the page is lost; the news of that may come a moment after the answer."""
        for _ in range(20):
            if self.failure is not None:
                await self.close()
                return True
            await asyncio.sleep(0.01)
        return False

    async def _lose(self, failure: PageFailure) -> None:
        """Close a page that is lost, by ``failure`` if not by something that is known already."""
        self._failure = self.failure or failure
        await self.close()
