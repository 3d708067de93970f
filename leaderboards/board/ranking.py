"""Ranks: by a score, and never a few runs above many whose interval holds their score.

A row of fewer runs than an interval takes has nothing that says how far it is to be believed. Where its score lies in
the interval of a row of more runs, it may be as good as that row by chance alone: it then stands where that row stands,
or lower. So every contender has a *place*, a number: of many runs its score, of few runs the least of its own score and
the scores of those contenders of many runs whose interval holds it. Ranks follow the places, so they are a total
preorder, and do not depend on the order in which contenders are given.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from procgen_bench.leaderboards.statistics.estimates import Estimate
from procgen_bench.leaderboards.statistics.resampling import FEWEST_RUNS


@dataclass(frozen=True)
class Contender:
    """What is ranked of a row.

    Attributes:
        score: Its score, with the interval over its runs where there is one.
        num_runs: Number of its runs.
    """

    score: Estimate
    num_runs: int

    @property
    def has_few_runs(self) -> bool:
        """Whether it has too few runs for an interval."""
        return self.num_runs < FEWEST_RUNS


def ranks(contenders: Sequence[Contender], difference: float) -> list[int]:
    """The rank of each contender: 1 for the best. Places that are behind the first of a rank by no ``difference`` share
    it.

    Args:
        contenders: The contenders, in any order.
        difference: Up to which two scores are one, at least 0.
    """
    places = [_place(contender, contenders) for contender in contenders]
    rank_of: dict[float, int] = {}
    first, rank = 0.0, 1
    for place in sorted(set(places), reverse=True):
        if not rank_of or first - place > difference:
            first, rank = place, 1 + sum(other > place for other in places)
        rank_of[place] = rank
    return [rank_of[place] for place in places]


def _place(contender: Contender, contenders: Sequence[Contender]) -> float:
    score = contender.score.value
    if not contender.has_few_runs:
        return score
    return min([score, *(other.score.value for other in contenders if _may_be_as_good(other, score))])


def _may_be_as_good(other: Contender, score: float) -> bool:
    """Whether a contender of many runs has an interval that holds a score."""
    interval = other.score.interval
    return not other.has_few_runs and interval is not None and interval[0] <= score <= interval[1]
