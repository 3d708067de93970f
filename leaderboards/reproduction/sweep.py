"""The training runs behind a figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.reproduction.paper_figures import Curve, Panel, PaperFigure
from procgen_bench.leaderboards.sweeps.cell import Cell
from procgen_bench.leaderboards.sweeps.training import train_cells


class SweepError(ProcgenBenchError):
    """A training run of the sweep failed."""


@dataclass(frozen=True)
class SweepRun(Cell):
    """One training run of a figure.

    Attributes:
        panel: The panel that shows it.
        curve: The curve that it belongs to.
    """

    panel: Panel
    curve: Curve


def sweep_runs(
    figure: PaperFigure, out: Path, panels: Sequence[str], labels: Sequence[str], seeds: int | None, steps: int | None
) -> list[SweepRun]:
    """The runs of a figure, first seeds first.

    Args:
        figure: The figure.
        out: Folder of all runs of all figures, which share what they have in common.
        panels: Names of the panels that are run; all if empty.
        labels: Labels of the curves that are run; all if empty.
        seeds: Runs per curve; the figure's own number if ``None``.
        steps: Steps of every run; the panel's own if ``None``.

    Raises:
        SweepError: No panel or no curve has such a name.
    """
    _check_names("panel", panels, [panel.name for panel in figure.panels])
    _check_names("curve", labels, [curve.label for panel in figure.panels for curve in panel.curves])
    runs = [
        SweepRun(curve.method, panel.benchmark, curve.options, seed, steps or panel.steps, out, panel, curve)
        for panel in figure.panels
        if not panels or panel.name in panels
        for curve in panel.curves
        if not labels or curve.label in labels
        for seed in range(seeds or panel.seeds)
    ]
    return sorted(runs, key=lambda run: run.seed)


def run_sweep(runs: Sequence[SweepRun], workers: Workers) -> None:
    """Train every run that is not finished: see :func:`~procgen_bench.leaderboards.sweeps.training.train_cells`.

    Raises:
        SweepError: A run failed, or the process that trained it died; the others are finished first.
    """
    failures = train_cells(runs, workers)
    if failures:
        failed, first = f"{len(failures)} of {len(runs)} runs failed", failures[0]
        raise SweepError(f"{failed}; the first one's output is in {first.cell.log} ({first.reason})")


def _check_names(kind: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise SweepError(f"the figure has no {kind} {name!r}, expected one of {list(dict.fromkeys(known))}")
