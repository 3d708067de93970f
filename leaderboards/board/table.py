"""The table of a benchmark: its entries in rank order, with their statistics.

Ranks go by what the verifier itself played: the score on fresh episodes. Below the ranked rows stand those without a
rank, each with its reason (:mod:`.eligibility`).
"""

import math
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.board.board import Entry, archived_versions, board_contents, read_entries
from procgen_bench.leaderboards.board.eligibility import FEWEST_RANKED_RUNS, Unranked, badge, unranked
from procgen_bench.leaderboards.board.folding import counted_runs, folded_entries
from procgen_bench.leaderboards.board.known_runs import known_runs
from procgen_bench.leaderboards.board.method_names import MethodName, method_name
from procgen_bench.leaderboards.board.ranking import Contender, ranks
from procgen_bench.leaderboards.board.record import Resemblance
from procgen_bench.leaderboards.scores import least_difference, without_rounding
from procgen_bench.leaderboards.statistics.estimates import Estimate, Summary, mean_over_runs, summarise
from procgen_bench.leaderboards.statistics.worst_tenth import FEWEST_EPISODES, known_episodes, worst_tenths

if TYPE_CHECKING:
    from procgen_bench.leaderboards.xland.standing import Standing

#: What tells how rows stand under a normaliser, loaded where a benchmark has one.
_STANDING_OF = "procgen_bench.leaderboards.xland.standing:standing_of"
#: Seed of the bootstrap: the same board always shows the same intervals.
_SEED = 0


@dataclass(frozen=True, eq=False)
class Row:
    """One row of a table.

    Attributes:
        rank: 1 for the best; rows that cannot be told apart from the first of a rank share it (:mod:`.ranking`).
            ``None``: it has none.
        entry: The entry.
        scores: Scores of the runs that count, without what rounding adds: float64 (runs, tasks).
        summary: Statistics of these; ``summary.mean`` is the suite's score with its interval.
        worst_tenth: The score on the worst tenth of the suite's tasks; ``None``: its single episodes are not known, or
            tasks have too few of them.
        fresh: The score on fresh episodes with its interval, which ranks; ``None``: the verifier played no policy.
        counted_runs: The runs that count: of those that do the same, the first.
        folded_under: The entry that does the same, under which the row stands; ``None``: it stands for itself.
        unranked: Why it has no rank; ``None``: it has one, or is folded.
        indistinct_from: The first entry of its rank, which it cannot be told apart from; ``None``: it is that itself,
            or has no rank.
        standing: How it stands under the benchmark's normaliser; ``None``: there is none.
    """

    rank: int | None
    entry: Entry
    scores: np.ndarray
    summary: Summary
    counted_runs: tuple[int, ...]
    worst_tenth: Estimate | None = None
    fresh: Estimate | None = None
    folded_under: Entry | None = None
    unranked: Unranked | None = None
    indistinct_from: Entry | None = None
    standing: "Standing | None" = None

    @property
    def score(self) -> float:
        """The suite's score."""
        return self.summary.mean.value

    @property
    def interquartile_mean(self) -> Estimate | None:
        """That of its runs; ``None``: too few learned."""
        return self.summary.interquartile_mean if self._has_enough_runs else None

    @property
    def median(self) -> Estimate | None:
        """That of its runs; ``None``: too few learned."""
        return self.summary.median if self._has_enough_runs else None

    @property
    def optimality_gap(self) -> Estimate | None:
        """That of its runs; ``None``: too few learned, or the best possible score is not known."""
        return self.summary.optimality_gap if self._has_enough_runs else None

    @property
    def _has_enough_runs(self) -> bool:
        """Whether its runs show what a method does; scripted players do not vary by a training."""
        return self.is_reference or len(self.counted_runs) >= FEWEST_RANKED_RUNS

    @property
    def badge(self) -> str | None:
        """Why it has no rank, in a word or two; ``None``: it has one, or is folded."""
        return None if self.unranked is None else badge(self.unranked, self.entry)

    @property
    def training_seconds(self) -> float | None:
        """Wall time of a run's training, mean over the runs that state it; ``None``: none does."""
        stated = [run.training.wall_time_seconds for run in self.entry.metadata.runs if run.training is not None]
        return sum(stated) / len(stated) if stated else None

    @property
    def trained_on(self) -> str:
        """The processors on which its runs were trained, as they state them."""
        stated = (run.training.hardware for run in self.entry.metadata.runs if run.training is not None)
        return "; ".join(dict.fromkeys(stated))

    @property
    def parameters(self) -> int | None:
        """Numbers that the largest of its policies holds; ``None``: it was not played, or that was not counted."""
        return max(self.entry.record.parameters, default=None)

    @property
    def policy_bytes(self) -> int | None:
        """Size of its largest policy's file; ``None`` where parameters are."""
        return max(self.entry.record.policy_bytes, default=None)

    @property
    def resembles(self) -> list[Resemblance]:
        """The policies of other entries that its own are like."""
        return [one for one in self.entry.record.resembles if one is not None and one.entry != self.entry.name]

    @property
    def name(self) -> MethodName:
        """What it is called, part by part."""
        return method_name(self.entry.metadata)

    @property
    def is_reference(self) -> bool:
        """Whether its policy was written by hand: learners are compared with it, and it has no rank."""
        return self.unranked is not None and self.unranked.is_reference


def read_table(benchmark: Benchmark, board: str | PathLike) -> list[Row]:
    """The rows of the benchmark's entries on a board (:func:`table_of`).

    Entries of earlier versions are left out, since their scores are not comparable (:func:`read_archive`), and those
    that cannot be read (:func:`~.board.board_contents`).

    Raises:
        CorruptBoardError: It cannot be read whom the board trusts.
        UnknownNameError: The benchmark's normaliser is none that is published.
    """
    return table_of(benchmark, read_entries(benchmark, board))


def read_archive(benchmark: Benchmark, board: str | PathLike) -> dict[int, list[Row]]:
    """The rows of the benchmark's earlier versions, as they stood among themselves; by version, the latest first.

    Raises:
        CorruptBoardError: It cannot be read whom the board trusts.
    """
    versions = archived_versions(benchmark, board)
    return {version: table_of(benchmark, board_contents(benchmark, board, version).entries) for version in versions}


def table_of(benchmark: Benchmark, entries: Sequence[Entry]) -> list[Row]:
    """Entries as rows: those that rank, best first, then the others by their reason and their score.

    A row that does the same as another follows it, unranked.

    Args:
        benchmark: The benchmark; with another normaliser, rows stand under that one.
        entries: What was entered for one version of it, on one board. Rows of an earlier version have no optimality
            gaps: what was the best possible score is no longer known.

    Raises:
        CorruptBoardError: The board's list of known runs cannot be read.
    """
    known = known_runs(entries[0].board) if entries else {}
    folded = folded_entries(entries)
    rows = [_row(entry, benchmark, folded.get(entry), unranked(entry, known)) for entry in entries]
    copies: dict[Entry, list[Row]] = {}
    for row in sorted(rows, key=lambda row: row.entry.name):
        if row.folded_under is not None:
            copies.setdefault(row.folded_under, []).append(row)
    standing = [row for row in rows if row.folded_under is None]
    ranked = _ranked([row for row in standing if row.unranked is None], least_difference(benchmark))
    others = sorted((row for row in standing if row.unranked is not None), key=_place_below)
    return [row for leader in (*ranked, *others) for row in (leader, *copies.get(leader.entry, []))]


def _row(entry: Entry, benchmark: Benchmark, folded_under: Entry | None, reason: Unranked | None) -> Row:
    """An entry's row, without a rank."""
    runs, rng = counted_runs(entry), np.random.default_rng(_SEED)
    scores, is_present = entry.scores[list(runs)], entry.metadata.benchmark_version == benchmark.version
    if is_present:
        scores = without_rounding(scores, benchmark)
        summary = summarise(scores, benchmark.maximum, rng, benchmark.minimum)
    else:
        summary = summarise(scores, None, rng)
    standing = None
    if is_present and benchmark.normaliser is not None:
        standing = pkgutil.resolve_name(_STANDING_OF)(benchmark.id, benchmark.normaliser, scores, rng)
    ends = (benchmark.minimum, benchmark.maximum) if is_present else (-math.inf, math.inf)
    fresh = _fresh(entry, runs, *ends)
    worst_tenth = _worst_tenth(scores, benchmark) if is_present else None
    return Row(None, entry, scores, summary, runs, worst_tenth, fresh, folded_under, reason, standing=standing)


def _worst_tenth(scores: np.ndarray, benchmark: Benchmark) -> Estimate | None:
    """Records hold the means of a task's episodes: of successes, these tell the episodes; of returns, they do not."""
    has_halves = benchmark.episodes_per_task >= FEWEST_EPISODES and scores.shape[1] > 1
    if not has_halves or benchmark.metric != "success":
        return None
    episodes = known_episodes(scores, benchmark.episodes_per_task)
    if episodes is None:
        return None
    return mean_over_runs(worst_tenths(episodes, np.random.default_rng(_SEED)), np.random.default_rng(_SEED), 0.0, 1.0)


def _fresh(entry: Entry, runs: Sequence[int], minimum: float, maximum: float) -> Estimate | None:
    fresh = entry.record.fresh
    if fresh is None:
        return None
    counted = np.array(fresh.runs)[list(runs)]
    estimate = mean_over_runs(counted, np.random.default_rng(_SEED), minimum, maximum)
    # The mean of all episodes at once is rounded once.
    return replace(estimate, value=fresh.score) if len(counted) == len(fresh.runs) else estimate


def _ranked(rows: Sequence[Row], tolerance: float) -> list[Row]:
    """The rows with their ranks, best first."""
    contenders = [
        Contender(
            row.entry.name, row.fresh.value, row.scores, np.array(row.entry.record.fresh.runs)[[*row.counted_runs]]
        )
        for row in rows
        if row.fresh is not None and row.entry.record.fresh is not None
    ]
    entries = {row.entry.name: row.entry for row in rows}
    placed = [
        replace(row, rank=found.rank, indistinct_from=None if found.leader == row.entry.name else entries[found.leader])
        for found, row in zip(ranks(contenders, tolerance), rows, strict=True)
    ]
    scores = {contender.name: contender.score for contender in contenders}
    return sorted(placed, key=lambda row: (-scores[row.entry.name], row.entry.name))


def _place_below(row: Row) -> tuple[int, tuple[float, ...], float, str]:
    """Sorts rows without a rank: by their reason, and better ones first."""
    order = () if row.standing is None else row.standing.order
    reason = list(Unranked).index(row.unranked) if row.unranked is not None else 0
    return reason, tuple(-value for value in order), -row.score, row.entry.name
