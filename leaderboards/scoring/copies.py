"""Copies: policies that do the same in fresh play, where acting differently costs score.

There is no separate test that a policy could recognise: the play that ranks is compared. Disguised copies do the
same at every place; independent runs at .74 of them at most (graded .65, corridors .74, others below .5). On a track
of one task good policies do much the same (.89), so none are taken for copies there. A copy that draws its actions by
other parts of the noise keeps its score and shares .61 of them: it is not found here, but by training it again.
"""

from collections.abc import Sequence

import numpy as np
from gymnasium import spaces

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.scoring.record import Record
from procgen_bench.leaderboards.scoring.sketches import action_numbers

#: Share of equal actions from which on policies count as copies; and from which on they are named as alike.
COPIED, ALIKE = 0.8, 0.5
#: Up to which share of its range two real numbers of an action are alike, in 255ths.
_NEAR = 13


def can_tell(benchmark: Benchmark) -> bool:
    """Whether a benchmark's play tells copies from policies that learned the same."""
    return benchmark.fresh == "tasks" and benchmark.has_fresh_tasks


def equal_share(own: Sequence[np.ndarray], others: Sequence[np.ndarray], space: spaces.Space) -> float:
    """The share of equal actions at equal (episode, step) of two policies in the same epoch's fresh play.

    Args:
        own, others: What :func:`noted_actions` gives of them, at the same steps.
        space: The action space.

    Returns:
        [0, 1]; 0 where both played no place.
    """
    both = [(mine[: len(theirs)], theirs[: len(mine)]) for mine, theirs in zip(own, others, strict=True)]
    mine, theirs = (np.concatenate([pair[side] for pair in both]) for side in (0, 1))
    if not len(mine):
        return 0.0
    if isinstance(space, spaces.Box):
        return float((np.abs(mine.astype(int) - theirs) <= _NEAR).all(axis=1).mean())
    return float((mine == theirs).all(axis=1).mean())


def noted_actions(record: Record, run: int, steps: Sequence[np.ndarray], space: spaces.Space) -> list[np.ndarray]:
    """What a policy of a record did: uint8 (places, numbers of an action) of each fresh episode.

    A sketch of another size than its steps say holds nothing.

    Args:
        record, run: The policy.
        steps: What :func:`~.fresh.sketch_places` gives for the record's benchmark and epoch.
        space: The action space.
    """
    width = action_numbers(space)
    counts = [int((at < length).sum()) for at, length in zip(steps, record.fresh_steps[run])]
    noted = np.frombuffer(bytes.fromhex(record.sketches[run]), np.uint8)
    if len(counts) != len(steps) or len(noted) != sum(counts) * width:
        return [np.empty((0, width), np.uint8) for _ in steps]
    return np.split(noted.reshape(-1, width), np.cumsum(counts)[:-1])
