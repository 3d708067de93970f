"""The Chromium that tests open pages in: started as for agents, by Playwright's synchronous interface."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

from procgen_bench.envs.web.chromium import FLAGS, find_chromium


@contextmanager
def started_chromium(keep: Callable[[str], bool] = lambda flag: True) -> Iterator[Browser]:
    """A browser with those of the flags that are to be kept; it refuses a page nothing by itself."""
    with sync_playwright() as playwright:
        options = {
            "executable_path": find_chromium(playwright.chromium.executable_path),
            "args": list(filter(keep, FLAGS)),
            "chromium_sandbox": os.geteuid() != 0,
        }
        with playwright.chromium.launch(**options) as browser:
            yield browser
