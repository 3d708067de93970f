"""A cache that cannot be found, read or written costs time and one warning.

What comes compiled with the package is used where the processor and the code are as they were, and nowhere else.
"""

import os
import pickle
import shutil
import subprocess
import sys
import textwrap
import types
import warnings
import zipfile

import pytest
from numba.core import config, event

from procgen_bench.core import kernel_cache, shipped_kernels
from procgen_bench.core.kernel_cache import UnkeptWarning, describe_cache
from procgen_bench.core.shipped_kernels import LEVEL, is_runnable, pack
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


#: Where shipped code cannot run, everything is compiled: what these tests see of it.
IS_COMPILED = not is_runnable()


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """A package without anything compiled beside it, and the archive of what was."""
    root = tmp_path_factory.mktemp("installed") / "tiny_package"
    root.mkdir()
    (root / "__init__.py").touch()
    (root / "kernels.py").write_text(textwrap.dedent(KERNELS), "utf-8")
    clean = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "PYTHONPATH")}
    subprocess.run(
        [sys.executable, "-c", "import tiny_package.kernels as k; k.answer(2)"],
        env=clean
        | {
            "NUMBA_CPU_NAME": LEVEL,
            "NUMBA_CPU_FEATURES": "",
            "PYTHONPATH": os.pathsep.join([str(root.parent), *sys.path]),
        },
        check=True,
    )
    archive = root.parent / "kernels.zip"
    assert pack(root, "tiny_package", archive) == 2, "the function and the form of what it calls"
    shutil.rmtree(root / "__pycache__")
    return root, archive


@pytest.fixture
def archive(packed, monkeypatch, tmp_path):
    """A copy of the archive, which this process reads; nothing else is compiled of the package."""
    root, archive = packed
    own = shutil.copy(archive, tmp_path / "kernels.zip")
    monkeypatch.setattr(shipped_kernels, "ARCHIVE", own)
    shipped_kernels._archive.cache_clear()
    yield own
    shipped_kernels._archive.cache_clear()
    shutil.rmtree(root / "__pycache__", ignore_errors=True)


def use_shipped(packed, monkeypatch, kernels=KERNELS):
    """``answer(2)`` of the package as a new process has it, and whether anything was compiled."""
    path, module = packed[0] / "kernels.py", types.ModuleType("tiny_package.kernels")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with warnings.catch_warnings(), event.install_recorder("numba:compile") as compiled:
        warnings.simplefilter("error")
        exec(compile(textwrap.dedent(kernels), path, "exec"), vars(module))
        result = module.answer(2)
    return result, len(compiled.buffer) > 0


def test_nothing_is_compiled_where_it_came_compiled(packed, archive, monkeypatch):
    assert use_shipped(packed, monkeypatch) == (5, IS_COMPILED)
    assert bool(list(packed[0].rglob("*.nbc"))) == IS_COMPILED
    assert describe_cache().endswith(f"compiled for {LEVEL}") != IS_COMPILED


def test_changed_code_is_compiled(packed, archive, monkeypatch):
    assert use_shipped(packed, monkeypatch, KERNELS.replace("x * 2", "x * 3")) == (7, True)


def test_a_lesser_processor_compiles(packed, archive, monkeypatch):
    features = shipped_kernels.llvm.get_host_cpu_features() | {"avx2": False}
    monkeypatch.setattr(shipped_kernels.llvm, "get_host_cpu_features", lambda: features)
    assert use_shipped(packed, monkeypatch) == (5, True)


@pytest.mark.parametrize("damage", [lambda _: b"", lambda whole: whole[:-1], lambda whole: bytes(len(whole))])
def test_a_damaged_archive_costs_time_alone(packed, archive, monkeypatch, damage):
    archive.write_bytes(damage(archive.read_bytes()))
    assert use_shipped(packed, monkeypatch) == (5, True)


def test_another_version_of_numba_compiles(packed, archive, monkeypatch):
    with zipfile.ZipFile(archive) as files:
        contents = {name: files.read(name) for name in files.namelist()}
    with zipfile.ZipFile(archive, "w") as files:
        for name, content in contents.items():
            if name.endswith(".nbi"):
                content = pickle.dumps(("0.1", *pickle.loads(content)[1:]))
            files.writestr(name, content)
    assert use_shipped(packed, monkeypatch) == (5, True)


def test_a_process_that_was_forked_opens_the_archive_anew(packed, archive):
    parents, childs = shipped_kernels._archive(1), shipped_kernels._archive(2)
    assert (parents is not childs) == is_runnable()
