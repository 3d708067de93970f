"""Suites are declared once: by the declaration they are listed, read, refused and generated."""

import pickle
import sys
import zipfile
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from procgen_bench.core.errors import ProcgenBenchError, UnknownNameError
from procgen_bench.core.suite_file import CorruptSuiteError, checksum, read_suite_file, write_suite_file
from procgen_bench.core.suite_generation import generate_suites, run_generator
from procgen_bench.core.suites import NO_SUITES, FamilySuites, SuiteDescriptor
from procgen_bench.core.task_suite import TaskSuite, numbered

LETTERS = {"letters": np.array(["x", "y", "z"])}


class Alphabet:
    """What generators need of a space."""

    def __init__(self, folder):
        self.suites = FamilySuites(
            folder,
            (
                SuiteDescriptor("written", lambda name, arrays: TaskSuite(name, ("a", *arrays), ("A",))),
                SuiteDescriptor("drawn", letters_suite, checksum(LETTERS), lambda space: space.letters()),
                SuiteDescriptor("elsewhere", letters_suite, checksum(LETTERS)),
            ),
        )

    def letters(self):
        return LETTERS


def letters_suite(name, arrays) -> TaskSuite:
    letters = tuple(arrays["letters"].tolist())
    return TaskSuite(name, letters, numbered(len(letters)))


def test_declared_suites_are_listed_and_read(tmp_path):
    suites = Alphabet(tmp_path).suites
    assert suites.names == ("written", "drawn", "elsewhere")
    assert suites.read("written") == {} and suites.load("written").tasks == ("a",)
    write_suite_file(tmp_path, "drawn", LETTERS)
    suite = suites.load("drawn")
    assert (suite.name, suite.tasks, suite.task_names) == ("drawn", ("x", "y", "z"), ("0", "1", "2"))


def test_other_content_than_the_declared_is_refused(tmp_path):
    suites = Alphabet(tmp_path).suites
    write_suite_file(tmp_path, "drawn", {"letters": np.array(["x", "y", "Z"])})
    with pytest.raises(CorruptSuiteError, match=r"drawn\.npz has checksum"):
        suites.load("drawn")


@pytest.mark.parametrize("ask", ["load", "read", "__getitem__"])
def test_unknown_suites_are_refused_and_the_known_listed(tmp_path, ask):
    with pytest.raises(UnknownNameError, match="unknown suite 'hard'; known: written, drawn, elsewhere"):
        getattr(Alphabet(tmp_path).suites, ask)("hard")
    with pytest.raises(UnknownNameError, match="unknown suite 'hard'; known: none"):
        getattr(NO_SUITES, ask)("hard")


def test_generating_writes_what_can_be_drawn(tmp_path):
    assert generate_suites(Alphabet(tmp_path), tmp_path / "new") == {"drawn": checksum(LETTERS)}
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["drawn.npz"]
    assert replace(Alphabet(tmp_path).suites, folder=tmp_path / "new").load("drawn").tasks == ("x", "y", "z")


@pytest.mark.parametrize("folder", ["given", "own"])
def test_command_line_writes_into_the_folder_that_it_names_or_the_family_s(tmp_path, monkeypatch, capsys, folder):
    given = [str(tmp_path / "given")] if folder == "given" else []
    monkeypatch.setattr(sys, "argv", ["generate", *given])
    space = Alphabet(tmp_path / "own")
    run_generator(partial(generate_suites, space), space.suites.folder)
    assert capsys.readouterr().out == f"drawn {checksum(LETTERS)}\n"
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.npz")] == [f"{folder}/drawn.npz"]


def test_suite_gives_tasks_by_name_and_in_order():
    suite = TaskSuite("letters", tuple("xyz"), ("A", "B", "C"), {"length": np.array([3, 2, 1])})
    assert len(suite) == 3 and list(suite) == ["x", "y", "z"] and suite["B"] == "y"
    with pytest.raises(UnknownNameError, match="unknown task in suite 'letters' 'D'; known: A, B, C"):
        suite["D"]


ARRAYS = {"tiles": np.arange(12, dtype=np.int8).reshape(3, 2, 2), "length": np.array([1, 2, -1], np.int8)}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "suite.npz"
    np.savez_compressed(path, **ARRAYS)
    return path


def test_whole_file_is_read(path):
    found = read_suite_file(path, checksum(ARRAYS))
    assert set(found) == set(ARRAYS)
    assert all(np.array_equal(found[name], ARRAYS[name]) and found[name].dtype == np.int8 for name in ARRAYS)


def test_written_file_is_read_with_the_checksum_that_writing_returned(tmp_path):
    expected = write_suite_file(tmp_path / "data" / "new", "one", ARRAYS)
    found = read_suite_file(tmp_path / "data" / "new" / "one.npz", expected)
    assert set(found) == set(ARRAYS) and all(np.array_equal(found[key], ARRAYS[key]) for key in ARRAYS)
    assert [file.name for file in (tmp_path / "data" / "new").iterdir()] == ["one.npz"]


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays | {"length": np.array([1, 2, 3], np.int8)},
        lambda arrays: arrays | {"length": np.array([1, 2, -1], np.int16)},
        lambda arrays: arrays | {"tiles": ARRAYS["tiles"].reshape(3, 4)},
        lambda arrays: arrays | {"extra": np.zeros(1)},
        lambda arrays: {"tiles": arrays["tiles"]},
        lambda arrays: {"tiles": arrays["tiles"], "lengths": arrays["length"]},
    ],
    ids=["a value", "a dtype", "a shape", "an array more", "an array less", "a name"],
)
def test_changed_content_is_refused(path, change):
    np.savez_compressed(path, **change(ARRAYS))
    with pytest.raises(CorruptSuiteError, match="reinstall procgen_bench") as caught:
        read_suite_file(path, checksum(ARRAYS))
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "no archive"])
def test_damaged_file_is_refused(path, damage):
    content = bytearray(path.read_bytes())
    if damage == "truncated":
        content = content[: len(content) // 2]
    elif damage == "flipped":
        content[60] ^= 0xFF
    elif damage == "empty":
        content = b""
    else:
        content = b"no archive at all"
    path.write_bytes(content)
    with pytest.raises(CorruptSuiteError, match="reinstall procgen_bench"):
        read_suite_file(path, checksum(ARRAYS))


def test_pickled_content_is_never_loaded(path, tmp_path):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    with zipfile.ZipFile(path, "w") as archive:
        header = b"\x93NUMPY\x01\x00v\x00"
        description = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
        archive.writestr("tiles.npy", header + description.ljust(117) + b"\n" + pickle.dumps(Trap()))
    with pytest.raises(CorruptSuiteError):
        read_suite_file(path, checksum(ARRAYS))
    assert not (tmp_path / "sprung").exists()


def test_corrupt_suite_error_is_one_of_ours():
    assert issubclass(CorruptSuiteError, ProcgenBenchError)
