"""EpisodicCounts: how often every row's episode has been in its new state."""

from hashlib import blake2b

import numpy as np

from procgen_bench.baselines.policies.arrays import Arrays


class EpisodicCounts:
    """Visits of states, which differ by all that is observed; an episode's first state is visited, too.

    Args:
        num_rows: Rows of the environment, N.
    """

    def __init__(self, num_rows: int):
        #: Of every row's episode: visits by the state's digest of 64 bits.
        self._visits: list[dict[int, int]] = [{} for _ in range(num_rows)]

    def visit(self, observations: Arrays, next_observations: Arrays, starts: np.ndarray) -> np.ndarray:
        """Advance by T steps.

        Args:
            observations: By name (T, N, ...), before the steps.
            next_observations: By name (T, N, ...), after them, of the same episode.
            starts: bool (T, N), whether the observation before the step is an episode's first.

        Returns:
            int64 (T, N), how often the episode has been in the state after the step, this visit counted; at least 1.
        """
        before, after = _without_negative_zeros(observations), _without_negative_zeros(next_observations)
        counts = np.empty(starts.shape, np.int64)
        for step, row in np.ndindex(starts.shape):
            if starts[step, row]:
                self._visits[row] = {_digest(before, step, row): 1}
            state = _digest(after, step, row)
            counts[step, row] = self._visits[row][state] = self._visits[row].get(state, 0) + 1
        return counts

    def state(self) -> Arrays:
        """For :meth:`restore`: ``rows``, ``states`` and ``counts``, uint64 (visited states,) each."""
        visits = [(row, *item) for row, own in enumerate(self._visits) for item in own.items()]
        rows, states, counts = np.array(visits, np.uint64).reshape(-1, 3).T
        return {"rows": rows, "states": states, "counts": counts}

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`state` returned, uint64 (visited states,) each."""
        self._visits = [{} for _ in self._visits]
        for row, state, count in zip(*(arrays[name].tolist() for name in ("rows", "states", "counts"))):
            self._visits[row][state] = count


def _without_negative_zeros(observations: Arrays) -> list[np.ndarray]:
    """Minus zero is zero, but not to the byte."""
    return [array + array.dtype.type(0) for array in observations.values()]


def _digest(arrays: list[np.ndarray], step: int, row: int) -> int:
    shown = b"".join(array[step, row].tobytes() for array in arrays)
    return int.from_bytes(blake2b(shown, digest_size=8).digest())
