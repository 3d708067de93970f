"""What a page shows and answers, and how pages are asked: one or many, from threads, under a running loop."""

import asyncio
import json
import threading

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError, PageError, ResetNeededError
from procgen_bench.envs.web.browser_pages import BrowserPage, evaluate_pages, load_pages
from tests.envs.web.processes import renderers

pytestmark = pytest.mark.usefixtures("running")

COLOURS = "<style>body{margin:0}div{height:100px;width:100%}</style><div style='background:#ff0000'></div>" + (
    "<div style='background:#00ff00'></div><div style='background:#0000ff'></div>"
)


def test_a_load_leaves_nothing_of_the_page_before(open_page, document):
    page = open_page()
    for title in ("One", "Two", "Three"):
        assert page.load(document(title)) is None
        # A second declaration of a constant in the same realm would have stopped the script.
        shown = page.evaluate(
            "[document.getElementById('title').textContent, window.runs, once, window.name, history.length]"
        )
        assert shown == [title, 1, "declared once", "", 2]
        page.evaluate("() => { window.name = 'old'; setInterval(() => { window.runs = 99; }, 1); }")


def test_text_is_shown_as_it_is(open_page):
    page = open_page()
    text = "ünïcödé 😀 \u2028 <\\/script>"
    page.load(f"<!doctype html><title>x</title><p id='text'>{text}</p>")
    assert page.evaluate("document.getElementById('text').textContent") == text
    assert page.evaluate("document.compatMode") == "CSS1Compat"
    assert page.evaluate("value => value", {"list": [1, "a", None, True, 0.5]}) == {"list": [1, "a", None, True, 0.5]}


def test_the_whole_document_is_there_when_load_returns(open_page, document):
    page = open_page()
    for _ in range(3):
        page.load(document(labels=5000))
        assert len(json.loads(page.evaluate("observe()"))) == 5006


def test_script_errors_are_raised_and_leave_the_page(open_page, document):
    page = open_page()
    page.load(document())
    with pytest.raises(PageError, match="missing is not defined"):
        page.evaluate("missing()")
    assert page.failure is None and page.evaluate("window.runs") == 1


def test_pages_everywhere_look_the_same(open_page):
    page = open_page(width=640, height=480)
    page.load("<p>text</p>")
    assert page.evaluate(
        "[innerWidth, innerHeight, devicePixelRatio, navigator.language, new Date().getTimezoneOffset(),"
        " matchMedia('(prefers-reduced-motion: reduce)').matches, matchMedia('(prefers-color-scheme: light)').matches]"
    ) == [640, 480, 1, "en-GB", 0, True, True]


def test_layout_has_no_scrollbars(open_page, document):
    page = open_page(width=300, height=200)
    page.load(document(labels=1000))
    assert page.evaluate("document.documentElement.scrollHeight") > 200
    assert page.evaluate("document.documentElement.clientWidth") == 300


def test_screenshot_is_of_the_whole_page(open_page):
    page = open_page(width=120, height=150)
    page.load(COLOURS)
    picture = page.screenshot()
    assert picture.shape == (300, 120, 3) and picture.dtype == np.uint8
    for third, colour in enumerate(((255, 0, 0), (0, 255, 0), (0, 0, 255))):
        assert (picture[100 * third : 100 * (third + 1)] == colour).all()
    assert (page.screenshot() == picture).all() and (page.screenshot(250) == picture[:250]).all()
    assert page.evaluate("[innerWidth, innerHeight]") == [120, 150]


def test_pages_share_nothing(open_page, document):
    first, second = open_page(), open_page()
    before = renderers()
    assert load_pages([(first, document("First")), (second, document("Second"))]) == [None, None]
    assert len(renderers() - before) >= 2
    first.evaluate("() => { window.runs = 7; }")
    titles = "[document.getElementById('title').textContent, window.runs]"
    assert evaluate_pages([(first, titles, None), (second, titles, None)]) == [["First", 7], ["Second", 1]]


def test_pages_are_asked_at_the_same_time(open_page):
    pages = [open_page() for _ in range(3)]
    load_pages([(page, "<p>text</p>") for page in pages])
    asleep = "() => new Promise(done => { const from = Date.now(); setTimeout(() => done([from, Date.now()]), 400); })"
    times = evaluate_pages([(page, asleep, None) for page in pages])
    assert max(begin for begin, _ in times) < min(end for _, end in times)


def test_one_throwing_page_does_not_stop_the_others(open_page):
    pages = [open_page() for _ in range(2)]
    load_pages([(page, "<p>text</p>") for page in pages])
    with pytest.raises(PageError, match="here"):
        evaluate_pages([(pages[0], "() => { throw new Error('here'); }", None), (pages[1], "window.done = 1", None)])
    assert pages[1].evaluate("window.done") == 1


def test_calls_come_from_any_thread_and_under_a_running_loop(open_page, document):
    page = open_page()
    page.load(document())
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(page.evaluate("window.runs"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [1] * 4

    async def notebook_cell():
        return page.load(document("Cell")), page.evaluate("document.getElementById('title').textContent")

    assert asyncio.run(notebook_cell()) == (None, "Cell")


@pytest.mark.parametrize("keyword", ["width", "height", "deadline"])
def test_sizes_and_deadline_are_positive(keyword):
    with pytest.raises(InvalidOptionError, match=f"{keyword} is 0, expected a number above 0"):
        BrowserPage(**{keyword: 0})


def test_calls_out_of_order_are_refused(open_page):
    page = open_page()
    with pytest.raises(ResetNeededError, match="load a document"):
        page.evaluate("1")
    with pytest.raises(ResetNeededError, match="load a document"):
        page.screenshot()
    page.close()
    page.close()
    for call in (page.screenshot, lambda: page.load("x"), lambda: page.evaluate("1")):
        with pytest.raises(gymnasium.error.ClosedEnvironmentError, match="make a new one"):
            call()
