"""The table of a benchmark: its entries in rank order, with their statistics."""

import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.board.board import Entry, archived_versions, board_contents, read_entries
from procgen_bench.leaderboards.board.folding import counted_runs, folded_entries
from procgen_bench.leaderboards.scores import least_difference, without_rounding
from procgen_bench.leaderboards.statistics.estimates import Summary, summarise

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
        rank: 1 for the best; equal scores, or standings, of one tier share a rank. ``None``: unranked, as oracles,
            folded rows and those that were trained on the suite are.
        entry: The entry.
        scores: Scores of the runs that count, without what rounding adds: float64 (runs, tasks).
        summary: Statistics of these; ``summary.mean`` is the published score with its interval.
        counted_runs: The runs that count; of those that play the same actions and bring no policies, the first.
        folded_under: The entry whose actions these are, under which the row stands; ``None``: it stands for itself.
        standing: What it is ranked by, where the benchmark has a normaliser; ``None``: by its score.
    """

    rank: int | None
    entry: Entry
    scores: np.ndarray
    summary: Summary
    counted_runs: tuple[int, ...]
    folded_under: Entry | None = None
    standing: "Standing | None" = None

    @property
    def score(self) -> float:
        """The published score."""
        return self.summary.mean.value


def read_table(benchmark: Benchmark, board: str | PathLike) -> list[Row]:
    """The rows of the benchmark's entries on a board (:func:`table_of`).

    Entries of earlier versions are left out, since their scores are not comparable (:func:`read_archive`), and those
    that cannot be read (:func:`~.board.board_contents`).

    Raises:
        CorruptBoardError: The list of the verifiers that the board trusts cannot be read.
        UnknownNameError: The benchmark's normaliser is none that is published.
    """
    return table_of(benchmark, read_entries(benchmark, board))


def read_archive(benchmark: Benchmark, board: str | PathLike) -> dict[int, list[Row]]:
    """The rows of the benchmark's earlier versions, as they stood among themselves; by version, the latest first.

    Raises:
        CorruptBoardError: The list of the verifiers that the board trusts cannot be read.
    """
    versions = archived_versions(benchmark, board)
    return {version: table_of(benchmark, board_contents(benchmark, board, version).entries) for version in versions}


def table_of(benchmark: Benchmark, entries: Sequence[Entry]) -> list[Row]:
    """Entries as rows: re-run ones first, then replayed ones, each by score, or by standing where the benchmark has a
    normaliser; among them, unranked, oracles and what was trained on the suite.

    A row whose actions are those of another follows it, unranked.

    Args:
        benchmark: The benchmark; with another normaliser, rows are ranked under that one.
        entries: What was entered for one version of it. Rows of an earlier version have no optimality gaps: what was
            the best possible score is no longer known.
    """
    folded = folded_entries(entries)
    rows = {entry: _unranked(entry, benchmark, folded.get(entry)) for entry in entries}
    standing = sorted((row for row in rows.values() if row.folded_under is None), key=_standing)
    copies: dict[Entry, list[Row]] = {row.entry: [] for row in standing}
    for entry, owner in folded.items():
        copies[owner].append(rows[entry])
    ranked = _ranked(standing, least_difference(benchmark))
    return [row for leader in ranked for row in (leader, *copies[leader.entry])]


def _unranked(entry: Entry, benchmark: Benchmark, folded_under: Entry | None) -> Row:
    runs, rng = counted_runs(entry), np.random.default_rng(_SEED)
    scores = entry.scores[list(runs)]
    if entry.metadata.benchmark_version != benchmark.version:
        return Row(None, entry, scores, summarise(scores, None, rng), runs, folded_under)
    scores = without_rounding(scores, benchmark)
    summary = summarise(scores, benchmark.maximum, rng, benchmark.minimum)
    if benchmark.normaliser is None:
        return Row(None, entry, scores, summary, runs, folded_under)
    standing = pkgutil.resolve_name(_STANDING_OF)(benchmark.id, benchmark.normaliser, scores, rng)
    return Row(None, entry, scores, summary, runs, folded_under, standing)


def _ranked(rows: Sequence[Row], difference: float) -> list[Row]:
    """The rows, best first, with ranks; those that are behind the first of a rank by no ``difference`` share it."""
    ranked: list[Row] = []
    first, place = None, 0
    for row in rows:
        if not (row.entry.metadata.oracle or row.entry.trained_on_suite):
            place += 1
            if first is None or _tier(row) != _tier(first) or _is_behind(row, first, difference):
                first = replace(row, rank=place)
            row = replace(row, rank=first.rank)
        ranked.append(row)
    return ranked


def _is_behind(row: Row, other: Row, difference: float) -> bool:
    """Whether a row that does not stand before another one stands behind it."""
    if row.standing is not None and other.standing is not None:
        return row.standing.order != other.standing.order
    return other.score - row.score > difference


def _standing(row: Row) -> tuple[int, tuple[float, ...], float, str]:
    """Sorts better rows first."""
    order = () if row.standing is None else row.standing.order
    return _tier(row), tuple(-value for value in order), -row.score, row.entry.name


def _tier(row: Row) -> int:
    return row.entry.record.tier.precedence
