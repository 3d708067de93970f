"""Users' own code: imported where they name it."""

import os
import sys

import pytest

from procgen_bench.core.own_code import TRUSTED_MODULES, OwnCodeError, import_code, known_code, trust


@pytest.fixture
def theirs(tmp_path, monkeypatch):
    (tmp_path / "their_code.py").write_text("class Outer:\n    class Inner:\n        pass\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "their_code", None)  # as it was, not there, is restored afterwards
    del sys.modules["their_code"]
    monkeypatch.setenv(TRUSTED_MODULES, "")  # restored; what deletes an absent one restores nothing
    return "their_code:Outer.Inner"


def test_it_is_found_where_the_process_was_started(theirs):
    assert import_code(theirs).__qualname__ == "Outer.Inner"


def test_what_a_file_names_must_have_been_asked_for(theirs):
    with pytest.raises(OwnCodeError, match="--import their_code"):
        known_code(theirs)
    assert "their_code" not in sys.modules
    trust(["their_code"])
    assert known_code(theirs).__qualname__ == "Outer.Inner"


def test_processes_that_are_started_later_may_import_it(theirs, monkeypatch):
    trust(["their_code", "json"])
    trust(["their_code"])
    assert os.environ[TRUSTED_MODULES].split() == ["their_code", "json"]
    monkeypatch.delitem(sys.modules, "their_code")
    assert known_code(theirs).__qualname__ == "Outer.Inner"


@pytest.mark.parametrize("source", ["nothing", "a.b", ":Agent", "module:", "1:2", "their_code:Outer.Nobody"])
def test_what_cannot_be_had_is_refused(theirs, source):
    with pytest.raises(OwnCodeError, match=r"names no code|cannot be imported"):
        import_code(source)


def test_modules_that_cannot_be_imported_are_named(theirs):
    with pytest.raises(OwnCodeError, match="module 'no_such_module' cannot be imported"):
        trust(["no_such_module"])


@pytest.mark.parametrize("said", ["raise SystemExit(0)", "raise GeneratorExit"])
def test_a_module_that_ends_the_program_cannot_be_imported(theirs, tmp_path, said):
    (tmp_path / "their_code.py").write_text(f"first = 1\n{said}\n")
    for load in (lambda: import_code(theirs), lambda: trust(["their_code"])):
        with pytest.raises(OwnCodeError, match=r"may not end the program: .*their_code\.py, line 2"):
            load()


def test_error_of_their_module_names_its_line(theirs, tmp_path):
    (tmp_path / "their_code.py").write_text("first = 1\nsecond = first / 0\n")
    for load in (lambda: import_code(theirs), lambda: trust(["their_code"])):
        with pytest.raises(OwnCodeError, match=r"ZeroDivisionError: division by zero \(.*their_code\.py, line 2\)"):
            load()
