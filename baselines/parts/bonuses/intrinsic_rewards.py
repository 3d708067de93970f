"""IntrinsicRewards: rewards for novelty, for a learner that continues across episodes' ends."""

from typing import Any

import numpy as np

from procgen_bench.baselines.parts.bonuses.episodic_counts import EpisodicCounts
from procgen_bench.baselines.parts.bonuses.learned_bonus import LearnedBonus
from procgen_bench.baselines.parts.bonuses.running_moments import LEAST_DEVIATION, RunningMoments, discounted_sums
from procgen_bench.baselines.policies.arrays import Arrays, below
from procgen_bench.baselines.training.learner import Rollout

#: An intrinsic reward is at most the reward of a goal.
MOST = 1.0


class IntrinsicRewards:
    """Weighted bonuses, divided by the running standard deviation of their discounted sums (Burda et al., 2018).

    Bonuses of the first steps are measured, and not given: their scale is not known yet.

    Args:
        bonus: Finds how new steps are.
        weight: Factor of the scaled bonuses.
        discount: Discount factor of the sums, which begin again with every episode.
        starts: How many bonuses are measured before any is given.
        num_rows: Rows of the environment, N.
        episodic: Whether bonuses are divided by the root of how often the episode has been in the next state.
    """

    def __init__(self, bonus: LearnedBonus, weight: float, discount: float, starts: int, num_rows: int, episodic: bool):
        self.bonus, self.weight, self.discount, self.starts = bonus, weight, discount, starts
        self._counts = EpisodicCounts(num_rows) if episodic else None
        #: float64 (N,), the sums of the episodes that are not over; and the moments of all.
        self._so_far, self._sums = np.zeros(num_rows), RunningMoments()

    def of(self, rollout: Rollout, actions: np.ndarray) -> np.ndarray:
        """Rewards float32 (T, N), at most 1, of a rollout's steps, by their numbered actions (T, N)."""
        before = {name: array.cpu().numpy() for name, array in rollout.observations.items()}
        after = {name: rollout.following(name) for name in before}
        flat = (_flat(before), actions.ravel(), _flat(after))
        bonuses = self.bonus.bonus(*flat).reshape(rollout.rewards.shape)
        if self._counts is not None:
            bonuses /= np.sqrt(self._counts.visit(before, after, rollout.starts))
        self._measure(bonuses, rollout)
        if self._sums.count < self.starts:
            return np.zeros_like(rollout.rewards)
        return np.minimum(self.weight * bonuses / self.scale, MOST).astype(np.float32)

    @property
    def scale(self) -> float:
        """What bonuses are divided by."""
        return max(float(self._sums.deviation), LEAST_DEVIATION)

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """The bonus's state, the sums', and the counts: arrays of any shape and dtype by name, and values."""
        arrays, values = self.bonus.state()
        arrays = {f"bonus.{name}": array for name, array in arrays.items()} | {"so_far": self._so_far.copy()}
        arrays |= {f"sums.{name}": array for name, array in self._sums.state().items()}
        if self._counts is not None:
            arrays |= {f"counts.{name}": array for name, array in self._counts.state().items()}
        return arrays, values

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned, in its shapes and dtypes."""
        self.bonus.restore(below(arrays, "bonus"), values)
        self._so_far[:] = arrays["so_far"]
        self._sums.restore(below(arrays, "sums"))
        if self._counts is not None:
            self._counts.restore(below(arrays, "counts"))

    def _measure(self, bonuses: np.ndarray, rollout: Rollout) -> None:
        sums = discounted_sums(bonuses, self.discount, rollout.starts, self._so_far)
        self._so_far = sums[-1]
        if rollout.train.any():
            self._sums = self._sums.updated(sums[rollout.train])


def _flat(arrays: Arrays) -> Arrays:
    return {name: array.reshape(-1, *array.shape[2:]) for name, array in arrays.items()}
