"""A figure's curves over its seeds, as numbers: means with 95 % intervals on a common grid of steps."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.leaderboards.reproduction.sweep import SweepRun
from procgen_bench.leaderboards.statistics import Estimate, mean_over_runs

_GRID_POINTS = 60


@dataclass(frozen=True)
class Line:
    """A measure over training: mean over the runs and its 95 % interval.

    Attributes:
        steps: (K,), environment steps.
        mean, low, high: (K,).
    """

    steps: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray


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
    curves = [[(row["step"], row[measure]) for row in run.read_curve() if measure in row] for run in runs]
    curves = [np.array(curve) for curve in curves if len(curve) > 1]
    if not curves:
        return None
    steps = np.linspace(max(curve[0, 0] for curve in curves), min(curve[-1, 0] for curve in curves), _GRID_POINTS)
    values = np.array([np.interp(steps, curve[:, 0], curve[:, 1]) for curve in curves])
    estimates = [mean_over_runs(column, np.random.default_rng(0)) for column in values.T]
    return Line(
        steps,
        np.array([estimate.value for estimate in estimates]),
        np.array([estimate.value if estimate.low is None else estimate.low for estimate in estimates]),
        np.array([estimate.value if estimate.high is None else estimate.high for estimate in estimates]),
    )


def result(label: str, runs: Sequence[SweepRun]) -> Result | None:
    """What the runs of a curve came to; ``None`` where none has been evaluated."""
    curves = [curve for run in runs if (curve := run.read_curve())]
    if not curves:
        return None
    finals = np.array([curve[-1]["success"] for curve in curves])
    return Result(
        label,
        mean_over_runs(finals, np.random.default_rng(0)),
        tuple(finals.tolist()),
        int(min(curve[-1]["step"] for curve in curves)),
        float(np.mean([curve[-1]["seconds"] for curve in curves])),
    )
