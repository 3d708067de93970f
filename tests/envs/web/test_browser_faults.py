"""Browsers, renderers and drivers that die, and pages that hang: reported soon, and mended by the next load."""

import os
import signal

import pytest

from procgen_bench.envs.web.browser_pages import BrowserPage, evaluate_pages, load_pages
from procgen_bench.envs.web.browser_service import BrowserService
from procgen_bench.envs.web.tab import BROWSER_DIED, PAGE_CRASHED, PAGE_LEFT, PageFailure
from tests.envs.web.processes import chromium, chromium_and_below, renderers, wait_until

HANG = "() => { while (true) {} }"
HANG_SOON = "() => { setTimeout(() => { while (true) {} }, 0); }"
SLEEP = "() => new Promise(done => setTimeout(done, 10000))"
ALIVE = "document.getElementById('title').textContent"
#: Seconds that a page is given that hangs, and one that is only slow where the machine is.
SHORT, LONG = 2, 60


@pytest.fixture(scope="module")
def lasting():
    """Three pages, whose browser runs from one test to the next, or is started again."""
    opened = [BrowserPage(deadline=LONG) for _ in range(3)]
    yield opened
    for page in opened:
        page.close()


@pytest.fixture
def pages(lasting, document):
    """They, loaded."""
    assert load_pages([(page, document()) for page in lasting]) == [None] * 3
    return lasting


@pytest.fixture
def loaded(pages, open_page, document):
    """loaded() -> a further page, which is shown and has plenty of time."""

    def made():
        page = open_page(deadline=LONG)
        assert page.load(document()) is None
        return page

    return made


def assert_mended(pages, document):
    """All pages load and answer, in one browser."""
    assert load_pages([(page, document("Again")) for page in pages]) == [None] * len(pages)
    assert evaluate_pages([(page, ALIVE, None) for page in pages]) == ["Again"] * len(pages)
    assert wait_until(lambda: chromium().running)


@pytest.mark.slow
def test_a_death_between_steps_is_noticed_at_the_next_call(pages, document):
    old = chromium_and_below()
    chromium().kill()
    assert evaluate_pages([(page, ALIVE, None) for page in pages]) == [BROWSER_DIED] * 3
    assert pages[0].screenshot() == BROWSER_DIED and pages[0].failure == BROWSER_DIED
    assert_mended(pages, document)
    assert wait_until(lambda: not any(process.running for process in old))


@pytest.mark.slow
def test_a_death_between_a_step_and_a_load_is_mended_in_silence(pages, document, limits):
    chromium().kill()
    assert_mended(pages, document)
    assert limits and not any(limit.expired() for limit in limits)  # it is reported as soon as it is known


def test_a_death_in_the_middle_of_a_call_ends_it(pages, document, in_a_moment):
    in_a_moment(chromium().kill)
    assert evaluate_pages([(page, SLEEP, None) for page in pages]) == [BROWSER_DIED] * 3
    assert_mended(pages, document)


def test_a_crashed_page_costs_no_other(pages, document, loaded, in_a_moment):
    before = renderers()
    crashing = loaded()
    for renderer in renderers() - before:
        in_a_moment(renderer.kill)
    answers = evaluate_pages([(crashing, SLEEP, None), *((page, ALIVE, None) for page in pages)])
    assert answers == [PAGE_CRASHED, "A page", "A page", "A page"]
    assert crashing.evaluate("1") == PAGE_CRASHED
    assert_mended([crashing], document)


def test_a_crash_between_steps_is_noticed_at_the_next_call(pages, document, loaded):
    before = renderers()
    page = loaded()
    for renderer in renderers() - before:
        renderer.kill()
    assert page.evaluate("1") == PAGE_CRASHED
    assert_mended([page], document)


def test_a_hanging_page_is_given_up_after_its_deadline(pages, loaded, document):
    page, other = loaded(), pages[0]
    before = renderers()
    page.deadline = SHORT
    failure, answer = evaluate_pages([(page, HANG, None), (other, ALIVE, None)])
    assert failure == PageFailure("hang", f"the page did not answer within {SHORT} s") and answer == "A page"
    assert page.evaluate("1") == page.screenshot() == page.failure == failure
    assert wait_until(lambda: before - renderers()), "the hanging renderer still runs"
    page.deadline = LONG
    assert_mended([page], document)


def test_pages_that_hang_at_a_load_are_replaced_or_given_up(loaded, document):
    """The one hangs in what it showed before, the other one in what it is to show."""
    before, after = loaded(), loaded()
    before.evaluate(HANG_SOON)
    before.deadline = after.deadline = SHORT
    mended, lost = load_pages([(before, document("Again")), (after, "<script>while (true) {}</script>")])
    assert mended is None or lost == mended, mended
    assert lost.kind == "hang" and after.evaluate("1") == lost
    before.deadline = after.deadline = LONG
    assert before.evaluate(ALIVE) == "Again"
    assert_mended([before, after], document)


def test_a_page_that_somebody_closes_is_lost(pages, document, loaded):
    page = loaded()
    BrowserService.of_this_process().run(_close(page._tab))
    assert page.evaluate("1") == PAGE_LEFT
    assert_mended([page], document)


@pytest.mark.parametrize("num_pages", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_a_browser_that_stands_still_is_given_up_once(num_pages, loaded, document, limits):
    """Nothing of it answers: all of its pages are lost after one deadline, and no other is waited for; it is killed."""
    lost = [loaded() for _ in range(num_pages)]
    for page in lost:
        page.deadline = SHORT
    old = chromium_and_below()
    os.kill(chromium().pid, signal.SIGSTOP)
    limits.clear()
    assert {answer.kind for answer in evaluate_pages([(page, ALIVE, None) for page in lost])} <= {"hang", "browser"}
    assert len(limits) == num_pages  # which begin together; closing has one of its own
    for page in lost:
        page.deadline = LONG
    assert_mended(lost, document)
    assert wait_until(lambda: not any(process.running for process in old))


async def _close(page) -> None:
    await page._call("Page.close")
