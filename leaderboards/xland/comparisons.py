"""Who dominates whom on the percentiles of a benchmark of generated tasks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.leaderboards.xland.methods import MethodSummary
from procgen_bench.leaderboards.xland.percentiles import dominance, pareto_front


@dataclass(frozen=True, eq=False)
class Comparison:
    """A method and whom it dominates.

    Attributes:
        summary: What it scores.
        on_front: Whether no ranked method dominates it; ``None`` of an oracle, which does not compete.
        dominates: Those that it dominates, in the order of the board.
    """

    summary: MethodSummary
    on_front: bool | None
    dominates: list[MethodSummary]


def compare_methods(summaries: Sequence[MethodSummary]) -> list[Comparison]:
    """Who dominates whom: at every percentile at least as good, and at some better, by the means over runs."""
    curves = np.stack([summary.curve for summary in summaries])
    dominated = dominance(curves)
    ranked = np.array([summary.row.rank is not None for summary in summaries])
    front = np.zeros(len(summaries), np.bool_)
    if ranked.any():
        front[ranked] = pareto_front(curves[ranked])
    return [
        Comparison(
            summary,
            bool(front[place]) if ranked[place] else None,
            [other for other, worse in zip(summaries, dominated[place]) if worse],
        )
        for place, summary in enumerate(summaries)
    ]
