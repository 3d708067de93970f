"""The browser that a process shares among its environments: who starts it, and who ends it."""

import asyncio
import atexit
import os
from collections.abc import Iterable, Sequence
from typing import Any

from procgen_bench.engine.processors import available_processors
from procgen_bench.envs.web.background_loop import BackgroundLoop
from procgen_bench.envs.web.browser import Browser
from procgen_bench.envs.web.inspector import Call, Message
from procgen_bench.envs.web.tab import PageFailure, Tab


class BrowserService:
    """The browser of this process: started when the first tab is held, ended when the last one is released.

    Its coroutines run in its loop, by ``run``; what changes, changes there.
    """

    _current: "BrowserService | None" = None

    def __init__(self):
        self.pid: int | None = os.getpid()
        self._loop = BackgroundLoop()
        self.run = self._loop.run
        self._tabs: set[Tab] = set()
        self._browser: Browser | None = None
        self._changing = asyncio.Lock()
        self._releases: set[asyncio.Task] = set()
        # More at a time would not be faster, and wait for processors while their deadlines run.
        self._busy = asyncio.Semaphore(2 * available_processors())

    @classmethod
    def of_this_process(cls) -> "BrowserService":
        """The one service of this process, which is there from the first call to the program's end."""
        if cls._current is None:
            cls._current = cls()
            atexit.register(cls._current._end)
        return cls._current

    @property
    def is_of_this_process(self) -> bool:
        """Not so after a fork, in the child; nor once the service has ended."""
        return self.pid == os.getpid()

    async def hold(self, tab: Tab) -> None:
        """Let the browser run for as long as ``tab`` is not released."""
        self._tabs.add(tab)
        try:
            await self._running()
        except BaseException:
            self._tabs.discard(tab)
            raise

    async def load(self, loads: Sequence[tuple[Tab, str, float]]) -> list[PageFailure | None]:
        """Load HTML into tabs, each within its deadline."""
        return await _all(self._load(*load) for load in loads)

    async def evaluate(self, requests: Sequence[tuple[Tab, str, Any, float]]) -> list[Any | PageFailure]:
        """Evaluate in tabs, each within its deadline."""
        if len(requests) == 1:
            return [await self._evaluate(*requests[0])]
        return await _all(self._evaluate(*request) for request in requests)

    async def use(self, uses: Sequence[tuple[Tab, str, Sequence[Any], str, float]]) -> list[Any | PageFailure]:
        """Use tabs by mouse and keyboard, with a deadline for each gesture."""
        return await _all(self._use(*use) for use in uses)

    async def inspect(self, tab: Tab, calls: Sequence[Call], deadline: float) -> list[Message] | PageFailure:
        """What the inspector answers about a tab."""
        async with self._busy:
            return await tab.inspect(calls, deadline)

    async def screenshot(self, tab: Tab, height: int | None, deadline: float) -> bytes | PageFailure:
        """A picture of a tab, as PNG."""
        async with self._busy:
            return await tab.screenshot(height, deadline)

    async def release(self, tab: Tab) -> None:
        """Close a tab, and end the browser if no other is held."""
        self._tabs.discard(tab)
        await tab.close()
        await self._end_browser_if_unused()

    def release_soon(self, tab: Tab) -> None:
        """:meth:`release` without waiting for it; for finalizers, which run in any thread at any time."""
        if self.is_of_this_process:
            self._loop.call_soon(self._start_release, tab)

    def _start_release(self, tab: Tab) -> None:
        task = asyncio.ensure_future(self.release(tab))
        self._releases.add(task)
        task.add_done_callback(self._releases.discard)

    def _end(self) -> None:
        """End the browser and the loop, at the program's end."""
        if self.is_of_this_process:
            self.pid, BrowserService._current = None, None
            self.run(self._release_all())
            self._loop.end()

    async def _release_all(self) -> None:
        for tab in self._tabs:
            tab.close_relay()
        self._tabs.clear()
        await asyncio.gather(*self._releases)
        await self._end_browser_if_unused()

    async def _load(self, tab: Tab, html: str, deadline: float) -> PageFailure | None:
        async with self._busy:
            failure = await tab.load(await self._running(), html, deadline)
            if failure is not None and failure.kind == "browser":
                # It died unnoticed before this load, or in it; a second death is reported.
                failure = await tab.load(await self._running(), html, deadline)
            return failure

    async def _evaluate(self, tab: Tab, expression: str, argument: Any, deadline: float) -> Any | PageFailure:
        async with self._busy:
            return await tab.evaluate(expression, argument, deadline)

    async def _use(self, tab: Tab, aim: str, arguments: Sequence[Any], answer: str, deadline: float) -> Any:
        async with self._busy:
            return await tab.use(aim, arguments, answer, deadline)

    async def _running(self) -> Browser:
        """The browser, which is started if it does not run."""
        async with self._changing:
            if self._browser is not None and not self._browser.alive:
                await self._end_browser()
            if self._browser is None:
                self._browser = await Browser.start(self._loop)
            return self._browser

    async def _end_browser_if_unused(self) -> None:
        async with self._changing:
            if not self._tabs and self._browser is not None:
                await self._end_browser()

    async def _end_browser(self) -> None:
        browser, self._browser = self._browser, None
        if browser is not None:
            browser.end()

    @classmethod
    def _forget_parents(cls) -> None:
        """In a child after fork: the parent's service is not the child's."""
        service, cls._current = cls._current, None
        if service is not None:
            _inherited.append(service)
            service._loop.forget_in_child()


async def _all(calls: Iterable) -> list[Any]:
    """What all calls return, once all have; raises the first exception among them, if there is one."""
    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


#: Services of parents, which are kept: to take them down would reach into the parent's processes.
_inherited: list[BrowserService] = []
os.register_at_fork(after_in_child=BrowserService._forget_parents)
