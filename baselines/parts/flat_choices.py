"""FlatChoices: discrete actions, or the combinations of several, numbered from 0."""

import numpy as np
import torch
from gymnasium import spaces
from torch.nn import functional

from procgen_bench.baselines.action_kinds import check_few


class FlatChoices:
    """One discrete action, or several at once as one number.

    Args:
        space: The environment's.

    Attributes:
        count: How many choices there are.

    Raises:
        UnsupportedActionsError: It is another space, or its combinations are too many.
    """

    def __init__(self, space: spaces.Space):
        check_few(space)
        self._sizes = tuple(space.nvec.tolist()) if isinstance(space, spaces.MultiDiscrete) else None
        self.count = int(np.prod(self._sizes)) if self._sizes else int(space.n)  # type: ignore[attr-defined]
        if self._sizes:
            self._type = torch.as_tensor(np.zeros(1, space.dtype)).dtype
            table = np.stack(np.unravel_index(np.arange(self.count), self._sizes), axis=1)
            self._table = torch.as_tensor(table, dtype=torch.float32)

    def actions(self, choices: torch.Tensor) -> torch.Tensor:
        """Numbers int64 (n,) -> actions of the environment's space, (n,) or (n, k)."""
        if self._sizes is None:
            return choices
        return functional.embedding(choices, self._table.to(choices.device)).to(self._type)

    def numbers(self, actions: np.ndarray) -> np.ndarray:
        """Actions (..., k) or (...) -> numbers int64 (...)."""
        if self._sizes is None:
            return actions
        return np.ravel_multi_index(tuple(np.moveaxis(actions, -1, 0)), self._sizes)
