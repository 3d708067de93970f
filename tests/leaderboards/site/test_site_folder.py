"""The folder that a site is written to: the same for the same board, whole or untouched, and nobody else's."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.errors import CorruptBoardError
from procgen_bench.leaderboards.scoring.epoch import EPOCHS_FILE
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


@pytest.mark.parametrize(("with_rows", "families"), [(False, set()), (True, {"grid_world", "sprites"})])
def test_benchmarks_without_entries_load_nothing(small_board, tmp_path, with_rows, families):
    """No simulator, no tasks or pictures of a family without rows, whatever is installed: in a process of its own,
    which has loaded nothing before."""
    program = """if True:
        import sys
        from procgen_bench.leaderboards.site.page import write_site
        before = set(sys.modules)
        write_site(sys.argv[1], sys.argv[2])
        print(*sorted(set(sys.modules) - before))
    """
    result = subprocess.run(
        [sys.executable, "-c", program, small_board if with_rows else tmp_path / "board", tmp_path / "site"],
        capture_output=True,
        text=True,
        check=True,
    )
    parts = [name.split(".") for name in result.stdout.split()]
    folders = {"envs": families, "tasks": families - {"sprites"}}
    for folder, expected in folders.items():
        assert {name[2] for name in parts if name[:2] == ["procgen_bench", folder] and len(name) > 2} == expected
    assert not {name[0] for name in parts} & {"mujoco", "pybullet", "minigrid", "gymnasium_robotics"}
    pictures = {path.parent.name for path in (tmp_path / "site").rglob("task-*.png")}
    assert pictures == ({"target-a"} if with_rows else set())


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
    (broken / EPOCHS_FILE).write_text("{")
    before = tree_hash(tmp_path)
    with pytest.raises(CorruptBoardError):
        write_site(broken, old)
    assert tree_hash(tmp_path) == before
