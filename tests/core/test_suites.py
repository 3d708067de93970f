"""Suites are declared once: by the declaration they are listed, read, refused and generated."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.suite_file import CorruptSuiteError, checksum, write_suite_file
from procgen_bench.core.suite_generation import generate_suites, run_family_generator
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
    run_family_generator(Alphabet(tmp_path / "own"))
    assert capsys.readouterr().out == f"drawn {checksum(LETTERS)}\n"
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.npz")] == [f"{folder}/drawn.npz"]


def test_suite_gives_tasks_by_name_and_in_order():
    suite = TaskSuite("letters", tuple("xyz"), ("A", "B", "C"), {"length": np.array([3, 2, 1])})
    assert len(suite) == 3 and list(suite) == ["x", "y", "z"] and suite["B"] == "y"
    with pytest.raises(UnknownNameError, match="unknown task in suite 'letters' 'D'; known: A, B, C"):
        suite["D"]
