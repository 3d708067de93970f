"""What is kept of compiled functions: it is used again while nothing has changed that they contain, and only then.

Compiling is announced where a user waits for it, and not otherwise.
"""

import importlib
import io
import os
import subprocess
import sys
import textwrap
import types

import pytest
from numba.core.dispatcher import Dispatcher

from procgen_bench.core import compiling
from procgen_bench.core.compiled import njit, stamp
from procgen_bench.core.compiling import Announcer
from tests.architecture.checkout import modules
from tests.installed import can_be_imported

CALLER = """
    from procgen_bench.core.compiled import njit
    from tiny import callee

    @njit
    def answer(x):
        return callee.outer(x) + callee.inlined(x)
"""

CALLEE = """
    import numpy as np
    from procgen_bench.core.compiled import njit

    TABLE = np.array([10, 20])
    PAIR = (TABLE, 20)

    @njit
    def outer(x):
        return _doubled(x) + 1 + TABLE[1]

    @njit(inline="always")
    def inlined(x):
        return x + 1 + PAIR[1]

    @njit
    def _doubled(x):
        return x * 2
"""

PROGRAM = """
    from numba.core import event
    with event.install_recorder("numba:compile") as compiled:
        from tiny.caller import answer
        print(answer(1), len(compiled.buffer) > 0)
"""


def write(folder, caller, callee):
    (folder / "tiny").mkdir(exist_ok=True)
    for name, source in {"__init__": "", "caller": caller, "callee": callee}.items():
        (folder / "tiny" / f"{name}.py").write_text(textwrap.dedent(source))


def run(folder, **environment):
    """What ``answer(1)`` is in a fresh process, and whether anything was compiled for it."""
    command = [sys.executable, "-B", "-c", textwrap.dedent(PROGRAM)]
    path = os.pathsep.join([str(folder), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path, **environment}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run(command, env=environment, cwd=folder, check=True, capture_output=True, text=True)
    result, compiled = done.stdout.split()
    return int(result), compiled == "True"


CHANGES = {
    "function": ("x * 2", "x * 3", 46),
    "inlined function": ("x + 1", "x + 2", 46),
    "table": ("[10, 20]", "[10, 30]", 55),
    "constant in a tuple": ("(TABLE, 20)", "(TABLE, 21)", 46),
    "option": ("@njit\n    def _doubled", '@njit(error_model="numpy")\n    def _doubled', 45),
}


@pytest.mark.parametrize(
    "what", [name if name == "table" else pytest.param(name, marks=pytest.mark.slow) for name in CHANGES]
)
def test_what_another_file_changes_is_compiled_anew(what, tmp_path):
    before, after, result = CHANGES[what]
    assert before in CALLEE
    write(tmp_path, CALLER, CALLEE)
    assert run(tmp_path) == (45, True)
    write(tmp_path, CALLER, CALLEE.replace(before, after))
    assert run(tmp_path) == (result, True)


@pytest.mark.slow
def test_comments_and_times_of_files_do_not_matter(tmp_path):
    write(tmp_path, CALLER, CALLEE)
    assert run(tmp_path) == (45, True)
    write(tmp_path, CALLER, CALLEE + "\n    # the end")
    os.utime(tmp_path / "tiny" / "caller.py", (1, 1))
    assert run(tmp_path) == (45, False)


def test_what_was_kept_of_a_class_that_is_no_more_is_forgotten(tmp_path):
    caller = """
        from procgen_bench.core.compiled import njit
        from tiny import callee

        @njit
        def _total(pair):
            return pair.one + pair.other

        def answer(x):
            return _total(callee.Pair(x, 2))
    """
    callee = "from typing import NamedTuple\nclass Pair(NamedTuple):\n    one: int\n    other: int\n"
    write(tmp_path, caller, callee)
    assert run(tmp_path) == (3, True)
    write(tmp_path, caller.replace("Pair", "Two"), callee.replace("Pair", "Two"))
    assert [run(tmp_path), run(tmp_path)] == [(3, True), (3, False)]


def test_an_installation_that_cannot_be_written_keeps_its_functions_in_the_users_folder(tmp_path):
    write(tmp_path, CALLER, CALLEE)
    (tmp_path / "tiny" / "__pycache__").write_text("a file, so that no folder can be made here, by root neither")
    home = {"XDG_CACHE_HOME": str(tmp_path / "home")}
    assert [run(tmp_path, **home) for _ in range(2)] == [(45, True), (45, False)]
    assert list((tmp_path / "home").rglob("*.nbi"))


@pytest.mark.slow
def test_checked_bounds_are_compiled_apart(tmp_path):
    write(tmp_path, CALLER, CALLEE)
    assert run(tmp_path) == (45, True)
    assert run(tmp_path, NUMBA_BOUNDSCHECK="1") == (45, True)


def test_stamps_are_equal_in_every_process_and_differ_between_functions():
    program = (
        "from procgen_bench.core.compiled import stamp\n"
        "from procgen_bench.envs.xland.raycaster import draw_all_players\n"
        "from procgen_bench.envs.grid_world.kernel import step_rows, start_rows\n"
        "print(stamp(draw_all_players), stamp(step_rows), stamp(start_rows))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert len(set(outputs.pop().split())) == 3


def test_what_cannot_be_hashed_is_refused():
    with pytest.raises(TypeError, match="does not know how to hash its content"):
        stamp(_reads_an_object)


_UNKNOWN = type("Unknown", (), {})()


@njit
def _reads_an_object():
    return _UNKNOWN


@pytest.mark.parametrize(
    "module",
    [
        name
        for name, path in sorted(modules().items())
        if "compiled import njit" in path.read_text() and can_be_imported(name)
    ],
)
def test_every_compiled_function_has_a_stamp(module):
    functions = [value for value in vars(importlib.import_module(module)).values() if isinstance(value, Dispatcher)]
    assert len({stamp(function) for function in functions}) == len(functions) > 0


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that is put forward by hand."""
    clock = types.SimpleNamespace(now=0.0)
    monkeypatch.setattr(compiling, "time", types.SimpleNamespace(perf_counter=lambda: clock.now))
    monkeypatch.delenv("PROCGEN_BENCH_COMPILING_TELLER", raising=False)
    return clock


def of(module):
    """An event of compiling a function of ``module``."""
    function = types.SimpleNamespace(__module__=module)
    kept = types.SimpleNamespace(is_kept=True)
    return types.SimpleNamespace(data={"dispatcher": types.SimpleNamespace(py_func=function, _cache=kept)})


def compile_three(announcer, clock, seconds, module="procgen_bench.envs.xland.driving"):
    """Compile a function and, for it, two others, each of which takes ``seconds``."""
    announcer.on_start(of(module))
    for _ in range(2):
        announcer.on_start(of("numba.np.arrayobj"))
        clock.now += seconds
        announcer.on_end(of("numba.np.arrayobj"))
    announcer.on_end(of(module))


def test_short_compilation_is_silent_until_all_of_them_take_long(clock, monkeypatch):
    output = io.StringIO()
    monkeypatch.setattr("sys.stderr", output)
    announcer = Announcer()
    compile_three(announcer, clock, 0.5)
    assert output.getvalue() == "" and announcer.num_compiled == 3
    for _ in range(3):
        compile_three(announcer, clock, 0.9)
    assert output.getvalue().count("\n") == 1
    assert output.getvalue().startswith("compiling envs.xland, once")


def test_a_terminal_sees_one_line_that_goes_away(clock, monkeypatch):
    output = Terminal()
    monkeypatch.setattr("sys.stderr", output)
    compile_three(Announcer(), clock, 3.0)
    assert "compiling envs.xland: 1 functions in 3 s" in output.getvalue()
    assert "\n" not in output.getvalue() and output.getvalue().endswith("\r\x1b[K")


def test_workers_and_other_packages_are_silent(clock, monkeypatch):
    output = io.StringIO()
    monkeypatch.setattr("sys.stderr", output)
    mine = Announcer()
    compile_three(mine, clock, 3.0, module="somebody.else")
    assert mine.num_compiled == 0
    monkeypatch.setenv("PROCGEN_BENCH_COMPILING_TELLER", "1")  # inherited from the process that started this one
    compile_three(Announcer(), clock, 3.0)
    assert output.getvalue() == ""
