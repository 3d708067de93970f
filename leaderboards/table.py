"""The table of a benchmark: its entries in rank order, with their statistics."""

from dataclasses import dataclass
from os import PathLike

import numpy as np

from procgen_bench.benchmark import Benchmark
from procgen_bench.leaderboards.board import Entry, read_entries
from procgen_bench.leaderboards.statistics import Summary, summarise

#: Seed of the bootstrap: the same board always shows the same intervals.
_SEED = 0


@dataclass(frozen=True, eq=False)
class Row:
    """One row of a table.

    Attributes:
        rank: 1 for the best; equal scores of one tier share a rank; ``None``: an oracle, shown unranked.
        entry: The entry.
        summary: Its statistics; ``summary.mean`` is the published score with its interval.
    """

    rank: int | None
    entry: Entry
    summary: Summary


def read_table(benchmark: Benchmark, board: str | PathLike) -> list[Row]:
    """The benchmark's rows: re-run entries first, then replayed ones, each by score; oracles among them, unranked.

    Entries of older versions of the benchmark are left out: their scores are not comparable.

    Raises:
        CorruptBoardError: An entry cannot be read.
    """
    entries = [
        entry for entry in read_entries(benchmark, board) if entry.metadata.benchmark_version == benchmark.version
    ]
    entries.sort(key=lambda entry: (*_standing(entry), entry.name))
    ranked = [_standing(entry) for entry in entries if not entry.metadata.oracle]
    return [
        Row(
            rank=None if entry.metadata.oracle else ranked.index(_standing(entry)) + 1,
            entry=entry,
            summary=summarise(entry.scores, benchmark.maximum, np.random.default_rng(_SEED)),
        )
        for entry in entries
    ]


def _standing(entry: Entry) -> tuple[int, float]:
    """Sorts better entries first."""
    return entry.record.tier.precedence, -entry.record.score
