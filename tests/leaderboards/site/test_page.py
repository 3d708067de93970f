"""The site in a real Chromium, opened from disk: what it shows, what it does, and what it never does."""

import io
import json
import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page

from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.leaderboards.board.board import read_entries
from procgen_bench.leaderboards.board.eligibility import Unranked
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.board.table import read_table
from procgen_bench.leaderboards.scoring.record import RECORD_FILE
from procgen_bench.leaderboards.site.page import write_site
from procgen_bench.leaderboards.site.replays import choose_episodes
from procgen_bench.leaderboards.tracks.tables import gain, known_floors
from tests.engine.recorded import record_episode
from tests.leaderboards.site.browsing import visit

ENTRY = "grid-world/graded/random/index.html"
GRADED = "grid-world/graded/index.html"
METHOD = "methods/random/index.html"


@pytest.fixture(scope="module")
def board(few_benchmarks, tmp_path_factory, play, target):
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
    methods = {path.parent.name for path in (site / "methods").rglob("*.html")}
    assert methods == {"random", "null", "solver", "constant"}
    assert (
        len(paths) == 1 + len(methods) + len({entry.parent for entry in entries}) + len(entries) and len(entries) == 6
    )
    for path in paths:
        seen = visit(context, path)
        page = seen.page
        assert page.locator("h1").inner_text()
        page.evaluate("for (const image of document.images) image.loading = 'eager'")
        page.evaluate("Promise.all([...document.images].map(image => image.decode()))")  # an error where one is missing
        assert page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth") != "none"  # styles apply
        assert seen.complaints == [], path
        assert_links_lead_somewhere(page, site)
        page.close()


def test_the_terminal_and_the_page_show_the_same_columns(context, site, board, run):
    page = visit(context, site / GRADED).page
    heads = page.locator("table.entries thead th").all_inner_texts()
    printed = run("leaderboard", "grid-world/graded", "--board", board)[1].splitlines()
    titles = re.split(r"\s{2,}", next(line for line in printed if line.strip().startswith("rank")).strip())
    assert [head for head in heads if head in titles] == titles
    for head in set(heads) - {*titles, "scores of runs"}:  # what no row has is not printed
        assert not any(column(page, "table.entries", 1 + heads.index(head))), head
    gains = [float(cell) for cell in column(page, "table.entries", 1 + heads.index("gain")) if cell]
    assert max(gains) == 100 and min(gains) < 10
    assert "doing nothing 0.030, best constant action 0.030" in page.locator("dl.facts").first.inner_text()
    assert any("Floors: doing nothing 0.03, best constant action 0.03" in line for line in printed)


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
            for path in (site / "index.html", site / GRADED, site / ENTRY, site / METHOD):
                page = visit(context, path).page
                assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
                backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(backgrounds) == 2


def test_tables_show_the_board(context, site, board):
    page = visit(context, site / GRADED).page
    rows = read_table(get_benchmark("grid-world/graded"), board)
    assert column(page, ".entries", 1) == [row.unranked.value for row in rows] == ["oracle", "floor", "floor"]
    assert column(page, ".entries", 2) == [row.name.method for row in rows]
    assert column(page, ".entries", 4) == [f"{row.summary.mean.value:.3f}" for row in rows]  # two runs: no interval
    for row, dots in zip(rows, page.locator(".entries .dots").all(), strict=True):
        runs = row.scores.mean(axis=1)
        assert dots.get_attribute("aria-label") == f"runs: {', '.join(f'{score:.3f}' for score in runs)}"
        places = [float(circle.get_attribute("cx")) for circle in dots.locator("circle").all()]
        assert places == [round(100 * score, 1) for score in runs]


def test_the_index_compares_methods_across_benchmarks(context, site, board):
    page = visit(context, site / "index.html").page
    names = column(page, ".compare", 1)
    assert names == ["constant floor", "null floor", "random floor", "solver oracle"]  # of the benchmarks with rows
    assert page.locator(".compare").count() == 1 and page.locator("#family-grid-world").is_visible()
    heads = page.locator(".compare thead th").all_inner_texts()
    assert heads[1:] == ["target-a", "graded"]
    for number, name in enumerate(heads[1:], start=2):
        benchmark = get_benchmark(f"grid-world/{name}")
        rows = read_table(benchmark, board)
        floors = known_floors(benchmark, {row.entry.name: row.score for row in rows if row.unranked is Unranked.FLOOR})
        shares = {
            row.entry.metadata.method: max(0.0, gain(benchmark, floors, (row.fresh or row.summary.mean).value))
            for row in rows
        }
        shown = dict(zip([name.split()[0] for name in names], column(page, ".compare", number)))
        assert shown == {method: f"{shares[method]:.0f}" if method in shares else "" for method in shown}
    page.locator(".compare td a").first.click()
    assert page.url.endswith("grid-world/graded/constant/index.html")


def test_a_methods_page_shows_its_rows_on_all_benchmarks(context, site, board):
    for start in ("index.html", GRADED, ENTRY):
        page = visit(context, site / start).page
        page.locator("a[href$='methods/random/index.html']").click()
        assert page.url == (site / METHOD).as_uri()
    assert column(page, ".method-entries", 1) == ["grid-world/target-a", "grid-world/graded"]
    rows = [
        next(row for row in read_table(get_benchmark(name), board) if row.name.method == "random")
        for name in ("grid-world/target-a", "grid-world/graded")
    ]
    assert column(page, ".method-entries", 2) == ["floor", "floor"]
    assert column(page, ".method-entries", 4) == [f"{row.score:.3f}" for row in rows]
    page.locator(".method-entries tbody a").last.click()
    assert page.url == (site / ENTRY).as_uri()


def test_tracks_fold_and_empty_ones_are_folded(context, site):
    page = visit(context, site / "index.html").page
    tracks = page.locator("details.track")
    folded = {track.get_attribute("id"): track.get_attribute("open") is None for track in tracks.all()}
    assert folded == {
        f"track-{name}": name != "grid-world" for name in dict.fromkeys(b.track for b in BENCHMARKS.values())
    }
    card = page.locator("#track-bit-grid .card")
    assert not card.is_visible()
    page.locator("#track-bit-grid summary").focus()
    page.keyboard.press("Enter")
    assert card.is_visible() and "No entries yet" in card.inner_text()


def test_a_family_shows_the_benchmarks_that_have_entries_and_names_the_others(context, site):
    track = visit(context, site / "index.html").page.locator("#track-grid-world")
    assert track.locator(".card h3").all_inner_texts() == ["target-a", "graded"]
    assert track.locator(".note").inner_text() == "Without entries: target-b."
    assert track.locator(".card .more", has_text="No entries yet").count() == 0


def test_feed_holds_what_the_tables_show(site, board):
    feed = json.loads((site / "board.json").read_text())
    assert [of_one["benchmark"] for of_one in feed["benchmarks"]] == list(BENCHMARKS)
    of_graded = next(of_one for of_one in feed["benchmarks"] if of_one["benchmark"] == "grid-world/graded")
    assert (of_graded["version"], of_graded["metric"], of_graded["unreadable"]) == (1, "success", [])
    for row, shown in zip(read_table(get_benchmark("grid-world/graded"), board), of_graded["rows"], strict=True):
        metadata, record = row.entry.metadata, row.entry.record
        assert (shown["rank"], shown["title"], shown["unranked"]) == (row.rank, metadata.method, row.unranked)
        assert (shown["method"], shown["teacher"], shown["variant"]) == (metadata.method, "", "")
        assert (shown["tier"], shown["epoch"], shown["training_reproduced"]) == ("re-run", record.epoch, [])
        assert shown["fresh"]["value"] == row.fresh.value
        assert shown["score"] == {"value": row.score, "interval": None}
        assert [run["policy_hash"] for run in shown["runs"]] == [run.policy_hash for run in metadata.runs]
        assert [run["score"] for run in shown["runs"]] == row.entry.scores.mean(axis=1).tolist()
        assert [run["counts"] for run in shown["runs"]] == [k in row.counted_runs for k in range(len(metadata.runs))]


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
    page.locator(".tall th", has_text="best run").get_by_role("button").click()
    shown = [float(text) for text in column(page, ".tall table", 6)]
    assert shown == sorted(shown, reverse=True) and (min(shown), max(shown)) == (0, 1)


def test_missing_values_sort_last_and_text_as_text(context, site):
    page = visit(context, site / GRADED).page
    fresh = page.locator(".entries th", has_text="fresh")
    fresh.get_by_role("button").click()
    assert column(page, ".entries", 2) == ["solver", "random", "constant"]
    page.locator(".entries thead th", has_text="method").get_by_role("button").click()
    assert column(page, ".entries", 2) == ["constant", "random", "solver"]


def test_viewer_shows_the_recorded_frames(context, site, board):
    seen = visit(context, site / ENTRY)
    page, viewer = seen.page, seen.page.locator(".viewer").nth(1)
    (entry,) = (entry for entry in read_entries(get_benchmark("grid-world/graded"), board) if entry.name == "random")
    episode = choose_episodes(entry)[1]
    trace = episode.trace
    frames = record_episode("GridWorld-v0", trace.task, trace.seed, trace.actions)
    shown = viewer.inner_text()
    assert episode.reason in shown and f"task {trace.task_name}, run {episode.run}" in shown
    assert f"Success {trace.claimed_score:.3f} in {len(trace.actions)} step" in shown
    canvas, step = viewer.locator("canvas"), viewer.locator(".step")
    # Not below the pointer, which is in the corner: there the film would begin to play.
    canvas.evaluate("canvas => canvas.style = 'position: fixed; top: 9px; left: 9px; width: 320px; border-radius: 0'")
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
    viewer.get_by_label("Frame").fill(str(last - 3))
    viewer.get_by_label("Play").click()
    viewer.get_by_label("Play").wait_for(timeout=30_000)  # offered again once the end is reached
    check(last)
    assert seen.complaints == []


def test_a_film_plays_while_it_is_pointed_at(context, site):
    page = visit(context, site / ENTRY).page
    viewer = page.locator(".viewer").last
    viewer.locator(".controls").wait_for()
    viewer.locator("canvas").hover()
    viewer.get_by_label("Pause").wait_for()
    page.mouse.move(0, 0)
    viewer.get_by_label("Play").wait_for()


def assert_moves(box):
    first = box.screenshot()
    assert any(box.screenshot() != first for _ in range(50))


@pytest.mark.parametrize(
    ("path", "place", "caption"),
    [(GRADED, ".entries tr", "random, best score"), ("index.html", ".compare td", "random on grid-world/graded: ")],
)
def test_rows_and_scores_show_their_film(context, site, path, place, caption):
    """Pointed at or focused, in the table and on the index; until Escape is pressed."""
    seen = visit(context, site / path)
    page, box = seen.page, seen.page.locator(".peek-box")
    link = page.locator(f"{place} a.peek[data-caption^='{caption}']")
    assert box.count() == 0
    link.hover()
    box.wait_for()
    assert box.locator("p").inner_text().startswith(caption)
    assert_moves(box.locator("canvas"))
    shown = box.bounding_box()
    assert shown["x"] >= 0 and shown["y"] >= 0
    assert shown["x"] + shown["width"] <= 1280 and shown["y"] + shown["height"] <= 900
    page.keyboard.press("Escape")
    box.wait_for(state="detached")
    page.mouse.move(0, 0)
    link.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    box.get_by_text(caption).wait_for()
    page.locator(".brand").focus()
    box.wait_for(state="detached")
    assert seen.complaints == []


@pytest.mark.slow
def test_who_wants_no_motion_sees_still_pictures(browser, site):
    with browser.new_context(reduced_motion="reduce") as context:
        page = visit(context, site / GRADED).page
        page.locator("a.peek", has_text="random").hover()
        page.locator(".peek-box").wait_for()
        canvas = page.locator(".peek-box canvas")
        before = canvas.screenshot()
        page.wait_for_timeout(400)
        assert canvas.screenshot() == before
        page = visit(context, site / ENTRY).page
        viewer = page.locator(".viewer").last
        viewer.locator(".controls").wait_for()
        viewer.locator("canvas").hover()
        page.wait_for_timeout(100)
        assert viewer.get_by_label("Play").count() == 1
        viewer.get_by_label("Play").click()  # who asks for it gets it
        viewer.get_by_label("Pause").wait_for()


def test_without_javascript_all_frames_are_there(browser, site):
    with browser.new_context(java_script_enabled=False) as context:
        page = visit(context, site / ENTRY).page
        assert page.locator(".viewer noscript img").first.is_visible()
        assert not page.locator(".controls").first.is_visible()
        assert visit(context, site / "index.html").page.locator(".compare td a").first.is_visible()
