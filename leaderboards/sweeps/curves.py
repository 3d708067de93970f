"""Learning curves over seeds, as numbers: means with 95 % intervals, or the runs, at common steps or seconds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.worst_tenth import PREFIX
from procgen_bench.leaderboards.statistics.estimates import Estimate, means_over_runs, summarise
from procgen_bench.leaderboards.statistics.resampling import FEWEST_RUNS

#: The evaluations of one run, as its ``curve.csv`` has them.
Curve = list[dict[str, float]]
Against = Literal["step", "seconds", "player_step"]

_GRID_POINTS = 60
#: Ranges of measures that have one.
_RANGES = dict.fromkeys(("success", "training_success", "teacher_key_share", "teacher_kept_walls"), (0.0, 1.0))
_RANGES |= dict.fromkeys(("length", "training_length", "distance", "sibling_distance"), (0.0, math.inf))
_ANY = (-math.inf, math.inf)


@dataclass(frozen=True)
class Line:
    """A measure over training: mean over the runs, and either its 95 % interval or, of fewer than five, the runs.

    Attributes:
        x: (K,), environment steps, of the run or of the player, or seconds.
        mean: (K,).
        runs: (runs, K).
        low, high: (K,); ``None`` of fewer than five runs.
    """

    x: np.ndarray
    mean: np.ndarray
    runs: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None


@dataclass(frozen=True)
class Outcome:
    """Results of runs that differ in their seeds alone.

    Attributes:
        runs: Each run's measure at its last evaluation.
        mean, interquartile_mean: Of these.
        steps: Steps of the shortest run.
        seconds: Mean wall time of a run.
    """

    runs: tuple[float, ...]
    mean: Estimate
    interquartile_mean: Estimate
    steps: int
    seconds: float


def line(
    curves: Sequence[Curve], measure: str, against: Against = "step", benchmark: Benchmark | None = None
) -> Line | None:
    """``measure`` over training, between evaluations by straight lines, as far as every run has come.

    Args:
        curves: The runs'.
        measure: What of them.
        against: What it is plotted against.
        benchmark: Whose metric has its range; other measures have that of their name.

    Returns:
        ``None`` where no run has been evaluated twice, none has this measure, or they have no time in common.
    """
    measured = [np.array(points) for curve in curves if len(points := _points(curve, measure, against)) > 1]
    if not measured:
        return None
    begin, end = max(points[0, 0] for points in measured), min(points[-1, 0] for points in measured)
    if begin >= end:  # in seconds, one run may begin when another is over
        return None
    x = np.linspace(begin, end, _GRID_POINTS)
    values = np.array([np.interp(x, *points.T) for points in measured])
    estimates = means_over_runs(values, np.random.default_rng(0), *_range(measure, benchmark))
    mean = np.array([estimate.value for estimate in estimates])
    if len(values) < FEWEST_RUNS:
        return Line(x, mean, values)
    # Where all runs are alike, there is no interval: the band closes.
    ends = [estimate.interval or (estimate.value, estimate.value) for estimate in estimates]
    return Line(x, mean, values, *np.array(ends).T)


def outcome(curves: Sequence[Curve], measure: str = "success", benchmark: Benchmark | None = None) -> Outcome | None:
    """Results of the runs; ``None`` where none has been evaluated.

    Args:
        curves: The runs'.
        measure: What of them.
        benchmark: Whose metric has its range; other measures have that of their name.
    """
    begun = [curve for curve in curves if curve]
    if not begun:
        return None
    finals = np.array([curve[-1][measure] for curve in begun])
    low, high = _range(measure, benchmark)
    summary = summarise(finals[:, None], None if high == math.inf else high, np.random.default_rng(0), low)
    return Outcome(
        tuple(finals.tolist()),
        summary.mean,
        summary.interquartile_mean,
        int(min(curve[-1]["step"] for curve in begun)),
        float(np.mean([curve[-1]["seconds"] for curve in begun])),
    )


def steps_of_player(row: dict[str, float]) -> float:
    """The steps that a player had acted in at an evaluation: those of the run, unless it is one of several."""
    return row.get("player_step", row["step"])


def _range(measure: str, benchmark: Benchmark | None) -> tuple[float, float]:
    """The least and the most that the measure can be, on all tasks as on the worst tenth of them."""
    measure = measure.removeprefix(PREFIX)
    if benchmark is not None and measure == benchmark.metric:
        return benchmark.minimum, benchmark.maximum
    return _RANGES.get(measure, _ANY)


def _points(curve: Curve, measure: str, against: Against) -> list[tuple[float, float]]:
    """Where and what was measured."""
    measured = [row for row in curve if not math.isnan(row.get(measure, math.nan))]
    return [(steps_of_player(row) if against == "player_step" else row[against], row[measure]) for row in measured]
