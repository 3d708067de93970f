"""Speeds side by side: what the benchmarks of this folder measured, as tables of steps and of resets per second, with
ratios, for every file.

Every figure is that of the fastest round: on a shared machine the others measure the neighbours, too.

The files are named ``bench_*.py``, so a plain ``pytest`` does not collect them; ``make bench`` names them. A benchmark
tells how many steps one call takes, or which seconds it measured itself, in ``benchmark.extra_info``:

- ``label``: what the table calls it,
- ``steps``: environment steps of one timed call, or ``resets``: its resets, and ``role``: ``"ours"`` or ``"peer"``,
- ``seconds``: a time that the benchmark measured itself (in another process, say).
"""

import pytest
from rich.console import Console
from rich.table import Table

#: What benchmarks may count.
COUNTED = {"steps", "resets"}


@pytest.fixture
def one_thread():
    """Torch computes on one thread."""
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the tables after pytest-benchmark's own."""
    session = getattr(config, "_benchmarksession", None)
    measured = [bench for bench in session.benchmarks if not bench.has_error] if session else []
    speeds: dict[tuple[str, str], dict[str, tuple[str, float]]] = {}
    for bench in measured:
        for counted in COUNTED & bench.extra_info.keys():
            file = bench.fullname.partition("::")[0]
            speed = bench.extra_info[counted] / bench.stats.min
            of_file = speeds.setdefault((file, counted), {})
            of_file[bench.extra_info["label"]] = (bench.extra_info["role"], speed)
    seconds = {
        bench.extra_info["label"]: bench.extra_info["seconds"] for bench in measured if "seconds" in bench.extra_info
    }
    console = Console(file=terminalreporter._tw._file, width=160)
    for (_, counted), of_file in speeds.items():
        console.print(speed_table(counted, of_file))
    if seconds:
        console.print(seconds_table(seconds))


def speed_table(counted: str, speeds: dict[str, tuple[str, float]]) -> Table:
    """Steps or resets per second of everything measured, and our environments' ratios to each peer."""
    peers = {label: speed for label, (role, speed) in speeds.items() if role == "peer"}
    table = Table(
        title=f"Environment {counted} per processor second, or per wall second where it says so (fastest round), "
        "and as a multiple of each peer"
    )
    table.add_column("measured")
    table.add_column(f"{counted}/s", justify="right")
    for label in peers:
        table.add_column(f"x {label}", justify="right")
    for label, (role, speed) in speeds.items():
        ratios = [number_text(speed / peer) if role == "ours" else "" for peer in peers.values()]
        table.add_row(label, number_text(speed), *ratios)
    return table


def number_text(number: float) -> str:
    """Three digits for small numbers, whole ones for large numbers."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def seconds_table(seconds: dict[str, float]) -> Table:
    """Times in seconds: start-up in fresh processes, and what boards take."""
    table = Table(title="Seconds (fastest round); start-up in a fresh process")
    table.add_column("measured")
    table.add_column("seconds", justify="right")
    for label, value in seconds.items():
        table.add_row(label, f"{value:.3f}")
    return table
