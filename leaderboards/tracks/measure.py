"""Measure benchmarks' floors, sets of tasks and the explorer's steps, and write them to the files behind the pages.

``python -m procgen_bench.leaderboards.tracks.measure [BENCHMARK...]``; without benchmarks, those that the files do not
have at their present versions. A file names the command by which its numbers come again.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.atomic import write_text
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.core.progress import Progress
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.leaderboards.tracks.explorer import explores, measure_explorer
from procgen_bench.leaderboards.tracks.floors import measure_floors
from procgen_bench.leaderboards.tracks.measured import EXPLORER_FILE, FLOORS_FILE, TASK_SETS_FILE, read_measured
from procgen_bench.leaderboards.tracks.task_sets import measure_task_sets

_COMMAND = "python -m procgen_bench.leaderboards.tracks.measure"
#: What is measured, by the file that keeps it.
_MEASURES: dict[Path, Callable[[Benchmark, np.random.Generator], Any]] = {
    FLOORS_FILE: measure_floors,
    TASK_SETS_FILE: measure_task_sets,
    EXPLORER_FILE: measure_explorer,
}
#: Of which benchmarks it is measured, where not of all.
_MEASURED: dict[Path, Callable[[Benchmark], bool]] = {
    TASK_SETS_FILE: lambda benchmark: benchmark.fresh == "tasks",
    EXPLORER_FILE: explores,
}


def measure(names: list[str]) -> None:
    """Measure these benchmarks, and write each when it is done; none named: what is missing.

    Raises:
        UnknownNameError: There is no such benchmark.
    """
    wanted = [
        (path, benchmark)
        for benchmark in (list(map(get_benchmark, names)) or BENCHMARKS.values())
        for path in _MEASURES
        if names or benchmark.id not in read_measured(path)
        if path not in _MEASURED or _MEASURED[path](benchmark)
    ]
    for path, benchmark in Progress(wanted, desc="measuring", total=len(wanted)):
        rng = np.random.default_rng(seed_from_parts(path.stem, benchmark.id))
        found = {"version": benchmark.version, **asdict(_MEASURES[path](benchmark, rng))}
        known = read_measured(path) | {benchmark.id: found}
        in_order = {name: known[name] for name in BENCHMARKS if name in known}
        path.parent.mkdir(exist_ok=True)
        write_text(path, f"{json.dumps({'command': _COMMAND, 'benchmarks': in_order}, indent=1)}\n")


if __name__ == "__main__":
    measure(sys.argv[1:])
