"""AdaptiveWeight: the weight of an aim of generated tasks, by how far the latest ones reach it."""

from collections import deque
from typing import Any

import numpy as np

#: Least and greatest weight of the return, and by how much the mean return may differ from its aim before the weight
#: changes (appendix B).
BETA_BOUNDS, TOLERANCE = (1 / 8, 8.0), 0.1


class AdaptiveWeight:
    """A weight that doubles where the latest tasks fall short of an aim, and halves where they exceed it.

    Fang et al. 2021, "Adaptive Procedural Task Generation for Hard-Exploration Problems", appendix B: beta.

    Args:
        value: The weight at first.
        bounds: The least and the greatest.
        aim: What the mean of the latest outcomes is to be.
        tolerance: By how much it may differ before the weight changes.
        latest: How many outcomes.

    Attributes:
        value: The weight.
    """

    def __init__(self, value: float, bounds: tuple[float, float], aim: float, tolerance: float, latest: int):
        self.value = value
        self._bounds, self._aim, self._tolerance = bounds, aim, tolerance
        self._outcomes: deque[float] = deque(maxlen=latest)

    @property
    def mean(self) -> float:
        """Of the latest outcomes; 0 before the first."""
        return float(np.mean(self._outcomes)) if self._outcomes else 0.0

    def record(self, outcome: float) -> None:
        """Add the outcome of a task."""
        self._outcomes.append(outcome)

    def change(self) -> None:
        """Double, halve or keep the weight; keep it while there are no outcomes."""
        least, most = self._bounds
        if not self._outcomes:
            return
        if self.mean < self._aim - self._tolerance:
            self.value = min(2 * self.value, most)
        elif self.mean > self._aim + self._tolerance:
            self.value = max(self.value / 2, least)

    def state(self) -> dict[str, Any]:
        """What :meth:`restore` continues from."""
        return {"value": self.value, "outcomes": list(self._outcomes)}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        self.value = state["value"]
        self._outcomes.clear()
        self._outcomes.extend(state["outcomes"])
