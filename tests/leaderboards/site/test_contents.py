"""A site that is written again: what has changed is made again, nothing else is, and the result is the same."""

import json
import shutil

import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.board import entries_folder
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.scoring.record import RECORD_FILE
from procgen_bench.leaderboards.site import benchmark_pages, contents, films
from procgen_bench.leaderboards.site.contents import CONTENTS_FILE, ForeignVersionError, tool_digest
from procgen_bench.leaderboards.site.page import write_site
from tests.leaderboards.site.browsing import visit

TABLE = "grid-world/target-a/index.html"


pytestmark = pytest.mark.usefixtures("two_benchmarks")


@pytest.fixture
def board(small_board, tmp_path):
    """A board to change: two methods of two runs on target A, nothing on target B."""
    return shutil.copytree(small_board, tmp_path / "board")


@pytest.fixture
def site(board, tmp_path):
    write_site(board, tmp_path / "site")
    return tmp_path / "site"


@pytest.fixture
def made(monkeypatch):
    """What is made from now on: names of filmed entries, and ids of benchmarks whose pages are written."""
    names = []
    film, write_pages = films.film_entries, benchmark_pages.write_pages

    def filmed(entries):
        names.extend(entry.name for entry in entries)
        return film(entries)

    def written(section, *arguments):
        names.append(section.benchmark.id)
        return write_pages(section, *arguments)

    monkeypatch.setattr("procgen_bench.leaderboards.site.films.film_entries", filmed)
    monkeypatch.setattr("procgen_bench.leaderboards.site.page.write_pages", written)
    return names


def write_both(board, site, tree_hash) -> None:
    """Write a site again, and another from nothing: they are the same."""
    write_site(board, site)
    write_site(board, site.with_name("new"))
    assert tree_hash(site) == tree_hash(site.with_name("new"))
    shutil.rmtree(site.with_name("new"))


def test_without_a_change_nothing_is_made(board, site, made, tree_hash):
    before, linked = tree_hash(site), (site / TABLE).stat().st_ino
    write_site(board, site)
    assert made == [] and tree_hash(site) == before
    assert (site / TABLE).stat().st_ino == linked  # a link, not a copy


@pytest.mark.slow
def test_of_a_new_row_its_films_and_its_benchmark_are_made(board, site, made, play, target, tree_hash):
    submit(play(target, "random"), board)
    write_site(board, site)
    assert made == ["random", "grid-world/target-a"]
    write_both(board, site, tree_hash)


def test_what_is_removed_from_the_board_leaves_the_site(board, site, made, target, tree_hash):
    shutil.rmtree(entries_folder(target, board) / "null")
    write_site(board, site)
    assert made == ["grid-world/target-a"] and not (site / "grid-world/target-a/null").exists()
    write_both(board, site, tree_hash)


@pytest.mark.parametrize(
    "fault",
    [
        "edited",
        "link",
        "listed outside",
        *(pytest.param(fault, marks=pytest.mark.slow) for fault in ("removed", "contents")),
    ],
)
def test_a_site_that_was_tampered_with_is_mended(board, site, tree_hash, tmp_path, fault):
    before, table, listed = tree_hash(site), site / TABLE, site / CONTENTS_FILE
    secret = tmp_path / "secret"
    secret.write_text("mine")
    if fault == "edited":
        table.write_text(table.read_text() + "<p>edited")
    elif fault == "removed":
        (site / "grid-world/target-a/null/clip-0.png").unlink()
    elif fault == "link":
        content = table.read_text()
        table.unlink()
        (site / "other").write_text(content)
        table.symlink_to(site / "other")
    elif fault == "contents":
        listed.write_text("{")
    else:
        listed.write_text(listed.read_text().replace("grid-world/target-a/scores.svg", "../secret"))
    write_site(board, site)
    assert tree_hash(site) == before and secret.read_text() == "mine"


def test_another_version_of_the_package_writes_all_anew(board, site, made, monkeypatch):
    monkeypatch.setattr(contents, "tool_digest", lambda places=(): "another")
    with pytest.raises(ForeignVersionError, match="write all of it first, without --only"):
        write_site(board, site, only=[get_benchmark("grid-world/target-a")])
    write_site(board, site)
    assert sorted(made) == ["constant", "grid-world/target-a", "null"]


def test_only_a_benchmarks_pages_are_written_and_the_index(board, site, made, play, target, context):
    other = get_benchmark("grid-world/target-b")
    for benchmark in (target, other):
        submit(play(benchmark, "random"), board)
    old = (site / TABLE).read_bytes()
    write_site(board, site, only=[other])
    assert made == ["random", other.id]
    assert (site / TABLE).read_bytes() == old and (site / "grid-world/target-a/null/index.html").is_file()
    seen = visit(context, site / "index.html")
    assert sorted(seen.page.locator(".compare tbody th").all_inner_texts()) == [
        "constant floor",
        "null floor",
        "random floor",
    ]
    assert seen.page.locator(".compare tbody td a").count() == 3
    for link in seen.page.locator("main a").all():  # none leads to a row whose page is still to be written
        assert (site / link.get_attribute("href").partition("#")[0]).is_file()
    write_site(board, site)
    assert made == ["random", other.id, "random", target.id]


def test_only_works_on_a_new_folder(board, tmp_path, context, play, target):
    submit(play(get_benchmark("grid-world/target-b"), "null"), board)
    write_site(board, tmp_path / "new", only=[target])
    seen = visit(context, tmp_path / "new" / "index.html")
    assert seen.page.locator(".card h3").all_inner_texts() == ["target-a"] and seen.complaints == []
    assert sorted(path.name for path in (tmp_path / "new" / "grid-world").iterdir()) == ["target-a"]


def test_a_benchmark_without_rows_has_no_page_and_is_in_the_feed(site):
    assert not (site / "grid-world" / "target-b").exists()
    feed = json.loads((site / "board.json").read_text())
    assert [of_one["benchmark"] for of_one in feed["benchmarks"]] == ["grid-world/target-a", "grid-world/target-b"]


def test_an_entry_that_cannot_be_read_is_named_and_stops_nothing(board, site, target, context, tree_hash):
    folder = entries_folder(target, board)
    (folder / "null" / RECORD_FILE).write_text('{"tier": "<script>window.hacked = 1</script>"}')
    (folder / "<img src=x onerror='window.hacked = 1'>").mkdir()
    write_both(board, site, tree_hash)
    seen = visit(context, site / TABLE)
    left_out = seen.page.locator(".unreadable li").all_inner_texts()
    assert len(left_out) == 2 and "<img src=x onerror=" in left_out[0] and "null: record.json:" in left_out[1]
    assert seen.page.evaluate("window.hacked") is None and seen.complaints == []
    assert seen.page.locator(".entries tbody tr").count() == 1
    index = visit(context, site / "index.html").page
    assert "2 entries left out" in index.locator("main").inner_text()


def test_the_digest_changes_with_the_package(tmp_path, monkeypatch):
    package = tmp_path / "package"
    (package / "site").mkdir(parents=True)
    (package / "__pycache__").mkdir()
    (package / "__init__.py").write_text("")
    (package / "site" / "page.py").write_text("1")
    monkeypatch.setattr(contents, "__file__", str(package / "leaderboards" / "site" / "contents.py"))
    digest = tool_digest.__wrapped__
    before = digest()
    (package / "__pycache__" / "page.pyc").write_text("compiled")
    assert digest() == before == digest(("",)) and digest(("site",)) == digest(("site/page.py",))
    (package / "site" / "page.py").write_text("2")
    assert digest() != before
