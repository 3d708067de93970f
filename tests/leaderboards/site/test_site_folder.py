"""The folder that a site is written to: the same for the same board, whole or untouched, and nobody else's."""

import shutil
from pathlib import Path

import pytest

from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.core.errors import MissingExtraError
from procgen_bench.leaderboards.board.trust import VERIFIERS_FILE
from procgen_bench.leaderboards.errors import CorruptBoardError
from procgen_bench.leaderboards.site import page as page_module
from procgen_bench.leaderboards.site.page import write_site
from procgen_bench.leaderboards.site.site_folder import MARKER_FILE, ForeignFolderError
from tests.leaderboards.site.browsing import visit


def test_the_same_board_gives_the_same_site(two_benchmarks, small_board, tmp_path, tree_hash):
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


@pytest.mark.slow
def test_an_empty_board_has_a_site(context, tmp_path):
    (tmp_path / "site").mkdir()  # an empty folder may be taken
    write_site(tmp_path / "board", tmp_path / "site")
    seen = visit(context, tmp_path / "site" / "index.html")
    assert seen.page.locator(".card .more", has_text="No entries yet").count() == len(BENCHMARKS)
    assert (tmp_path / "site" / MARKER_FILE).is_file() and seen.complaints == []


@pytest.mark.parametrize("kind", ["folder", "file", "link to a folder"])
def test_other_peoples_files_are_not_overwritten(two_benchmarks, small_board, tmp_path, tree_hash, kind):
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


def test_a_failure_leaves_the_old_site(two_benchmarks, small_board, tmp_path, tree_hash):
    broken = Path(shutil.copytree(small_board, tmp_path / "board"))
    old = tmp_path / "site"
    write_site(small_board, old)
    (broken / VERIFIERS_FILE).write_text("{")
    before = tree_hash(tmp_path)
    with pytest.raises(CorruptBoardError):
        write_site(broken, old)
    assert tree_hash(tmp_path) == before
