"""Runs that differ in their seeds alone, and what such groups are called beside each other."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from procgen_bench.baselines.training.run_records import RunRecord
from procgen_bench.leaderboards.sweeps.curves import Curve


@dataclass(frozen=True)
class Group:
    """Runs of the same settings.

    Attributes:
        label: What they are called among all groups.
        benchmark: Id of their benchmark.
        curves: Their learning curves.
    """

    label: str
    benchmark: str
    curves: list[Curve]


def group_runs(runs: Sequence[RunRecord]) -> list[Group]:
    """The groups, in the order of their first runs; of runs with the same seed, too, the one that has come farthest.

    A label is the method, its teacher if it has one, and whatever else differs from other groups of that method on that
    benchmark.
    """
    by_seed: dict[str, dict[int, RunRecord]] = {}
    for run in runs:
        group = by_seed.setdefault(json.dumps(_compared(run), sort_keys=True), {})
        group[run.seed] = max(group.get(run.seed, run), run, key=lambda one: one.steps_done)
    members = [list(group.values()) for group in by_seed.values()]
    firsts = [group[0] for group in members]
    return [
        Group(_label(first, firsts), first.benchmark, [run.curve for run in group])
        for first, group in zip(firsts, members, strict=True)
    ]


def _compared(run: RunRecord) -> dict[str, Any]:
    """The settings that make runs alike: all but the seed."""
    others = {name: value for name, value in run.settings.items() if name not in ("seed", "configuration")}
    return others | run.settings["configuration"]


def _label(run: RunRecord, others: Sequence[RunRecord]) -> str:
    words = [run.method, *([run.teacher] if run.teacher else [])]
    beside = [
        _compared(other)
        for other in others
        if (other.method, other.teacher, other.benchmark) == (run.method, run.teacher, run.benchmark)
    ]
    for name, value in _compared(run).items():
        if any(other.get(name) != value for other in beside):
            words.append(f"{name} {value}")
    return ", ".join(words)
