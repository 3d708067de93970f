"""A folder is replaced as a whole, or stays as it was."""

import shutil

import pytest

from procgen_bench.core.atomic import replaced_folder


@pytest.fixture
def folder(tmp_path):
    """A folder that holds one file."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "page").write_text("old")
    return folder


def content(folder) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_a_filled_folder_takes_the_place_of_the_old_one(folder):
    with replaced_folder(folder) as building:
        (building / "new page").write_text("new")
    assert content(folder.parent) == {"site/new page": "new"}


def test_a_folder_that_cannot_be_moved_into_its_place_leaves_the_old_one(folder):
    with pytest.raises(FileNotFoundError), replaced_folder(folder) as building:
        shutil.rmtree(building)
    assert content(folder.parent) == {"site/page": "old"}


def test_an_interruption_leaves_the_old_one_and_nothing_beside_it(folder):
    with pytest.raises(KeyboardInterrupt), replaced_folder(folder) as building:
        (building / "new page").write_text("new")
        raise KeyboardInterrupt
    assert content(folder.parent) == {"site/page": "old"}
