"""What was measured of the benchmarks, as pages read it; :mod:`procgen_bench.leaderboards.tracks.measure` writes it."""

import json
from pathlib import Path
from typing import Any

from procgen_bench.core.benchmarks import BENCHMARKS

FLOORS_FILE, TASK_SETS_FILE = (Path(__file__).parent / "data" / f"{name}.json" for name in ("floors", "task_sets"))


def read_measured(path: Path) -> dict[str, dict[str, Any]]:
    """What a file has of each benchmark at its present version, by id."""
    found = json.loads(path.read_text("utf-8"))["benchmarks"] if path.exists() else {}
    return {
        name: one for name, one in found.items() if name in BENCHMARKS and one["version"] == BENCHMARKS[name].version
    }
