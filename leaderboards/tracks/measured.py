"""What was measured of the benchmarks, as pages read it; :mod:`procgen_bench.leaderboards.tracks.measure` writes it."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from procgen_bench.core.benchmarks import BENCHMARKS

FLOORS_FILE, TASK_SETS_FILE, EXPLORER_FILE = (
    Path(__file__).parent / "data" / f"{name}.json" for name in ("floors", "task_sets", "explorer")
)


def read_measured(path: Path) -> dict[str, dict[str, Any]]:
    """What a file has of each benchmark at its present version, by id."""
    found = _read(path, path.stat().st_mtime_ns) if path.exists() else {}
    return {
        name: one for name, one in found.items() if name in BENCHMARKS and one["version"] == BENCHMARKS[name].version
    }


@lru_cache(3)
def _read(path: Path, changed: int) -> dict[str, dict[str, Any]]:
    """The file's content, read again when it has changed: a board asks for it with every row."""
    return json.loads(path.read_text("utf-8"))["benchmarks"]
