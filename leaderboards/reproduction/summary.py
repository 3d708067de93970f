"""A figure's curves over its seeds, as numbers: means with 95 % intervals, or the runs, on a common grid of steps."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.leaderboards.reproduction.sweep import SweepRun
from procgen_bench.leaderboards.statistics.estimates import Estimate, mean_over_runs, means_over_runs
from procgen_bench.leaderboards.statistics.resampling import FEWEST_RUNS

_GRID_POINTS = 60
#: Greatest values of measures that have one; none is below 0.
_GREATEST = {"success": 1.0}


@dataclass(frozen=True)
class Line:
    """A measure over training: mean over the runs, and either its 95 % interval or, of fewer than five, the runs.

    Attributes:
        steps: (K,), environment steps.
        mean: (K,).
        runs: (runs, K).
        low, high: (K,); ``None`` of fewer than five runs.
    """

    steps: np.ndarray
    mean: np.ndarray
    runs: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None


@dataclass(frozen=True)
class Result:
    """What a curve came to.

    Attributes:
        label: The curve's label.
        final: Success at the last evaluation.
        runs: Each run's success at the last evaluation.
        steps: Steps of the shortest run.
        seconds: Mean wall time of a run.
    """

    label: str
    final: Estimate
    runs: tuple[float, ...]
    steps: int
    seconds: float


def line(runs: Sequence[SweepRun], measure: str) -> Line | None:
    """``measure`` over training, between evaluations by straight lines, as far as every run has come.

    Returns:
        ``None`` where no run has been evaluated twice, or none has this measure.
    """
    points = [[(row["step"], row[measure]) for row in run.read_curve() if measure in row] for run in runs]
    curves = [np.array(curve) for curve in points if len(curve) > 1]
    if not curves:
        return None
    steps = np.linspace(max(curve[0, 0] for curve in curves), min(curve[-1, 0] for curve in curves), _GRID_POINTS)
    values = np.array([np.interp(steps, curve[:, 0], curve[:, 1]) for curve in curves])
    estimates = means_over_runs(values, np.random.default_rng(0), 0.0, _GREATEST.get(measure, math.inf))
    mean = np.array([estimate.value for estimate in estimates])
    if len(values) < FEWEST_RUNS:
        return Line(steps, mean, values)
    # Where all runs are alike, there is no interval: the band closes.
    ends = [estimate.interval or (estimate.value, estimate.value) for estimate in estimates]
    return Line(steps, mean, values, *np.array(ends).T)


def result(label: str, runs: Sequence[SweepRun]) -> Result | None:
    """What the runs of a curve came to; ``None`` where none has been evaluated."""
    curves = [curve for run in runs if (curve := run.read_curve())]
    if not curves:
        return None
    finals = np.array([curve[-1]["success"] for curve in curves])
    return Result(
        label,
        mean_over_runs(finals, np.random.default_rng(0), 0.0, 1.0),
        tuple(finals.tolist()),
        int(min(curve[-1]["step"] for curve in curves)),
        float(np.mean([curve[-1]["seconds"] for curve in curves])),
    )
