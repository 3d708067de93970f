"""The site in a real Chromium, opened from disk: what it shows, what it does, and what it never does."""

import io
import os
import shutil
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from procgen_bench.errors import MissingExtraError
from procgen_bench.leaderboards import board as board_module
from procgen_bench.leaderboards import page as page_module
from procgen_bench.leaderboards import submission as submission_module
from procgen_bench.leaderboards.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.leaderboards.board import RECORD_FILE, read_entries, submit
from procgen_bench.leaderboards.clips import choose_episodes
from procgen_bench.leaderboards.episodes import play_back
from procgen_bench.leaderboards.errors import CorruptBoardError
from procgen_bench.leaderboards.metadata import parse_metadata
from procgen_bench.leaderboards.page import write_site
from procgen_bench.leaderboards.site_folder import MARKER_FILE, ForeignFolderError
from procgen_bench.leaderboards.table import read_table
from procgen_bench.recording import record_episode

ENTRY = "grid-world/graded/random/index.html"
GRADED = "grid-world/graded/index.html"
SMALL_TABLE, SMALL_ENTRY = "grid-world/target-a/index.html", "grid-world/target-a/null/index.html"

#: Texts that would do harm in markup, an attribute, a script, a template, or by turning the text around.
ATTACKS = (
    "<script>window.hacked = 1</script>",
    "\"><img src=x onerror='window.hacked = 1'>",
    "' onmouseover='window.hacked = 1' x='",
    "</title></style></textarea></noscript><svg onload='window.hacked = 1'>",
    "{{ 7 * 191 }}{% raw %}",
    "&lt;b&gt; &#60;i&#62;",
    "\u202edesrever\u202c",
)


@dataclass
class Visit:
    """A page that was opened, and everything about it that must not happen."""

    page: Page
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser():
    path = os.environ.get("PROCGEN_BENCH_CHROMIUM") or shutil.which("chromium")
    if path is None or not Path(path).exists():
        pytest.fail(f"no chromium at {path}; install Debian's chromium or set PROCGEN_BENCH_CHROMIUM to its path")
    arguments = ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=arguments)
        yield running
        running.close()


@pytest.fixture
def context(browser: Browser):
    with browser.new_context(viewport={"width": 1280, "height": 900}) as opened:
        yield opened


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


@pytest.fixture(scope="module")
def small_board(tmp_path_factory, play, target):
    """Two methods of two runs each on one benchmark, with short clips: a site takes a second."""
    folder = tmp_path_factory.mktemp("page") / "board"
    for policy in ("null", "constant"):
        submit(play(target, policy, num_runs=2), folder)
    return folder


def visit(context: BrowserContext, path: Path) -> Visit:
    """Open a page; complaints are errors, warnings, dialogs, failed requests and requests that leave the site."""
    seen = Visit(context.new_page())
    seen.page.on("console", lambda message: seen.complaints.append(f"{message.type}: {message.text}"))
    seen.page.on("pageerror", lambda error: seen.complaints.append(f"error: {error}"))
    seen.page.on("requestfailed", lambda request: seen.complaints.append(f"failed: {request.url}"))

    def dismiss(dialog):
        seen.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def note(request):
        if not request.url.startswith("file://"):
            seen.complaints.append(f"request: {request.url}")

    seen.page.on("dialog", dismiss)
    seen.page.on("request", note)
    seen.page.goto(path.as_uri(), wait_until="load")
    return seen


def column(page: Page, table: str, number: int) -> list[str]:
    return page.locator(f"{table} tbody tr > :nth-child({number})").all_inner_texts()


def test_every_page_opens_in_silence(context, site, board):
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
        page.close()


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


def test_links_lead_somewhere(context, site):
    for path in sorted(site.rglob("*.html")):
        page = visit(context, path).page
        hrefs = page.evaluate("[...document.querySelectorAll('a[href]')].map(a => a.href)")
        assert hrefs
        for href in hrefs:
            parts = urlsplit(href)
            assert parts.scheme == "file", href
            linked = Path(unquote(parts.path))
            assert linked.is_file() and linked.is_relative_to(site), href
            if parts.fragment:
                assert f'id="{parts.fragment}"' in linked.read_text(), href
        page.close()


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


@pytest.fixture
def planted(monkeypatch):
    """planted(**fields): from now on every entry's metadata have these values, which the schema would refuse."""

    def plant(**fields):
        def parse(raw: bytes):
            return parse_metadata(raw).model_copy(update=fields)

        for module in (board_module, submission_module):
            monkeypatch.setattr(module, "parse_metadata", parse)

    return plant


def hostile_fields(text: str, link: str) -> dict:
    names = ("method", "authors", "command", "commit", "hardware", "notes")
    fields = {name: f"{name} {text}" for name in names}
    return {**fields, "link": link, "package_versions": {f"package {text}": f"version {text}"}}


@pytest.mark.parametrize("attack", [*ATTACKS, "W" * 10_000])
def test_hostile_texts_are_shown_as_texts(context, small_board, tmp_path, planted, attack):
    planted(**hostile_fields(attack, f'https://example.org/"><b>{attack}'))
    site = tmp_path / "site"
    write_site(small_board, site)
    text_fields = [text for text in hostile_fields(attack, "").values() if isinstance(text, str) and text]
    for path in (site / "index.html", site / SMALL_TABLE, site / SMALL_ENTRY):
        seen = visit(context, path)
        page = seen.page
        page.mouse.move(200, 200)
        for element in page.locator("main bdi").all()[:6]:
            element.hover(force=True)
        page.wait_for_timeout(50)
        assert seen.complaints == [], path
        assert page.evaluate("window.hacked") is None
        assert page.locator("script").count() == 1
        assert page.locator("main b, main svg, main [onmouseover], main [onerror], main [onload]").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280, path
        shown = page.locator("main").text_content()
        assert f"method {attack}" in shown
        if path == site / SMALL_ENTRY:
            assert all(text in shown for text in (*text_fields, f"package {attack}", f"version {attack}"))
    for figure in site.rglob("*.svg"):
        assert not [element for element in ElementTree.parse(figure).iter() if element.tag.endswith("script")]


@pytest.mark.parametrize(
    "link", ["javascript:window.hacked=1", "data:text/html,<script>1</script>", "file:///etc/passwd"]
)
def test_only_web_addresses_become_links(context, small_board, tmp_path, planted, link):
    planted(link=link)
    write_site(small_board, tmp_path / "site")
    for path in (SMALL_TABLE, SMALL_ENTRY):
        page = visit(context, tmp_path / "site" / path).page
        assert link in page.locator("main").text_content()
        assert link not in page.evaluate("[...document.querySelectorAll('[href], [src]')].map(e => e.href ?? e.src)")


def test_web_addresses_are_links_that_tell_nothing(context, small_board, tmp_path, planted):
    planted(link="https://example.org/paper?a=1&b=2")
    write_site(small_board, tmp_path / "site")
    link = visit(context, tmp_path / "site" / SMALL_ENTRY).page.locator("a", has_text="example.org").first
    assert link.get_attribute("href") == "https://example.org/paper?a=1&b=2"
    assert "noopener" in link.get_attribute("rel").split()


def test_the_same_board_gives_the_same_site(small_board, tmp_path, tree_hash):
    site, again = tmp_path / "site", tmp_path / "new" / "again"
    for folder in (site, again):
        write_site(small_board, folder)
    assert tree_hash(again) == tree_hash(site)
    (again / "stale.html").write_text("of an older board")
    write_site(small_board, again)
    assert tree_hash(again) == tree_hash(site)
    assert [path.name for path in again.parent.iterdir()] == ["again"]


def test_without_a_package_only_benchmarks_with_entries_need_it(tmp_path, monkeypatch):
    """MuJoCo is missing: the site is written without the ant's page; an entry of the ant would need it."""
    known = page_module.environment_type

    def environment_type(environment_id):
        if environment_id == "SparseAntMaze-v0":
            raise MissingExtraError("mujoco", "mujoco")
        return known(environment_id)

    monkeypatch.setattr(page_module, "environment_type", environment_type)
    kept = ("ant-maze/test", "grid-world/target-a")
    monkeypatch.setattr(page_module, "BENCHMARKS", {name: BENCHMARKS[name] for name in kept})
    write_site(tmp_path / "board", tmp_path / "site")
    assert (tmp_path / "site" / "grid-world" / "target-a" / "index.html").is_file()
    assert not (tmp_path / "site" / "ant-maze").exists()


def test_an_empty_board_has_a_site(context, tmp_path):
    (tmp_path / "site").mkdir()  # an empty folder may be taken
    write_site(tmp_path / "board", tmp_path / "site")
    seen = visit(context, tmp_path / "site" / "index.html")
    assert seen.page.get_by_text("No entries yet").count() == len(BENCHMARKS)
    assert (tmp_path / "site" / MARKER_FILE).is_file() and seen.complaints == []


@pytest.mark.parametrize("kind", ["folder", "file", "link to a folder"])
def test_other_peoples_files_are_not_overwritten(small_board, tmp_path, tree_hash, kind):
    place = tmp_path / "place"
    if kind == "file":
        place.write_text("mine")
    else:
        mine = place if kind == "folder" else tmp_path / "mine"
        mine.mkdir()
        (mine / "thesis.txt").write_text("mine")
        if mine != place:
            place.symlink_to(mine)
    before = tree_hash(tmp_path)
    with pytest.raises(ForeignFolderError, match=r"is a (folder of other files|file), expected a new or empty folder"):
        write_site(small_board, place)
    assert tree_hash(tmp_path) == before


def test_a_failure_leaves_the_old_site(board, site, tmp_path, tree_hash):
    broken = Path(shutil.copytree(board, tmp_path / "board"))
    old = Path(shutil.copytree(site, tmp_path / "site"))
    (broken / "grid-world" / "graded" / "solver" / RECORD_FILE).write_text("{")
    before = tree_hash(tmp_path)
    with pytest.raises(CorruptBoardError):
        write_site(broken, old)
    assert tree_hash(tmp_path) == before
