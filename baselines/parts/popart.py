"""PopArt (van Hasselt et al., 2016): a critic of normalised returns, whose values stay as the scale moves."""

from collections.abc import Iterable

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.policies.arrays import Arrays

#: Until so many updates, the statistics are plain means of all batches; from then on they forget.
_FIRST_UPDATES = 100
LEAST_DEVIATION = 1e-2


class PopArt:
    """Running mean and deviation of returns.

    The mean moves by ``share`` of the way to each batch's; by 1 / (n + 1) in the first hundred updates, where that is
    more. With the published 3e-4, short runs would spend a third of their time on it.

    Args:
        share: How far, 0 to 1, the statistics move at an update; 0: returns stay in the rewards' units.

    Attributes:
        mean, deviation: Of the returns; the deviation is at least 0.01.
    """

    def __init__(self, share: float):
        self.mean, self.deviation = 0.0, 1.0
        self._share, self._square, self._updates = share, 1.0, 0

    def normalised(self, returns: torch.Tensor) -> torch.Tensor:
        """Returns, float32 of any shape (n, ...), in units of the critic's head."""
        return (returns - self.mean) / self.deviation

    def unnormalised(self, values: torch.Tensor) -> torch.Tensor:
        """The critic's head's values, float32 of any shape (n, ...), as returns."""
        return values * self.deviation + self.mean

    @torch.no_grad()
    def update(self, returns: np.ndarray, heads: Iterable[nn.Linear]) -> None:
        """Let returns, float32 (n,), count, and change the heads so that their values stay what they were.

        Args:
            returns: Of this batch.
            heads: Last layers of the critics, one number each.
        """
        if not self._share:
            return
        share = max(self._share, 1 / (self._updates + 1) if self._updates < _FIRST_UPDATES else 0.0)
        self._updates += 1
        mean, deviation = self.mean, self.deviation
        self.mean += share * (float(np.mean(returns, dtype=np.float64)) - self.mean)
        self._square += share * (float(np.mean(np.square(returns, dtype=np.float64))) - self._square)
        self.deviation = max(self._square - self.mean**2, LEAST_DEVIATION**2) ** 0.5
        for head in heads:
            head.weight.mul_(deviation / self.deviation)
            head.bias.mul_(deviation).add_(mean - self.mean).div_(self.deviation)

    @property
    def numbers(self) -> dict[str, float]:
        """What a policy's folder keeps of it; nothing where returns are not normalised."""
        return {"mean": self.mean, "deviation": self.deviation, "updates": self._updates} if self._share else {}

    def state(self) -> Arrays:
        """``statistics``, float64 (4,), from which :meth:`restore` goes on; none where returns are not normalised."""
        if not self._share:
            return {}
        return {"statistics": np.array([self.mean, self._square, self.deviation, self._updates])}

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`state` returned, float64 (4,)."""
        if not self._share:
            return
        self.mean, self._square, self.deviation, updates = arrays["statistics"].tolist()
        self._updates = int(updates)
