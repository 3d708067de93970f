"""Ranks: by a score; rows that cannot be told apart from the first of a rank share it.

Rows are gone through from the best score to the worst. The first one leads rank 1. A row shares the rank of its leader
where chance alone may account for the difference: where the 95 % intervals of their differences hold zero
(:mod:`~procgen_bench.leaderboards.statistics.differences`), both on the tasks of the suite, which both played, and on
their fresh episodes, which are of each row's own tasks. On the suite alone, a row that was fitted to the suite would
stand beside one that generalises. The first row that can be told apart leads the next rank.

So ranks are a total preorder by score. Of rows with the same score the one whose name comes first leads, so that ranks
do not depend on the order in which rows are given. Sharing a rank is not transitive knowledge: two rows that share one
with its leader may differ from each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.leaderboards.statistics.differences import difference, holds_zero

#: Seed of the bootstrap: the same two rows always compare alike.
_SEED = 0


@dataclass(frozen=True, eq=False)
class Contender:
    """What is ranked of a row.

    Attributes:
        name: Its name, unlike that of any other contender.
        score: The score that ranks.
        suite: Scores of its runs on the suite, float64 (runs, tasks), at least two runs; tasks are those of all
            contenders.
        fresh: Scores of its runs on fresh episodes, float64 (runs,).
    """

    name: str
    score: float
    suite: np.ndarray
    fresh: np.ndarray


@dataclass(frozen=True)
class Rank:
    """Where a contender stands.

    Attributes:
        rank: 1 for the best; one more than the number of contenders in better ranks.
        leader: Name of the first contender of the rank, which may be its own.
    """

    rank: int
    leader: str


def ranks(contenders: Sequence[Contender], tolerance: float) -> list[Rank]:
    """The rank of each contender.

    Args:
        contenders: The contenders, in any order.
        tolerance: Up to which two scores are one, at least 0.
    """
    found: dict[str, Rank] = {}
    leader: Contender | None = None
    for place, contender in enumerate(sorted(contenders, key=lambda one: (-one.score, one.name)), 1):
        if leader is None or not are_indistinguishable(leader, contender, tolerance):
            leader = contender
            found[contender.name] = Rank(place, contender.name)
        else:
            found[contender.name] = found[leader.name]
    return [found[contender.name] for contender in contenders]


def are_indistinguishable(leader: Contender, other: Contender, tolerance: float) -> bool:
    """Whether chance alone may account for what two contenders differ by, on the suite and on fresh episodes."""
    pairs = ((leader.suite, other.suite), (leader.fresh[:, None], other.fresh[:, None]))
    return all(holds_zero(difference(*pair, np.random.default_rng(_SEED)), tolerance) for pair in pairs)
