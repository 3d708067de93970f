"""The training runs behind a figure, several at a time; runs that were killed go on, runs that are over are kept."""

import traceback
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

from procgen_bench.baselines.command_line import main
from procgen_bench.baselines.run_folder import is_finished, read_curve
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.engine.parallel import Workers, parallel_map
from procgen_bench.leaderboards.reproduction.paper_figures import Curve, Panel, PaperFigure


class SweepError(ProcgenBenchError):
    """A training run of the sweep failed."""


@dataclass(frozen=True)
class SweepRun:
    """One training run of a figure.

    Attributes:
        panel: The panel that shows it.
        curve: The curve that it belongs to.
        seed: Its seed.
        steps: Environment steps that it trains for.
        folder: Its run folder.
    """

    panel: Panel
    curve: Curve
    seed: int
    steps: int
    folder: Path

    @property
    def arguments(self) -> list[str]:
        """The words of its command, after the method's name."""
        words = [self.panel.benchmark, "--seed", str(self.seed)]
        words += ["--steps", str(self.steps), "--out", str(self.folder)]
        for name, value in self.curve.options.items():
            option = name.replace("_", "-")
            words += [f"--{option}"] if value is True else [f"--{option}", str(value)]
        return words

    @property
    def finished(self) -> bool:
        """Whether the run has reached its last step."""
        return is_finished(self.folder)

    def read_curve(self) -> list[dict[str, float]]:
        """The evaluations so far; none where it has not begun."""
        path = self.folder / "curve.csv"
        return read_curve(path) if path.exists() else []


def sweep_runs(
    figure: PaperFigure, out: Path, panels: Sequence[str], labels: Sequence[str], seeds: int | None, steps: int | None
) -> list[SweepRun]:
    """The runs of a figure, first seeds first.

    Args:
        figure: The figure.
        out: Folder of all runs of all figures; each lies in ``BENCHMARK/METHOD-OPTIONS/STEPS/seed-N`` below it, so that
            figures share what they have in common.
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
        SweepRun(panel, curve, seed, steps or panel.steps, _folder(out, panel, curve, steps or panel.steps, seed))
        for panel in figure.panels
        if not panels or panel.name in panels
        for curve in panel.curves
        if not labels or curve.label in labels
        for seed in range(seeds or panel.seeds)
    ]
    return sorted(runs, key=lambda run: run.seed)


def run_sweep(runs: Sequence[SweepRun], workers: Workers) -> None:
    """Train every run that is not finished, each with one thread; what it says is in a log beside its folder.

    Raises:
        SweepError: A run failed, or the process that trained it died; the others are finished first.
    """
    unfinished = [replace(run, folder=run.folder.absolute()) for run in runs if not run.finished]
    codes = parallel_map(_train, unfinished, workers, progress="training runs", unit="run", keep_going=True)
    failures = [(run, code) for run, code in zip(unfinished, codes, strict=True) if code != 0]
    if failures:
        run, code = failures[0]
        death = f" ({code})" if isinstance(code, Exception) else ""
        raise SweepError(
            f"{len(failures)} of {len(runs)} runs failed; the first one's output is in {_log_path(run)}{death}"
        )


def _train(run: SweepRun) -> int:
    """0 if the run's command has done its work, otherwise 1."""
    run.folder.parent.mkdir(parents=True, exist_ok=True)
    with _log_path(run).open("w") as log, redirect_stdout(log), redirect_stderr(log):
        try:
            main(run.curve.method, run.arguments)
        except SystemExit as end:
            return int(bool(end.code))
        except Exception:
            traceback.print_exc()
            return 1
    return 0


def _log_path(run: SweepRun) -> Path:
    return run.folder.with_suffix(".log")


def _folder(out: Path, panel: Panel, curve: Curve, steps: int, seed: int) -> Path:
    settings = "-".join([curve.method, *(f"{name}-{value}" for name, value in curve.options.items())])
    return out / panel.benchmark.replace("/", "-") / settings.replace("_", "-").lower() / f"{steps}" / f"seed-{seed}"


def _check_names(kind: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise SweepError(f"the figure has no {kind} {name!r}, expected one of {list(dict.fromkeys(known))}")
