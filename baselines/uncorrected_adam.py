"""Adam whose epsilon is added before the second moments are corrected for their bias, as older libraries had it."""

import math
from collections.abc import Callable
from typing import Any

import torch


class UncorrectedAdam(torch.optim.Adam):
    """Adam that adds its epsilon to the root of the second moments as they are, and corrects their bias afterwards.

    Beside PyTorch's, epsilon counts ``1 / sqrt(1 - beta2 ** t)`` times as much in step ``t``: 32 times in the first,
    3.2 times in the hundredth, 1.3 times in the thousandth. With an epsilon of the gradients' size the first thousand
    steps are that much shorter. Optimisers of 2018, and those of methods published with them, do so.
    """

    def __init__(self, parameters: Any, learning_rate: float, epsilon: float):
        super().__init__(parameters, lr=learning_rate, eps=epsilon, fused=True)
        self._epsilon = epsilon

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take a step; see :class:`torch.optim.Adam`."""
        for group in self.param_groups:
            # All parameters that ever have a gradient have one in every step: the first one's count is everyone's.
            steps = next((int(self.state[p]["step"]) for p in group["params"] if p in self.state), 0)
            group["eps"] = self._epsilon / math.sqrt(1 - group["betas"][1] ** (steps + 1))
        return super().step(closure)
