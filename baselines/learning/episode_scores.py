"""What the critic thought of whole episodes, which may begin in one rollout and end in a later one."""

import numpy as np

from procgen_bench.core.compiled import njit


class EpisodeScores:
    """Sums over the episodes that have not ended yet, one per row.

    Args:
        num_rows: Number of rows, N.
    """

    def __init__(self, num_rows: int):
        #: Of every row's episode so far: value of the start, sum of values, sum of positive advantages, steps.
        self.sums = np.zeros((num_rows, 4), np.float64)

    def of(
        self, starts: np.ndarray, ends: np.ndarray, values: np.ndarray | None, advantages: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scores of the episodes that end in a rollout, in the order of ending.

        Args:
            starts: bool (T, N).
            ends: bool (T, N).
            values: float32 (T, N), or ``None``: there is no critic.
            advantages: Likewise.

        Returns:
            Value of the start, mean value, mean positive advantage, each float32 (K,); NaN without a critic.
        """
        scores = np.full((int(ends.sum()), 3), np.nan, np.float32)
        if values is not None and advantages is not None:
            _score(starts, ends, values, advantages, self.sums, scores)
        return scores[:, 0], scores[:, 1], scores[:, 2]


@njit
def _score(starts, ends, values, advantages, sums, scores):
    number = 0
    for t in range(starts.shape[0]):
        for row in range(starts.shape[1]):
            if starts[t, row]:
                sums[row, 0] = values[t, row]
                sums[row, 1:] = 0.0
            sums[row, 1] += values[t, row]
            sums[row, 2] += max(advantages[t, row], 0.0)
            sums[row, 3] += 1.0
            if ends[t, row]:
                scores[number, 0] = sums[row, 0]
                scores[number, 1] = sums[row, 1] / sums[row, 3]
                scores[number, 2] = sums[row, 2] / sums[row, 3]
                number += 1
