"""One running Chromium with the driver that steers it."""

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from procgen_bench.core.errors import BrowserStartError
from procgen_bench.core.extras import import_extra
from procgen_bench.envs.web.background_loop import BackgroundLoop
from procgen_bench.envs.web.chromium import CONTEXT_OPTIONS, launch_options

if TYPE_CHECKING:
    from playwright import async_api as playwright
else:
    playwright = import_extra("playwright.async_api", "web")

#: Seconds that starting, and each step of ending, may take.
START_DEADLINE, END_DEADLINE = 60.0, 5.0


class Browser:
    """A running Chromium and its driver. Its methods are called in the background loop."""

    def __init__(
        self,
        started: "playwright.Playwright",
        chromium: "playwright.Browser",
        driver: asyncio.SubprocessTransport,
    ):
        self._playwright, self._chromium, self._driver = started, chromium, driver

    @classmethod
    async def start(cls, loop: BackgroundLoop) -> "Browser":
        """Start both, within a minute.

        Raises:
            MissingChromiumError: There is no Chromium to start.
            BrowserStartError: It does not start; holds what it said.
        """
        started = None
        try:
            async with asyncio.timeout(START_DEADLINE):
                started = await playwright.async_playwright().start()
                chromium = await started.chromium.launch(**launch_options(started.chromium))
        except BaseException as error:
            await _end_driver(started, loop.process)
            if isinstance(error, TimeoutError):
                raise BrowserStartError(f"the browser did not start within {START_DEADLINE:g} s") from None
            if isinstance(error, playwright.Error):
                raise BrowserStartError(f"the browser did not start: {error.message}") from None
            raise
        assert loop.process is not None  # the driver's
        return cls(started, chromium, loop.process)

    @property
    def alive(self) -> bool:
        """Whether both still run, as far as is known by now."""
        return self._chromium.is_connected() and self._driver.get_returncode() is None

    async def new_context(self, viewport: tuple[int, int]) -> "playwright.BrowserContext":
        """A context that shares nothing with others, for pages of ``viewport``, width and height in pixels."""
        width, height = viewport
        return await self._chromium.new_context(viewport={"width": width, "height": height}, **CONTEXT_OPTIONS)

    async def end(self) -> None:
        """End both, whatever state they are in, and all contexts with them."""
        if self.alive:
            await within(END_DEADLINE, self._chromium.close())
        await _end_driver(self._playwright, self._driver)


async def within(deadline: float, call: Awaitable[None]) -> bool:
    """Whether ``call``, which closes something, returns in ``deadline`` seconds; that it is gone already is fine."""
    try:
        async with asyncio.timeout(deadline):
            await call
    except TimeoutError:
        return False
    except playwright.Error:
        return True
    return True


async def _end_driver(started: "playwright.Playwright | None", driver: asyncio.SubprocessTransport | None) -> None:
    """End the driver, and Chromium with it: asked, told (twice: it then kills Chromium), and at last by the kernel."""
    if started is not None and await within(END_DEADLINE, started.stop()):
        return
    if driver is None or driver.get_returncode() is not None:
        return
    driver.terminate()
    driver.terminate()
    if not await within(END_DEADLINE, _exit_of(driver)):
        driver.kill()
        await _exit_of(driver)


async def _exit_of(driver: asyncio.SubprocessTransport) -> None:
    while driver.get_returncode() is None:
        await asyncio.sleep(0.01)
