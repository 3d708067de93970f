import os
from pathlib import Path

import pytest

from procgen_bench.core.atomic import write_text
from procgen_bench.core.errors import UnwritablePathError
from procgen_bench.core.paths import check_file, check_folder, nearest_folder


def test_folders_that_are_there_or_can_be_made_are_accepted(tmp_path):
    for path in (tmp_path, tmp_path / "new", tmp_path / "new" / "newer"):
        check_folder(path)


def test_files_where_folders_are_wanted_are_named(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "run" / "1"):
        with pytest.raises(UnwritablePathError, match=f"^{tmp_path / 'file'} is a file, expected a folder"):
            check_folder(path)


def test_what_no_file_can_be_written_as_is_named(tmp_path):
    check_file(tmp_path / "new.txt")
    write_text(tmp_path / "new.txt", "new")
    check_file(tmp_path / "new.txt")
    with pytest.raises(UnwritablePathError, match=f"^{tmp_path} is a folder, expected a file's name"):
        write_text(tmp_path, "new")
    missing = tmp_path / "missing" / "new.txt"
    with pytest.raises(UnwritablePathError, match=rf"^{missing.parent}, where new\.txt is to be written, is no folder"):
        write_text(missing, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["new.txt"]


#: Where root cannot write either.
UNWRITABLE = Path("/proc")


def test_folders_that_cannot_be_written_are_named(tmp_path, monkeypatch):
    message = r"^/proc cannot be written \(.+\); choose another folder$"
    for check, path in ((check_folder, "new/newer"), (check_folder, ""), (check_file, "new.txt")):
        with pytest.raises(UnwritablePathError, match=message):
            check(UNWRITABLE / path)
    monkeypatch.chdir(UNWRITABLE)
    with pytest.raises(UnwritablePathError, match=message):
        check_folder(Path("runs"))
    assert nearest_folder(Path("runs")) == Path(".")


def test_checking_leaves_nothing(tmp_path):
    before = os.stat(tmp_path).st_mtime_ns
    check_folder(tmp_path / "new")
    check_file(tmp_path / "new.txt")
    assert list(tmp_path.iterdir()) == [] and os.stat(tmp_path).st_mtime_ns == before
