"""xland.json: the numbers of a benchmark's page, whole, for those who compute with them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from procgen_bench.leaderboards.board.table import Row
from procgen_bench.leaderboards.site.section import Section
from procgen_bench.leaderboards.statistics.estimates import Estimate
from procgen_bench.leaderboards.xland.comparisons import Comparison
from procgen_bench.leaderboards.xland.normalisers import Normaliser
from procgen_bench.leaderboards.xland.percentiles import PERCENTILES
from procgen_bench.leaderboards.xland.returns import ReturnTable

FILE = "xland.json"


def write_percentiles(
    section: Section,
    table: ReturnTable,
    normaliser: Normaliser,
    comparisons: Sequence[Comparison],
    folder: Path,
) -> None:
    """Write everything about a benchmark of generated tasks.

    Estimates are ``[value, low, high]``: of methods with intervals over runs, of runs with intervals over games.
    """
    content = _benchmark(section) | {
        "tasks": {
            "name": section.suite.task_names,
            "game": [task.game for task in table.tasks],
            "world": [task.world for task in table.tasks],
            "co_player": [task.co_player for task in table.tasks],
        },
        "normaliser": {
            "version": normaliser.version,
            "checksum": normaliser.checksum,
            "players": normaliser.table.policies,
            "returns": normaliser.table.returns.tolist(),
        },
        "best_mixtures": dict(normaliser.values),
        "unrewarded": normaliser.unrewarded,
        "percentiles": PERCENTILES,
        "methods": [
            _method(comparison.summary.row)
            | {
                "normalised": [_estimate(estimate) for estimate in comparison.summary.percentiles.values()],
                "normalised_uncut": [_estimate(estimate) for estimate in comparison.summary.uncut.values()],
                "participation": _estimate(comparison.summary.participation),
                "on_front": comparison.on_front,
                "dominates": [other.row.entry.name for other in comparison.dominates],
                "runs": [
                    {
                        "normalised": [_estimate(estimate) for estimate in run.percentiles.values()],
                        "normalised_uncut": [_estimate(estimate) for estimate in run.uncut.values()],
                        "participation": _estimate(run.participation),
                    }
                    for run in comparison.summary.runs
                ],
            }
            for comparison in comparisons
        ],
    }
    _write(content, folder)


def write_returns(section: Section, folder: Path) -> None:
    """Write the returns of a benchmark of hand-authored tasks."""
    tasks = {
        "name": section.suite.task_names,
        "co_players": [task.co_players for task in section.suite.tasks],
    }
    _write(_benchmark(section) | {"tasks": tasks, "methods": [_method(row) for row in section.rows]}, folder)


def _benchmark(section: Section) -> dict[str, Any]:
    return {"benchmark": section.benchmark.id, "version": section.benchmark.version}


def _method(row: Row) -> dict[str, Any]:
    """Who it is, and its returns: a list for every run, with the mean return on every task."""
    return {
        "method": str(row.name),
        "entry": row.entry.name,
        "rank": row.rank,
        "returns": row.entry.scores.tolist(),
    }


def _estimate(estimate: Estimate) -> list[float | None]:
    return [estimate.value, estimate.low, estimate.high]


def _write(content: dict[str, Any], folder: Path) -> None:
    """As JSON with a line for every field."""
    lines = (f"{json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in content.items())
    (folder / FILE).write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
