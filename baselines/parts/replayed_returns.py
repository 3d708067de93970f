"""ReplayedReturns: the returns of the episodes that ended in the replay."""

import numpy as np

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.training.learner import Rollout


class ReplayedReturns:
    """Undiscounted returns of those episodes that may be learned from.

    Args:
        num_rows: Rows of the environment, N.
        capacity: Steps of every row that the replay holds.
    """

    def __init__(self, num_rows: int, capacity: int):
        self._capacity, self._step = capacity, 0
        #: float64 (N,): of the episodes that are not over.
        self._so_far = np.zeros(num_rows)
        #: Of every episode in the replay: the step at which it ended, and its return.
        self._ended, self._returns = np.zeros(0, np.int64), np.zeros(0)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest; infinite where no episode has ended yet."""
        if not len(self._returns):
            return -np.inf, np.inf
        return float(self._returns.min()), float(self._returns.max())

    def add(self, rollout: Rollout) -> None:
        """Add a rollout that enters the replay; what it replaces is forgotten."""
        ended, returns = [self._ended], [self._returns]
        for t, rewards in enumerate(rollout.rewards):
            self._so_far[rollout.starts[t]] = 0.0
            self._so_far += rewards
            self._step += 1
            over = self._so_far[rollout.ends[t] & rollout.train[t]]
            ended.append(np.full(len(over), self._step))
            returns.append(over)
        self._ended, self._returns = np.concatenate(ended), np.concatenate(returns)
        held = self._ended > self._step - self._capacity
        self._ended, self._returns = self._ended[held], self._returns[held]

    def state(self) -> Arrays:
        """For :meth:`restore`: returns, float64 (N,) of rows, (K,) of K ended episodes, and steps, int64."""
        return {"so_far": self._so_far, "ended": self._ended, "of_ended": self._returns, "step": np.array(self._step)}

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`state` returned, in its shapes and dtypes."""
        self._so_far[:] = arrays["so_far"]
        self._ended, self._returns, self._step = arrays["ended"], arrays["of_ended"], int(arrays["step"])
