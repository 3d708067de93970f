"""LearnedLevelBuffer: levels that are replayed by a distribution that gradients move (Monette et al. 2025, NCC)."""

import numpy as np

from procgen_bench.baselines.curricula.level_buffer import LevelBuffer
from procgen_bench.baselines.training.teacher import TeacherArrays
from procgen_bench.core.task_space import TaskSpace

#: Squares of gradients that stand at the start, their exponent, and what keeps it from dividing by 0 (TiAda's).
_FIRST_SQUARES, _EXPONENT, _EPSILON = 0.1, -0.4, 1e-7


class LearnedLevelBuffer(LevelBuffer):
    """Levels whose probabilities y ascend the expected score, y's entropy added: y . scores + entropy * H(y).

    Where the scores stay as they are and no probability is as low as ``floor``, the only fixed point is the softmax of
    ``scores / entropy``. The level of the lowest score gives way to a new one that scores higher, which takes over its
    probability; a level that fills an empty slot is as likely as the mean of the others.

    Args:
        capacity: Levels at most.
        step_size: Of the ascent, divided by a root of the squares of each slot's gradients so far.
        entropy: Weight of the entropy, above 0.
        floor: The least probability of a level, above 0, at most 1 / capacity.
    """

    def __init__(self, capacity: int, step_size: float, entropy: float, floor: float):
        super().__init__(capacity)
        self.step_size, self.entropy, self.floor = step_size, entropy, floor
        self._probabilities = np.zeros(capacity)
        self._squares = np.full(capacity, _FIRST_SQUARES)
        self._spread = 0  # slots that have a probability

    def replay_distribution(self) -> np.ndarray:
        """The probability of each kept level to be replayed next, float64 (n,)."""
        return self._probabilities[: len(self)].copy()

    def ascend(self) -> None:
        """One step of projected gradient ascent by the scores as they are; none where nothing is kept."""
        count = len(self)
        if not count:
            return
        probabilities, squares = self._probabilities[:count], self._squares[:count]
        gradient = self.scores[:count] - self.entropy * np.log(probabilities)
        # What all slots have in common leads out of the simplex. Slots whose steps differ would not project it away.
        gradient -= gradient.mean()
        squares += gradient**2
        step = self.step_size * gradient * (squares + _EPSILON) ** _EXPONENT
        probabilities[:] = project_onto_simplex(probabilities + step, self.floor)

    @property
    def effective_levels(self) -> float:
        """How many equally likely levels have the entropy of the distribution: 1 to n; 0 where nothing is kept."""
        y = self.replay_distribution()
        return float(np.exp(-(y * np.log(y)).sum())) if len(y) else 0.0

    def state(self, space: TaskSpace) -> TeacherArrays:
        """With the distribution, and the squares of its gradients."""
        learned = {"probabilities": self.replay_distribution(), "squares": self._squares[: len(self)].copy()}
        return super().state(space) | {f"buffer.{name}": column for name, column in learned.items()}

    def restore(self, space: TaskSpace, arrays: TeacherArrays) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(space, arrays)
        self._spread = len(self)
        self._probabilities[: self._spread] = arrays["buffer.probabilities"]
        self._squares[: self._spread] = arrays["buffer.squares"]

    def _leaving(self) -> np.ndarray:
        return np.argsort(self.scores[: len(self)], kind="stable")

    def _gives_way(self, slot: int, score: float) -> bool:
        return score > self.scores[slot]

    def _note_entry(self, slot: int) -> None:
        if slot == self._spread:  # it was empty
            self._spread += 1
            self._probabilities[:slot] *= slot / self._spread
            self._probabilities[slot] = 1 / self._spread


def project_onto_simplex(point: np.ndarray, floor: float = 0.0) -> np.ndarray:
    """The distribution float64 (n,) nearest to a point (n,), none of whose probabilities is below ``floor``.

    ``floor`` is at least 0 and at most 1 / n. By sorting: Held, Wolfe and Crowder 1974.
    """
    above = point - floor
    descending = np.sort(above)[::-1]
    # What all have to give so that the first k of them, alone, share what the floors leave.
    excess = (descending.cumsum() - (1 - len(point) * floor)) / np.arange(1, len(point) + 1)
    last = np.flatnonzero(descending >= excess)[-1]
    return np.maximum(above - excess[last], 0) + floor
