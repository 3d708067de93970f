"""Browsers, renderers and drivers that die, and pages that hang: told soon, in words, and mended by the next load."""

import os
import signal
import time

import pytest

from procgen_bench.envs.web import browser, tab
from procgen_bench.envs.web.browser_pages import evaluate_pages, load_pages
from procgen_bench.envs.web.browser_service import BrowserService
from procgen_bench.envs.web.tab import BROWSER_DIED, PAGE_CRASHED, PAGE_LEFT, PageFailure
from tests.envs.web.processes import browsing, chromium, driver, renderers, wait_until

HANG = "() => { while (true) {} }"
SLEEP = "() => new Promise(done => setTimeout(done, 10000))"
ALIVE = "document.getElementById('title').textContent"
#: Who is killed: the browser, or (in longer runs) Playwright's driver too.
VICTIMS = [chromium, pytest.param(driver, marks=pytest.mark.slow)]


@pytest.fixture
def pages(open_page, document):
    """Three loaded pages."""
    opened = [open_page(deadline=10) for _ in range(3)]
    assert load_pages([(page, document()) for page in opened]) == [None] * 3
    return opened


def assert_mended(pages, document):
    """All pages load and answer, and as many processes run as three pages need."""
    assert load_pages([(page, document("Again")) for page in pages]) == [None] * 3
    assert evaluate_pages([(page, ALIVE, None) for page in pages]) == ["Again"] * 3
    assert wait_until(lambda: len([driver(), chromium()]) == 2)


@pytest.mark.parametrize("victim", VICTIMS)
def test_a_death_between_steps_is_noticed_at_the_next_call(victim, pages, document):
    old = browsing()
    victim().kill()
    assert evaluate_pages([(page, ALIVE, None) for page in pages]) == [BROWSER_DIED] * 3
    assert pages[0].screenshot() == BROWSER_DIED and pages[0].failure == BROWSER_DIED
    assert_mended(pages, document)
    assert wait_until(lambda: not any(process.running for process in old))


@pytest.mark.parametrize("victim", VICTIMS)
def test_a_death_between_a_step_and_a_load_is_mended_in_silence(victim, pages, document):
    victim().kill()
    assert_mended(pages, document)


@pytest.mark.parametrize("victim", VICTIMS)
def test_a_death_in_the_middle_of_a_call_ends_it(victim, pages, document, in_a_moment):
    in_a_moment(victim().kill)
    assert evaluate_pages([(page, SLEEP, None) for page in pages]) == [BROWSER_DIED] * 3
    assert_mended(pages, document)


def test_a_crashed_page_costs_no_other(pages, document, open_page, in_a_moment):
    before = renderers()
    crashing = open_page(deadline=3)
    crashing.load(document())
    for renderer in renderers() - before:
        in_a_moment(renderer.kill)
    answers = evaluate_pages([(crashing, SLEEP, None), *((page, ALIVE, None) for page in pages)])
    assert answers == [PAGE_CRASHED, "A page", "A page", "A page"]
    assert crashing.evaluate("1") == PAGE_CRASHED
    assert crashing.load(document("Again")) is None and crashing.evaluate(ALIVE) == "Again"


def test_a_crash_between_steps_is_noticed_at_the_next_call(open_page, document, running):
    before = renderers()
    page = open_page()
    page.load(document())
    for renderer in renderers() - before:
        renderer.kill()
    assert page.evaluate("1") == PAGE_CRASHED
    assert page.load(document("Again")) is None and page.evaluate(ALIVE) == "Again"


def test_a_hanging_page_is_given_up_after_its_deadline(open_page, document, running):
    page, other = open_page(deadline=3), open_page(deadline=20)
    load_pages([(page, document()), (other, document())])
    before = renderers()
    failure, answer = evaluate_pages([(page, HANG, None), (other, ALIVE, None)])
    assert failure == PageFailure("hang", "the page did not answer within 3 s") and answer == "A page"
    assert page.evaluate("1") == page.screenshot() == page.failure == failure
    assert wait_until(lambda: before - renderers()), "the hanging renderer still runs"
    assert page.load(document("Again")) is None and page.evaluate(ALIVE) == "Again"


def test_a_page_that_hangs_after_its_answer_is_replaced_by_a_load(open_page, document, running):
    page = open_page(deadline=3)
    page.load(document())
    page.evaluate("() => { setTimeout(() => { while (true) {} }, 0); }")
    time.sleep(0.1)
    assert page.load(document("Again")) is None and page.evaluate(ALIVE) == "Again"


def test_a_document_that_hangs_cannot_be_loaded(open_page, document, running):
    page = open_page(deadline=3)
    assert page.load("<script>while (true) {}</script>").kind == "hang"
    assert page.evaluate("1").kind == "hang"
    assert page.load(document("Again")) is None and page.evaluate(ALIVE) == "Again"


def test_a_page_that_somebody_closes_is_lost(open_page, document, running):
    page = open_page()
    page.load(document())
    BrowserService.of_this_process().run(page._tab._page.close())
    assert page.evaluate("1") == PAGE_LEFT
    assert page.load(document("Again")) is None and page.evaluate(ALIVE) == "Again"


@pytest.mark.slow
@pytest.mark.parametrize("victim", VICTIMS)
def test_a_browser_that_stands_still_is_replaced(victim, open_page, document, monkeypatch):
    """Nothing of it answers, not even the request to end."""
    monkeypatch.setattr(browser, "END_DEADLINE", 0.5)
    monkeypatch.setattr(tab, "END_DEADLINE", 0.5)
    page = open_page(deadline=3)
    page.load(document())
    old = browsing()
    os.kill(victim().pid, signal.SIGSTOP)
    assert page.evaluate(ALIVE).kind == "hang"
    assert page.load(document("Again")) is None and page.evaluate(ALIVE) == "Again"
    assert wait_until(lambda: not any(process.running for process in old))
