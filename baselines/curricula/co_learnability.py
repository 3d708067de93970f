"""CoLearnability: what a level teaches for other levels is a part of TRACED's score.

Cho et al. 2025, "TRACED: Transition-aware Regret Approximation with Co-learnability for Environment Design"; as in its
public code (Cho-Geonwoo/TRACED 3a5e8ed, level_replay/level_sampler.py, update_regret_diff, with the weight 1).
"""

import numpy as np

from procgen_bench.baselines.curricula.level_buffer import LevelBuffer
from procgen_bench.baselines.policies.arrays import Arrays


class CoLearnability:
    """Credits levels with how much the scores of those that were played next have fallen."""

    def __init__(self) -> None:
        #: By the numbers of kept levels, the newest score of each, without credit.
        self._scores: dict[int, float] = {}
        self._played_before: list[int] = []

    def credit(self, buffer: LevelBuffer, played: dict[int, float]) -> None:
        """Add the mean fall of the scores of levels that were just played to the scores of those played before.

        Args:
            buffer: Where the levels are kept; those just played have their new scores.
            played: The new scores by the levels' numbers.
        """
        kept = {number: score for number, score in played.items() if buffer.slot(number) is not None}
        falls = [self._scores.get(number, score) - score for number, score in kept.items()]
        for number in self._played_before if falls else ():
            slot = buffer.slot(number)
            if slot is not None:
                buffer.scores[slot] += np.mean(falls)
        scores = self._scores | kept
        self._scores = {number: score for number, score in scores.items() if buffer.slot(number) is not None}
        self._played_before = list(kept)

    def state(self) -> Arrays:
        """Arrays from which :meth:`restore` continues exactly."""
        return {
            "levels": np.array([*self._scores], np.int64),
            "scores": np.array([*self._scores.values()], np.float64),
            "played_before": np.array(self._played_before, np.int64),
        }

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`state` returned."""
        self._scores = dict(zip(arrays["levels"].tolist(), arrays["scores"].tolist(), strict=True))
        self._played_before = arrays["played_before"].tolist()
