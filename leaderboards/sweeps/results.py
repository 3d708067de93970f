"""Results of a sweep: a row for each method, teacher and benchmark; written as JSON and as CSV."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from procgen_bench.core.atomic import write_text
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.provenance import provenance
from procgen_bench.core.worst_tenth import PREFIX as WORST_TENTH
from procgen_bench.leaderboards.statistics.estimates import Estimate
from procgen_bench.leaderboards.sweeps.cell import Cell
from procgen_bench.leaderboards.sweeps.curves import Curve, Outcome, outcome
from procgen_bench.leaderboards.sweeps.groups import Group
from procgen_bench.leaderboards.sweeps.training import Failure


@dataclass(frozen=True)
class ResultRow:
    """The finished runs of one method under one teacher for one benchmark.

    Attributes:
        method: Name of the method.
        teacher: Name of the teacher; ``None``: the sweep names none, or the method has none.
        benchmark: Id of the benchmark.
        metric: What its runs are measured by: the benchmark's metric, in the evaluations of training.
        asked: Number of runs that the sweep asks for.
        seeds: Seeds of those that are finished.
        curves: Their learning curves.
        outcome: Their results; ``None`` where none is finished.
        worst_tenth: The metric on the worst tenth of tasks; ``None`` where not all of them measured it.
    """

    method: str
    teacher: str | None
    benchmark: str
    metric: str
    asked: int
    seeds: tuple[int, ...]
    curves: list[Curve]
    outcome: Outcome | None
    worst_tenth: Estimate | None

    @property
    def group(self) -> Group:
        """Its runs, to be drawn."""
        return Group(", ".join(filter(None, (self.method, self.teacher))), self.benchmark, self.curves)


def result_rows(cells: Sequence[Cell]) -> list[ResultRow]:
    """A row for each method, teacher and benchmark, in the order of the cells."""
    groups: dict[tuple[str, str | None, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.method, cell.options.get("teacher"), cell.benchmark), []).append(cell)
    return [_row(*names, group) for names, group in groups.items()]


def _row(method: str, teacher: str | None, benchmark: str, cells: Sequence[Cell]) -> ResultRow:
    finished = [cell for cell in cells if cell.finished]
    curves = [cell.read_curve() for cell in finished]
    scored = get_benchmark(benchmark)
    seeds = tuple(cell.seed for cell in finished)
    found = outcome(curves, scored.metric, scored)
    column = WORST_TENTH + scored.metric
    worst = outcome(curves, column, scored) if all(column in curve[-1] for curve in curves) else None
    return ResultRow(
        method, teacher, benchmark, scored.metric, len(cells), seeds, curves, found, worst.mean if worst else None
    )


def write_results(rows: Sequence[ResultRow], failures: Sequence[Failure], command: str, out: Path) -> None:
    """Write ``results.json`` and ``results.csv`` to the folder ``out``, with what made them.

    Args:
        rows: The results.
        failures: What failed.
        command: The command that makes them again.
        out: The folder.
    """
    origin = {"command": command, **provenance()}
    failed = [{"run": one.cell.name, "reason": one.reason, "log": str(one.cell.log)} for one in failures]
    content = {**origin, "results": [_as_dict(row) for row in rows], "failures": failed}
    write_text(out / "results.json", json.dumps(content, indent=2) + "\n")
    flat = [{name: _as_cell(value) for name, value in _as_dict(row).items()} for row in rows]
    text = io.StringIO()
    writer = csv.DictWriter(text, [*flat[0], "commit", "version", "command"], lineterminator="\n")
    writer.writeheader()
    version = origin["versions"].get("procgen-bench")
    writer.writerows(row | {"commit": origin["commit"], "version": version, "command": command} for row in flat)
    write_text(out / "results.csv", text.getvalue())


def _as_dict(row: ResultRow) -> dict[str, Any]:
    named = {"method": row.method, "teacher": row.teacher, "benchmark": row.benchmark, "metric": row.metric}
    found = row.outcome
    return {
        **named,
        "runs": row.asked,
        "seeds": row.seeds,
        "scores": found.runs if found else (),
        **_ends("mean", found.mean if found else None),
        **_ends("iqm", found.interquartile_mean if found else None),
        **_ends("worst_tenth", row.worst_tenth),
        "steps": found.steps if found else None,
        "seconds": round(found.seconds, 1) if found else None,
    }


def _ends(name: str, estimate: Estimate | None) -> dict[str, float | None]:
    low, high = (estimate.low, estimate.high) if estimate else (None, None)
    return {name: estimate.value if estimate else None, f"{name}_low": low, f"{name}_high": high}


def _as_cell(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, tuple) else value
