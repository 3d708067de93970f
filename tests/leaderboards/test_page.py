"""The site in a real Chromium, opened from disk: what it shows, what it does, and what it never does."""

import io
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page

from procgen_bench.leaderboards.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.leaderboards.board import RECORD_FILE, read_entries, submit
from procgen_bench.leaderboards.clips import choose_episodes
from procgen_bench.leaderboards.episodes import play_back
from procgen_bench.leaderboards.page import write_site
from procgen_bench.leaderboards.table import read_table
from procgen_bench.recording import record_episode
from tests.leaderboards.browsing import visit

ENTRY = "grid-world/graded/random/index.html"
GRADED = "grid-world/graded/index.html"


@pytest.fixture(scope="module")
def board(tmp_path_factory, play, target):
    """Entries on two benchmarks: random (two runs), no-op, null and the solver's oracle."""
    folder = tmp_path_factory.mktemp("page") / "board"
    graded = get_benchmark("grid-world/graded")
    played = [(target, "random", 2), (target, "null", 1), (target, "solver", 1)]
    played += [(graded, "random", 2), (graded, "constant", 2), (graded, "solver", 1)]
    for benchmark, policy, num_runs in played:
        submit(play(benchmark, policy, num_runs), folder)
    return folder


@pytest.fixture(scope="module")
def site(board):
    folder = board.parent / "site"
    write_site(board, folder)
    return folder


def column(page: Page, table: str, number: int) -> list[str]:
    return page.locator(f"{table} tbody tr > :nth-child({number})").all_inner_texts()


def test_every_page_opens_in_silence_and_its_links_lead_somewhere(context, site, board):
    paths = sorted(site.rglob("*.html"))
    entries = [folder.parent for folder in board.rglob(RECORD_FILE)]
    assert len(paths) == 1 + len(BENCHMARKS) + len(entries) and len(entries) == 6
    for path in paths:
        seen = visit(context, path)
        page = seen.page
        assert page.locator("h1").inner_text()
        assert page.evaluate("[...document.images].every(image => image.naturalWidth > 0)"), path
        assert page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth") != "none"  # styles apply
        assert seen.complaints == [], path
        assert_links_lead_somewhere(page, site)
        page.close()


def assert_links_lead_somewhere(page: Page, site: Path):
    hrefs = page.evaluate("[...document.querySelectorAll('a[href]')].map(a => a.href)")
    assert hrefs
    for href in hrefs:
        parts = urlsplit(href)
        assert parts.scheme == "file", href
        linked = Path(unquote(parts.path))
        assert linked.is_file() and linked.is_relative_to(site), href
        if parts.fragment:
            assert f'id="{parts.fragment}"' in linked.read_text(), href


@pytest.mark.parametrize(
    "fault",
    [
        "<script>document.title = 'inline'</script>",
        "<p style='color: red'>inline</p>",
        "<img src='https://example.org/image.png'>",
        "<img src='missing.png'>",
        "<script src='data:text/javascript,alert(1)'></script>",
    ],
)
def test_the_watch_over_pages_notices_faults(context, site, tmp_path, fault):
    copy = Path(shutil.copytree(site, tmp_path / "copy"))
    index = copy / "index.html"
    index.write_text(index.read_text().replace("<h1>", f"{fault}<h1>", 1))
    assert visit(context, index).complaints


def test_pages_fit_a_phone_and_both_colour_schemes(browser, site):
    backgrounds = set()
    for scheme in ("light", "dark"):
        with browser.new_context(color_scheme=scheme, viewport={"width": 360, "height": 740}) as context:
            for path in (site / "index.html", site / GRADED, site / ENTRY):
                page = visit(context, path).page
                assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
                backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(backgrounds) == 2


def test_tables_show_the_board(context, site, board):
    page = visit(context, site / GRADED).page
    rows = read_table(get_benchmark("grid-world/graded"), board)
    assert column(page, ".entries", 1) == ["oracle" if row.rank is None else str(row.rank) for row in rows]
    assert column(page, ".entries", 2) == [row.entry.metadata.method for row in rows]
    for row, shown in zip(rows, column(page, ".entries", 3)):
        mean = row.summary.mean
        expected = f"{mean.value:.3f}" + ("" if mean.low is None else f" {mean.low:.3f} to {mean.high:.3f}")
        assert shown.split() == expected.split()
    assert page.locator(".matrix tbody tr").count() == 2  # the methods of two runs


def test_a_click_sorts_numbers_as_numbers(context, site):
    page = visit(context, site / ENTRY).page
    heading = page.locator("table.sortable").first.locator("thead th").first
    assert heading.get_attribute("aria-sort") is None
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert column(page, ".tall table", 1) == [str(number) for number in range(200, 0, -1)]
    page.get_by_role("button", name="shortest solution").click()
    assert heading.get_attribute("aria-sort") is None
    lengths = [int(text) for text in column(page, ".tall table", 3)]
    assert lengths == sorted(lengths) and lengths[0] == 1 and lengths[-1] == 40
    returns = page.locator(".tall th", has_text="return")
    returns.get_by_role("button").click()
    shown = [float(text) for text in column(page, ".tall table", 6)]
    assert shown == sorted(shown, reverse=True) and min(shown) < 0 < max(shown)


def test_missing_values_sort_last_and_text_as_text(context, site):
    page = visit(context, site / GRADED).page
    rank = page.locator(".entries th", has_text="rank")
    for expected in (["1", "2", "oracle"], ["2", "1", "oracle"]):
        rank.get_by_role("button").click()
        assert column(page, ".entries", 1) == expected
    page.locator(".entries thead th", has_text="method").get_by_role("button").click()
    assert column(page, ".entries", 2) == ["constant", "random", "solver"]


def test_viewer_shows_the_recorded_frames(context, site, board):
    seen = visit(context, site / ENTRY)
    page, viewer = seen.page, seen.page.locator(".viewer").nth(1)
    (entry,) = (entry for entry in read_entries(get_benchmark("grid-world/graded"), board) if entry.name == "random")
    title, episode = choose_episodes(play_back(entry))[1]
    trace = episode.trace
    frames = record_episode("GridWorld-v0", trace.task, trace.seed, trace.actions)
    assert title in viewer.inner_text() and f"task {trace.task_name}, run {episode.run}" in viewer.inner_text()
    canvas, step = viewer.locator("canvas"), viewer.locator(".step")
    canvas.evaluate("canvas => canvas.style = 'position: fixed; top: 0; left: 0; width: 320px; border-radius: 0'")
    last = len(frames) - 1
    assert last >= 3

    def check(number: int):
        assert step.inner_text() == f"{number} / {last}"
        shown = np.asarray(Image.open(io.BytesIO(canvas.screenshot())).convert("RGB"))
        np.testing.assert_array_equal(shown, frames[number])

    viewer.locator(".controls").wait_for()
    check(0)
    viewer.get_by_label("One step back").click()
    check(0)
    for number in (1, 2, 3):
        viewer.get_by_label("One step forward").click()
        check(number)
    viewer.get_by_label("One step back").click()
    check(2)
    viewer.get_by_label("Frame").fill(str(last))
    check(last)
    viewer.get_by_label("One step forward").click()
    check(last)
    viewer.get_by_label("Play").click()  # from the end: starts again
    viewer.get_by_label("Pause").click()
    paused = step.inner_text()
    assert paused != f"{last} / {last}"
    page.wait_for_timeout(600)
    assert step.inner_text() == paused
    viewer.get_by_label("Play").click()
    viewer.get_by_label("Play").wait_for(timeout=30_000)  # offered again once the end is reached
    check(last)
    assert seen.complaints == []


def test_without_javascript_a_gif_moves(browser, site):
    with browser.new_context(java_script_enabled=False) as context:
        page = visit(context, site / ENTRY).page
        assert page.locator(".viewer noscript img").first.is_visible()
        assert not page.locator(".controls").first.is_visible()
    with Image.open(site / ENTRY.replace("index.html", "clip-1.gif")) as gif:
        assert gif.n_frames > 3
