"""What comes compiled with the package is used where the processor and the code are as they were, and nowhere else."""

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
from numba.core import event

from procgen_bench.core import shipped_kernels
from procgen_bench.core.kernel_cache import describe_cache
from procgen_bench.core.shipped_kernels import LEVEL, is_runnable, pack

KERNELS = """
    from procgen_bench.core.compiled import njit

    @njit
    def answer(x):
        return _doubled(x) + 1

    @njit
    def _doubled(x):
        return x * 2
"""

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


def use(packed, monkeypatch, kernels=KERNELS):
    """``answer(2)`` of the package as a new process has it, and whether anything was compiled."""
    path, module = packed[0] / "kernels.py", types.ModuleType("tiny_package.kernels")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with warnings.catch_warnings(), event.install_recorder("numba:compile") as compiled:
        warnings.simplefilter("error")
        exec(compile(textwrap.dedent(kernels), path, "exec"), vars(module))
        result = module.answer(2)
    return result, len(compiled.buffer) > 0


def test_nothing_is_compiled_where_it_came_compiled(packed, archive, monkeypatch):
    assert use(packed, monkeypatch) == (5, IS_COMPILED)
    assert bool(list(packed[0].rglob("*.nbc"))) == IS_COMPILED
    assert describe_cache().endswith(f"compiled for {LEVEL}") != IS_COMPILED


def test_changed_code_is_compiled(packed, archive, monkeypatch):
    assert use(packed, monkeypatch, KERNELS.replace("x * 2", "x * 3")) == (7, True)


def test_a_lesser_processor_compiles(packed, archive, monkeypatch):
    features = shipped_kernels.llvm.get_host_cpu_features() | {"avx2": False}
    monkeypatch.setattr(shipped_kernels.llvm, "get_host_cpu_features", lambda: features)
    assert use(packed, monkeypatch) == (5, True)


@pytest.mark.parametrize("damage", [lambda _: b"", lambda whole: whole[:-1], lambda whole: bytes(len(whole))])
def test_a_damaged_archive_costs_time_alone(packed, archive, monkeypatch, damage):
    archive.write_bytes(damage(archive.read_bytes()))
    assert use(packed, monkeypatch) == (5, True)


def test_another_version_of_numba_compiles(packed, archive, monkeypatch):
    with zipfile.ZipFile(archive) as files:
        contents = {name: files.read(name) for name in files.namelist()}
    with zipfile.ZipFile(archive, "w") as files:
        for name, content in contents.items():
            if name.endswith(".nbi"):
                content = pickle.dumps(("0.1", *pickle.loads(content)[1:]))
            files.writestr(name, content)
    assert use(packed, monkeypatch) == (5, True)


def test_a_process_that_was_forked_opens_the_archive_anew(packed, archive):
    parents, childs = shipped_kernels._archive(1), shipped_kernels._archive(2)
    assert (parents is not childs) == is_runnable()
