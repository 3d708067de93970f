"""A small document, and pages that are closed after the test."""

import asyncio
import threading

import pytest

from procgen_bench.envs.web.browser_pages import BrowserPage
from tests.chromium import started_chromium
from tests.envs.web.by_hand import ByHand

#: A document of 100 elements whose script counts how often it ran, and tells the document as one JSON string.
DOCUMENT = """<!doctype html><html lang="en"><head><title>A page</title></head><body>
<h1 id="title">{title}</h1>{labels}
<script>
const once = "declared once";
window.runs = (window.runs || 0) + 1;
function observe() {{
  const part = element => [element.tagName, element.textContent.slice(0, 20), element.getBoundingClientRect().toJSON()];
  return JSON.stringify([...document.querySelectorAll("*")].map(part));
}}
</script></body></html>"""


@pytest.fixture(scope="session")
def document():
    """document(title="A page", labels=94) -> HTML."""

    def of(title: str = "A page", labels: int = 94) -> str:
        return DOCUMENT.format(
            title=title, labels="".join(f"<label>label {number}</label>" for number in range(labels))
        )

    return of


@pytest.fixture
def open_page():
    """open_page(**keywords) -> a BrowserPage."""
    pages = []

    def opened(**keywords) -> BrowserPage:
        pages.append(BrowserPage(**keywords))
        return pages[-1]

    yield opened
    for page in pages:
        page.close()


@pytest.fixture(scope="module")
def running():
    """A page that keeps the browser running from one test of the module to the next."""
    page = BrowserPage()
    yield page
    page.close()


@pytest.fixture
def in_a_moment():
    """in_a_moment(function): have it called in 0.3 s, in another thread."""
    timers = []

    def later(function) -> None:
        timers.append(threading.Timer(0.3, function))
        timers[-1].start()

    yield later
    for timer in timers:
        timer.join()


@pytest.fixture
def limits(monkeypatch):
    """The deadlines that begin from now on."""
    begun, timeout = [], asyncio.timeout

    def limited(seconds: float) -> asyncio.Timeout:
        begun.append(timeout(seconds))
        return begun[-1]

    monkeypatch.setattr(asyncio, "timeout", limited)
    return begun


@pytest.fixture(scope="module")
def ordinary_browser():
    """A Chromium of Playwright's synchronous interface, which refuses a page nothing by itself."""
    with started_chromium() as browser:
        yield browser


@pytest.fixture
def by_hand(ordinary_browser):
    """A page to use by mouse and keyboard."""
    made = ByHand(ordinary_browser)
    yield made
    made.page.close()
