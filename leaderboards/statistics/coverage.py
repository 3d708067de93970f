"""How often the intervals hold what they estimate: measured on synthetic boards whose truth is known.

``python -m procgen_bench.leaderboards.statistics.coverage`` prints the table. Nominal is 95 %; a board whose runs are
all alike has no interval, and counts as missed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import typer

from procgen_bench.core.command_line import run
from procgen_bench.core.progress import Progress
from procgen_bench.leaderboards.statistics.estimates import Estimate, compare, summarise
from procgen_bench.leaderboards.statistics.resampling import FEWEST_RUNS, RESAMPLES

#: Of boards of fewer runs, too, what the method would give: the board draws no such interval.
RUNS = (2, 3, 5, 10, 30)
_TASKS = 20
STATISTICS = ("mean", "interquartile_mean", "median", "optimality_gap")
_COLUMNS = ("mean", "IQM", "median", "gap", "better", "none", "width")
#: What both ends may be off by, so that an interval that ends at the truth is not said to miss it.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Truth:
    """What a method's runs are drawn from, with scores from 0 to 1.

    Attributes:
        name: What it is called.
        draw: Scores of so many runs, float64 (runs, tasks); one run is a row, tasks are alike or symmetric.
        mean: The true mean, and the true median over tasks.
        interquartile_mean: The true one.
    """

    name: str
    draw: Callable[[int, np.random.Generator], np.ndarray]
    mean: float
    interquartile_mean: float

    def value(self, statistic: str) -> float:
        """What a statistic would be of endlessly many runs."""
        return {"interquartile_mean": self.interquartile_mean, "optimality_gap": 1 - self.mean}.get(
            statistic, self.mean
        )


def _uniform(runs: int, rng: np.random.Generator) -> np.ndarray:
    return (rng.random((runs, _TASKS)) < rng.random((runs, 1))).astype(np.float64)


def _failing(share: float) -> Callable[[int, np.random.Generator], np.ndarray]:
    return lambda runs, rng: np.repeat(rng.random((runs, 1)) >= share, _TASKS, axis=1).astype(np.float64)


def _close(runs: int, rng: np.random.Generator) -> np.ndarray:
    return 0.7 + np.linspace(-0.2, 0.2, _TASKS) + 0.02 * rng.standard_normal((runs, 1))


TRUTHS = {
    truth.name: truth
    for truth in (
        Truth("uniform", _uniform, 0.5, 0.5),  # a run solves any share of the tasks, every share as likely
        Truth("bimodal", _failing(0.5), 0.5, 0.5),  # a run solves all tasks or none
        Truth("lopsided", _failing(0.2), 0.8, 1.0),  # the same, but one run in five fails
        Truth("close", _close, 0.7, 0.7),  # runs that differ by some hundredths
    )
}


@dataclass(frozen=True)
class Coverage:
    """What the intervals of many boards hold.

    Attributes:
        truth: Name of the truth.
        runs: Runs of each board.
        held: Share of the boards whose interval holds the truth, by statistic.
        undrawn: Share of the boards whose mean has no interval.
        width: Mean width of the mean's intervals.
    """

    truth: str
    runs: int
    held: dict[str, float]
    undrawn: float
    width: float


def measure(truth: Truth, runs: int, boards: int, rng: np.random.Generator, resamples: int = RESAMPLES) -> Coverage:
    """The coverage of boards of one method, and for the probability of improvement of another from the same truth."""
    bar = Progress(range(boards), desc=f"{truth.name}, {runs} runs", unit="board", delay=2, leave=False)
    found = [_estimates(truth, runs, rng, resamples) for _ in bar]
    truths = {name: truth.value(name) for name in STATISTICS} | {"improvement": 0.5}
    widths = [high - low for low, high in (board["mean"].interval or (0.0, 0.0) for board in found)]
    return Coverage(
        truth.name,
        runs,
        {name: float(np.mean([_holds(board[name], value) for board in found])) for name, value in truths.items()},
        float(np.mean([board["mean"].interval is None for board in found])),
        float(np.mean(widths)),
    )


def _estimates(truth: Truth, runs: int, rng: np.random.Generator, resamples: int) -> dict[str, Estimate]:
    scores, others = truth.draw(runs, rng), truth.draw(runs, rng)
    summary = summarise(scores, 1.0, rng, minimum=0.0, resamples=resamples, fewest_runs=2)
    improvement = compare(scores, others, rng, resamples=resamples, fewest_runs=2)
    return {name: getattr(summary, name) for name in STATISTICS} | {"improvement": improvement}


def _holds(estimate: Estimate, truth: float) -> bool:
    interval = estimate.interval
    return interval is not None and interval[0] - _ROUNDING <= truth <= interval[1] + _ROUNDING


def measured(
    truths: Sequence[str], runs: Sequence[int], boards: int, seed: int = 0, resamples: int = RESAMPLES
) -> Iterator[Coverage]:
    """The coverage of every truth with every number of runs; each draws on its own, from ``seed``."""
    for place, name in enumerate(truths):
        for number in runs:
            yield measure(TRUTHS[name], number, boards, np.random.default_rng([seed, place, number]), resamples)


def lines(coverages: Iterable[Coverage]) -> Iterator[str]:
    """The table, line by line as it is measured, in per cent."""
    yield f"{'truth':10}{'runs':>6}" + "".join(f"{name:>8}" for name in _COLUMNS)
    for found in coverages:
        shares = [*found.held.values(), found.undrawn]
        runs = f"{found.runs}" if found.runs >= FEWEST_RUNS else f"{found.runs}*"
        yield f"{found.truth:10}{runs:>6}" + "".join(f"{100 * share:8.1f}" for share in shares) + f"{found.width:8.2f}"


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    boards: Annotated[int, typer.Option(min=1, help="Boards of each truth and number of runs.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all boards.")] = 0,
) -> None:
    """Measure how often the intervals hold what they estimate: 10,000 boards take half an hour.

    In per cent of the boards; "better" is the probability of improvement, "none" are boards whose runs are all alike,
    which have no interval, and "width" is that of the mean's. *: of so few runs the board draws none.
    """
    for line in lines(measured(list(TRUTHS), RUNS, boards, seed)):
        typer.echo(line)


if __name__ == "__main__":
    run(app, "python -m procgen_bench.leaderboards.statistics.coverage")
