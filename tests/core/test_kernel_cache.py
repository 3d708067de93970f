"""A cache that cannot be found, read or written costs time and one warning."""

import os
import subprocess
import sys
import textwrap
import types
import warnings

import pytest
from numba.core import config, event

from procgen_bench.core import kernel_cache
from procgen_bench.core.kernel_cache import UnkeptWarning, describe_cache
from tests.full_disk import full_above

KERNELS = """
    from procgen_bench.core.compiled import njit

    @njit
    def answer(x):
        return _doubled(x) + 1

    @njit
    def _doubled(x):
        return x * 2
"""
CHANGED = KERNELS.replace("x * 2", "x * 3")

REMEDY = "; set NUMBA_CACHE_DIR to a folder that can be written and has room"
WARNING = "compiled functions are not kept, and every process compiles them again: "


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a module with two kernels lies, of a user without a home folder."""
    monkeypatch.setenv("HOME", "/proc/none")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("PROCGEN_BENCH_COMPILING_TELLER", str(os.getpid()))
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setattr(kernel_cache, "_KEEPING", kernel_cache._Keeping())
    monkeypatch.setattr(kernel_cache, "is_shipped", lambda: False)
    (tmp_path / "tiny.py").write_text(textwrap.dedent(KERNELS), "utf-8")
    monkeypatch.setitem(sys.modules, "tiny", types.ModuleType("tiny"))
    return tmp_path


def use(folder, kernels=KERNELS):
    """``answer(2)`` of a module that is new to Numba, how often its functions were compiled, and the warnings."""
    path, module = folder / "tiny.py", sys.modules["tiny"]
    with warnings.catch_warnings(record=True) as caught, event.install_recorder("numba:compile") as compiled:
        warnings.simplefilter("always")
        exec(compile(textwrap.dedent(kernels), path, "exec"), vars(module))
        result = module.answer(2)
    assert all(warning.category is UnkeptWarning for warning in caught)
    return result, len(compiled.buffer) > 0, [str(warning.message) for warning in caught]


def block(folder):
    """Let nothing be kept beside the source, by root neither."""
    (folder / "__pycache__").write_text("a file", "utf-8")


def kept(folder, suffix):
    return sorted((folder / "__pycache__").glob(f"*{suffix}"))


@pytest.mark.parametrize("home", ["/proc/none", "nowhere"])
def test_without_a_folder_it_compiles_in_memory_with_one_warning(folder, home, monkeypatch):
    monkeypatch.setenv("HOME", home)
    monkeypatch.chdir(folder)
    block(folder)
    problem = f"none of {folder} and the user's cache folder can be written"
    assert use(folder) == (5, True, [f"{WARNING}{problem}{REMEDY}"])
    assert describe_cache() == f"nothing new is kept on disk: {problem}{REMEDY}"
    assert use(folder) == (5, True, [])
    assert not (folder / "nowhere").exists(), "a relative home is none, and no place to write"


def test_workers_leave_the_warning_to_who_started_them(folder, monkeypatch):
    monkeypatch.setenv("PROCGEN_BENCH_COMPILING_TELLER", "1")
    block(folder)
    assert use(folder) == (5, True, [])


def test_the_folder_that_was_asked_for_is_named_when_it_cannot_be_written(folder, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", "/proc/asked")
    block(folder)
    assert "none of /proc/asked, " in use(folder)[2][0]


def test_where_functions_are_kept_is_said(folder, monkeypatch):
    assert describe_cache().endswith("procgen_bench, beside the source files")
    monkeypatch.setattr(config, "CACHE_DIR", str(folder / "asked"))
    assert describe_cache() == f"kept in {folder / 'asked'}"


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", [lambda _: b"", lambda whole: bytes(len(whole)), lambda whole: whole[:-1]])
def test_a_damaged_file_is_written_again(folder, suffix, damage):
    assert use(folder) == (5, True, [])
    assert kept(folder, suffix)
    for path in kept(folder, suffix):
        path.write_bytes(damage(path.read_bytes()))
    assert [use(folder), use(folder)] == [(5, True, []), (5, False, [])]


def test_a_full_disk_is_one_warning(folder):
    problem = f"{folder}: File too large"
    with full_above(0):
        used = use(folder)
    assert used == (5, True, [f"{WARNING}{problem}{REMEDY}"])
    assert describe_cache() == f"nothing new is kept on disk: {problem}{REMEDY}"
    assert [use(folder), use(folder)] == [(5, True, []), (5, False, [])]


def test_what_a_full_disk_cut_short_is_not_taken_for_newer_code(folder):
    use(folder)
    largest_index = max(path.stat().st_size for path in kept(folder, ".nbi"))
    assert largest_index < min(path.stat().st_size for path in kept(folder, ".nbc"))
    with full_above(largest_index):
        assert use(folder, CHANGED)[0] == 7
    assert use(folder, CHANGED)[0] == 7


def test_data_of_older_code_is_removed(folder):
    use(folder)
    number = len(kept(folder, ".nbc"))
    assert use(folder, CHANGED) == (7, True, [])
    assert len(kept(folder, ".nbc")) == number


def test_what_was_compiled_at_installation_is_read_from_there(folder, monkeypatch):
    use(folder)
    monkeypatch.setattr(config, "CACHE_DIR", str(folder / "own"))
    assert use(folder) == (5, False, [])


@pytest.mark.parametrize("is_compiled", [pytest.param(False, marks=pytest.mark.slow), True])
def test_another_user_reads_an_installation_that_cannot_be_written(folder, is_compiled):
    """In a fresh process, for which the modes of folders count even where the tests are root's."""
    if is_compiled:
        use(folder)
    (folder / "__pycache__").mkdir(exist_ok=True)
    program = "import tiny\nprint(tiny.answer(2), tiny.answer.stats.cache_hits != {})"
    unprivileged = ["setpriv", "--bounding-set", "-dac_override"] if os.geteuid() == 0 else []
    inherited = {name: os.environ[name] for name in os.environ.keys() - {"HOME", "PROCGEN_BENCH_COMPILING_TELLER"}}
    path = os.pathsep.join([str(folder), *sys.path])
    (folder / "__pycache__").chmod(0o555)
    done = subprocess.run(
        [*unprivileged, sys.executable, "-B", "-c", program],
        env=inherited | {"PYTHONPATH": path, "HOME": "/proc/none"},
        capture_output=True,
        encoding="utf-8",
    )
    (folder / "__pycache__").chmod(0o755)
    assert done.stdout == f"5 {is_compiled}\n", done.stderr
    assert done.stderr.count("procgen_bench:0: UnkeptWarning") == (not is_compiled)
