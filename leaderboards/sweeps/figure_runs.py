"""The training runs behind a figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from procgen_bench.baselines.training.run_folder import curve_of
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.leaderboards.sweeps.cell import Cell
from procgen_bench.leaderboards.sweeps.figure_file import Curve, Panel, PaperFigure
from procgen_bench.leaderboards.sweeps.training import Failure


class SweepError(ProcgenBenchError):
    """A training run of the sweep failed, or what is asked for is none of the figure's."""


@dataclass(frozen=True)
class SweepRun(Cell):
    """One training run of a figure.

    Attributes:
        panel: The panel that shows it.
        curve: The curve that it belongs to.
    """

    panel: Panel
    curve: Curve

    def read_curve(self) -> list[dict[str, float]]:
        """What the panel shows of the run so far; none where that has not begun."""
        return curve_of(self.folder / self.panel.within)


def sweep_runs(
    figure: PaperFigure, out: Path, panels: Sequence[str], labels: Sequence[str], seeds: int | None, steps: int | None
) -> list[SweepRun]:
    """The runs of a figure, first seeds first, and those of a seed in the order of the names.

    Args:
        figure: The figure.
        out: Folder of all runs of all figures, which share what they have in common.
        panels: Names of the panels that are run; if empty, all that are not optional, and what was run of those.
        labels: Labels of the curves that are run; if empty, all that are not optional, and what was run of those.
        seeds: Runs per curve; the figure's own number if ``None``.
        steps: Steps of each player of every run; the panel's own if ``None``.

    Raises:
        SweepError: No panel or no curve has such a name.
    """
    by_name = {panel.name: panel for panel in figure.panels}
    _check_names("panel", panels, list(by_name))
    _check_names("curve", labels, figure.labels)
    runs = [
        SweepRun(
            curve.method,
            panel.benchmark,
            curve.options,
            seed,
            (steps or panel.steps) * curve.players,
            out,
            panel,
            curve,
        )
        for panel in (by_name[name] for name in dict.fromkeys(panels or by_name))
        for curve in _chosen(panel, labels)
        for seed in range(seeds or panel.seeds)
    ]
    asked = [run for run in runs if labels or run.finished or not _is_optional(run, panels)]
    return sorted(asked, key=lambda run: run.seed)


def shown_runs(runs: Sequence[SweepRun]) -> list[SweepRun]:
    """Those that a figure is drawn from: of each curve the finished ones, or those that have begun if none is."""
    finished = {_place(run) for run in runs if run.finished}
    return [run for run in runs if (run.finished or _place(run) not in finished) and run.read_curve()]


def runs_of(runs: Sequence[SweepRun], panel: Panel, label: str) -> list[SweepRun]:
    """Those of one curve of one panel."""
    return [run for run in runs if _place(run) == (panel.name, label)]


def check_trained(failures: Sequence[Failure], runs: Sequence[SweepRun]) -> None:
    """Raise :class:`SweepError` if a run failed, or the process that trained it died."""
    if failures:
        failed, first = f"{len(failures)} of {len(runs)} runs failed", failures[0]
        raise SweepError(f"{failed}; the first one's output is in {first.cell.log} ({first.reason})")


def _is_optional(run: SweepRun, panels: Sequence[str]) -> bool:
    return run.curve.optional or (run.panel.optional and not panels)


def _chosen(panel: Panel, labels: Sequence[str]) -> list[Curve]:
    """The curves of these labels, in their order; all if there are none."""
    by_label = {curve.label: curve for curve in panel.curves}
    return [by_label[label] for label in dict.fromkeys(labels or by_label) if label in by_label]


def _place(run: SweepRun) -> tuple[str, str]:
    return run.panel.name, run.curve.label


def _check_names(kind: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise SweepError(f"the figure has no {kind} {name!r}, expected one of {list(known)}")
