"""Scores by group of tasks, and films of real pages: sites and rooms on a board, opened in a real Chromium."""

import dataclasses
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.core.registrations import make_task_space
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.board.table import read_table
from procgen_bench.leaderboards.site import clips
from procgen_bench.leaderboards.site.clips import write_pictures
from procgen_bench.leaderboards.site.grouped_pages import ProgramPages
from procgen_bench.leaderboards.site.page import write_site
from procgen_bench.leaderboards.site.section import Section
from procgen_bench.leaderboards.site.track_pages import track_pages
from tests.leaderboards.few_benchmarks import only_benchmarks
from tests.leaderboards.site.browsing import visit

NAMES = {
    "gminiwob/test": ("login-1-0", "login-1-1", "login-4-0", "flight-4-3", "enter-text-5"),
    "gminiwob/random": ("3", "57", "499"),
    "cminigrid/test": ("goal-0", "key-3", "ball-0", "key+ball-1"),
}
TITLES = {
    "gminiwob/test": ["login, level 1", "login, level 4", "flight, level 4", "enter-text"],
    "gminiwob/random": ["1 page", "2 pages", "10 pages"],
    "cminigrid/test": ["0 subtasks", "1 subtask", "2 subtasks"],
}


@pytest.fixture(scope="module")
def board(play, tmp_path_factory):
    """The solver and the constant policy on a few tasks of each benchmark, in the place of all benchmarks."""
    folder = tmp_path_factory.mktemp("grouped") / "board"
    small = [dataclasses.replace(get_benchmark(name), task_names=NAMES[name]) for name in NAMES]
    with only_benchmarks(*small):
        for benchmark in small:
            for policy in ("solver", "constant"):
                submit(play(benchmark, policy), folder)
        yield folder


@pytest.fixture(scope="module")
def site(board, tmp_path_factory):
    folder = tmp_path_factory.mktemp("grouped") / "site"
    write_site(board, folder)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_groups_are_means_of_their_tasks(board, name, tmp_path):
    section = Section(BENCHMARKS[name], read_table(BENCHMARKS[name], board))
    (part,) = track_pages(section).benchmark_parts(tmp_path)
    groups = part.content["groups"]
    assert [group.title for group in groups] == TITLES[name]
    assert sorted(np.concatenate([group.places for group in groups])) == list(range(len(NAMES[name])))
    for group in groups:
        for row, cell in zip(section.rows, group.cells):
            assert cell.value == row.entry.scores[:, group.places].mean()
        assert group.best is None  # the solver is an oracle, the constant policy scores nothing


def test_goals_of_the_arm_are_distinguished_by_where_they_are():
    section = SimpleNamespace(suite=make_task_space("FetchBlocks-v0").suite("test"))
    titles = Counter(ProgramPages(section).titles())
    assert set(titles) == {"on the table", "on another block", "in the air"}
    assert 200 < titles["in the air"] < 300 and titles["on another block"] > 30


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_the_table(site, browser, name):
    with browser.new_context() as context:
        seen = visit(context, site.joinpath(*name.split("/")) / "index.html")
        rows = seen.page.locator("table.groups tbody tr")
        assert rows.locator("th").all_inner_texts() == TITLES[name]
        assert rows.first.locator("td").all_inner_texts()[1:] == ["1.000", "0.000"]
        assert seen.complaints == []


@pytest.mark.slow
def test_replays_of_sites_show_the_real_page(site, browser):
    folder = site / "gminiwob" / "test" / "solver"
    with browser.new_context() as context:
        seen = visit(context, folder / "index.html")
        canvas = seen.page.locator(".viewer canvas").first
        assert (canvas.get_attribute("width"), canvas.get_attribute("height")) == ("640", "467")
        assert seen.page.locator(".viewer").first.get_attribute("data-steps") == "0 1 2 3 4 5 6 7 8"
        assert seen.complaints == []


@pytest.mark.slow
def test_pictures_without_a_browser_are_plans(monkeypatch, tmp_path):
    """And with one they are not: the browser's text has softer edges than the plan's."""
    suite = get_benchmark("gminiwob/test").task_suite()
    pictures = {}
    for place, path in (("with", None), ("without", "")):
        folder = tmp_path / place
        folder.mkdir()
        if path is not None:
            monkeypatch.setenv("PATH", path)
            monkeypatch.delenv("PROCGEN_BENCH_CHROMIUM", raising=False)
        clips._pictures.cache_clear()
        (_, name), *_ = write_pictures("GMiniWoB-v0", suite, folder)
        pictures[place] = np.asarray(Image.open(folder / name).convert("RGB"))
    assert pictures["with"].shape == pictures["without"].shape
    assert (pictures["with"] != pictures["without"]).any()
    clips._pictures.cache_clear()
