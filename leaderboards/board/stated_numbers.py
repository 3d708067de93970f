"""Numbers that documents state, each with what a referee asks of it: runs, interval, budget, commit.

A source is a line of words, and names a row of the board or runs that are committed:

``row BENCHMARK/ENTRY``                      a row of the board; its suite score
``fresh BENCHMARK/ENTRY``                    the same row's score on fresh tasks
``paid BENCHMARK/ENTRY OTHER``               of the tasks that reward the row, how many reward another row, too
``runs FOLDER MEASURE``                      committed runs, ``docs/results/FOLDER/seed-*``, at their last evaluation
``solved FOLDER LEAST``                      how many of them end with a return above this
``figure FILE PANEL LABEL MEASURE``          the runs of one curve, as the numbers beside a figure have them
``program FILE PROGRAM MODE``                episodes of one program in AlphaNPI-X's table 2
``explorer BENCHMARK``                       steps of the tabular explorer to its first solution
"""

import json
import shlex
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from procgen_bench.baselines.training.run_folder import read_curve
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.provenance import CHANGED
from procgen_bench.leaderboards.board.table import Row, read_table
from procgen_bench.leaderboards.errors import NoSuchRowError
from procgen_bench.leaderboards.statistics.estimates import Estimate
from procgen_bench.leaderboards.sweeps.curves import Curve, Outcome, outcome
from procgen_bench.leaderboards.tracks.measured import EXPLORER_FILE, read_measured

#: Digits of a commit.
_DIGITS = 8


class Number(NamedTuple):
    """A number as documents state it.

    Attributes:
        score: The number, with its 95 % interval where it has one.
        runs: How many runs, or what stands in their place.
        steps: Environment steps of a run; empty: nothing is trained.
        commit: Commits that made it, shortened; one from a checkout with changes ends with ``+``.
        estimate: What ``score`` says, to be drawn; ``None``: no mean.
        values: The score of every run.
    """

    score: str
    runs: str
    steps: str
    commit: str
    estimate: Estimate | None = None
    values: tuple[float, ...] = ()

    @property
    def each(self) -> str:
        """The score of every run, in a text."""
        return " ".join(f"{value:.3f}" for value in self.values)


class Sources:
    """Reads numbers from a board and from the folder of committed results.

    Args:
        board: The board's folder.
        results: The folder of committed results, ``docs/results``.
    """

    def __init__(self, board: Path, results: Path):
        self._board, self._results = board, results
        self._rows_of = cache(self._read_rows)
        self._kinds: dict[str, tuple[int, Callable[..., Number]]] = {
            "row": (1, self._row_score),
            "fresh": (1, self._fresh_score),
            "paid": (2, self._paid),
            "runs": (2, self._run_scores),
            "solved": (2, self._solved),
            "figure": (4, self._figure_scores),
            "program": (3, self._program),
            "explorer": (1, self._explorer),
        }

    def number(self, source: str) -> Number:
        """The number that a source names.

        Raises:
            NoSuchRowError: It names none.
        """
        kind, *words = shlex.split(source)
        if kind not in self._kinds or len(words) != self._kinds[kind][0]:
            raise NoSuchRowError(f"{source!r} is no source of a number, expected one of {', '.join(self._kinds)}")
        try:
            return self._kinds[kind][1](*words)
        except (KeyError, OSError) as error:
            raise NoSuchRowError(f"{source!r} names nothing in {self._board} or {self._results}: {error}") from error

    def _read_rows(self, benchmark_id: str) -> dict[str, Row]:
        return {row.entry.name: row for row in read_table(get_benchmark(benchmark_id), self._board)}

    def _row(self, name: str) -> Row:
        benchmark_id, _, entry = name.rpartition("/")
        return self._rows_of(benchmark_id)[entry]

    def _row_score(self, name: str) -> Number:
        row = self._row(name)
        return _of_row(row, str(row.summary.mean), row.summary.mean, tuple(row.scores.mean(axis=1).tolist()))

    def _fresh_score(self, name: str) -> Number:
        row = self._row(name)
        if row.fresh is None:
            raise KeyError(f"{name} has not been played on fresh tasks")
        return _of_row(row, str(row.fresh), row.fresh)

    def _paid(self, name: str, other: str) -> Number:
        row = self._row(name)
        rewarded = row.scores.mean(axis=0) > 0
        also = self._row(f"{name.rpartition('/')[0]}/{other}").scores.mean(axis=0) > 0
        return _of_row(row, f"{(rewarded & also).sum()} of {rewarded.sum()}")

    def _run_scores(self, folder: str, measure: str) -> Number:
        curves, about = self._runs(folder)
        found = outcome(curves, measure, get_benchmark(about[0]["settings"]["benchmark"]))
        assert found is not None, "committed runs are evaluated"
        return _of_runs(found, (one["provenance"]["commit"] for one in about))

    def _solved(self, folder: str, least: str) -> Number:
        found = self._run_scores(folder, "return")
        solved = sum(value > float(least) for value in found.values)
        return found._replace(score=f"{solved} of {len(found.values)}", estimate=None)

    def curves(self, folder: str) -> list[Curve]:
        """The learning curves of committed runs, by seed."""
        return self._runs(folder)[0]

    def _runs(self, folder: str) -> tuple[list[Curve], list[dict[str, Any]]]:
        seeds = sorted((self._results / folder).glob("seed-*"))
        if not seeds:
            raise KeyError(f"{folder} has no runs")
        about = [json.loads((seed / "config.json").read_text("utf-8")) for seed in seeds]
        return [read_curve(seed / "curve.csv") for seed in seeds], about

    def _figure_scores(self, file: str, panel: str, label: str, measure: str) -> Number:
        drawn = self._json(file)
        about = drawn["panels"][panel]
        ours = [run for run in about["runs"] if run["label"] == label and run["finished"]]
        if not ours:
            raise KeyError(f"{file} has no finished run {label!r}")
        names = ("step", "seconds", measure)
        curves: list[Curve] = [
            [dict(zip(names, row, strict=True)) for row in zip(*map(run.get, names))] for run in ours
        ]
        found = outcome(curves, measure, get_benchmark(about["benchmark"]))
        assert found is not None, "finished runs are evaluated"
        return _of_runs(found, drawn["commits"])

    def _program(self, file: str, program: str, mode: str) -> Number:
        table = self._json(file)
        (row,) = (row for row in table["rows"] if (row["program"], row["mode"]) == (program, mode))
        found = Estimate(row["success"], row["low"], row["high"])
        return Number(str(found), f"1, {row['episodes']} episodes", "", _commits([table["commit"]]), found)

    def _explorer(self, benchmark_id: str) -> Number:
        found = read_measured(EXPLORER_FILE)[benchmark_id]
        return Number(f"{found['first']:,} to {found['last']:,} steps", "5, no learning", "", "")

    def _json(self, file: str) -> dict[str, Any]:
        return json.loads((self._results / file).read_text("utf-8"))


def _of_row(row: Row, score: str, estimate: Estimate | None = None, values: tuple[float, ...] = ()) -> Number:
    trained = [run.training.commit for run in row.entry.metadata.runs if run.training is not None]
    if not trained:
        return Number(score, row.badge or "", "", "", estimate, values)
    steps = _steps(row.entry.metadata.training_steps)
    return Number(score, str(len(row.counted_runs)), steps, _commits(trained), estimate, values)


def _of_runs(found: Outcome, commits: Iterable[str | None]) -> Number:
    return Number(str(found.mean), str(len(found.runs)), _steps(found.steps), _commits(commits), found.mean, found.runs)


def _commits(commits: Iterable[str | None]) -> str:
    """Each once, in order."""
    known = dict.fromkeys(commit for commit in commits if commit)
    return " ".join(commit[:_DIGITS] + "+" * commit.endswith(CHANGED) for commit in known)


def _steps(steps: float) -> str:
    """Rounded to three digits: 100k, 1.5M, 32M."""
    return f"{steps / 1e6:.3g}M" if steps >= 999_500 else f"{steps / 1e3:.3g}k"
