"""Compiling is announced where a user waits for it, and not otherwise."""

import io
import types

import pytest

from procgen_bench.core import compiling
from procgen_bench.core.compiling import Announcer


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
