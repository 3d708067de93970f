"""Actions as networks take them in, and as those of curiosity predict them."""

import numpy as np
import torch
from gymnasium import spaces
from torch.nn import functional


class PredictedChoice:
    """One of k actions: k zeros and a one; predicted by the logits of a softmax."""

    def __init__(self, space: spaces.Discrete):
        self.size = int(space.n)

    def inputs(self, actions: torch.Tensor) -> torch.Tensor:
        """Actions int64 (n,) -> float32 (n, size)."""
        return functional.one_hot(actions.long(), self.size).float()

    def loss(self, predicted: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """Mean cross entropy, float32 (), of predictions, float32 (n, size), of actions, int64 (n,)."""
        return functional.cross_entropy(predicted, actions.long())


class PredictedVector:
    """A bounded vector, scaled to [-1, 1]; predicted by the scaled vector."""

    def __init__(self, space: spaces.Box):
        self.size = int(np.prod(space.shape))
        self._centre = torch.as_tensor(space.high / 2 + space.low / 2, dtype=torch.float32)
        self._reach = torch.as_tensor(space.high / 2 - space.low / 2, dtype=torch.float32)

    def inputs(self, actions: torch.Tensor) -> torch.Tensor:
        """Actions (n, size) -> float32 (n, size)."""
        return (actions.float() - self._centre) / self._reach

    def loss(self, predicted: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """Mean squared error, float32 (), of predictions, float32 (n, size), of actions (n, size)."""
        return functional.mse_loss(predicted, self.inputs(actions))


def predicted_actions(space: spaces.Space) -> PredictedChoice | PredictedVector:
    """How a space's actions are predicted.

    Raises:
        ValueError: They cannot be.
    """
    if isinstance(space, spaces.Discrete) and space.start == 0:
        return PredictedChoice(space)
    if isinstance(space, spaces.Box) and space.is_bounded() and len(space.shape) == 1:
        return PredictedVector(space)
    raise ValueError(f"there is no inverse model over {space}")


def flat_actions(space: spaces.Space, actions: np.ndarray) -> np.ndarray:
    """float32 (n, k): zeros and ones of choices, all else as it is."""
    match space:
        case spaces.Discrete():
            return np.eye(int(space.n), dtype=np.float32)[actions - space.start]
        case spaces.MultiDiscrete():
            columns = zip(actions.T, space.nvec.tolist(), strict=True)
            return np.concatenate([np.eye(size, dtype=np.float32)[column] for column, size in columns], axis=1)
        case _:
            return actions.reshape(len(actions), -1).astype(np.float32)
