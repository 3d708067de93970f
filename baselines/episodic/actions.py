"""Action distributions from a network's outputs: a Beta per continuous action (Chou et al., 2017), or a softmax."""

import numpy as np
import torch
from gymnasium import spaces
from torch.distributions import Beta, Categorical, Distribution
from torch.nn import functional

#: What sampled shares of an action's range keep from its ends, where a Beta's density may be 0 or infinite.
_EDGE = 1e-6


class DiscreteActions:
    """A softmax over the outputs."""

    def __init__(self, space: spaces.Discrete):
        self.num_outputs = int(space.n)

    def distribution(self, outputs: torch.Tensor) -> Distribution:
        """Outputs (n, k) -> a distribution over n actions."""
        return Categorical(logits=outputs, validate_args=False)

    def sample(self, outputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Actions int64 (n,) and their log-probabilities (n,), drawn by torch's generator."""
        distribution = self.distribution(outputs)
        actions = distribution.sample()
        return actions, distribution.log_prob(actions)

    def evaluate(self, outputs: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities (n,) of actions (n,) or (n, 1), and the entropies (n,)."""
        distribution = self.distribution(outputs)
        return distribution.log_prob(actions.long().flatten()), distribution.entropy()

    def play(self, outputs: torch.Tensor, rng: np.random.Generator | None) -> np.ndarray:
        """Actions int64 (n,): the most likely ones, or draws of ``rng``."""
        if rng is None:
            return outputs.argmax(dim=1).numpy()
        chances = torch.softmax(outputs.double(), dim=1).cumsum(dim=1).numpy()
        drawn = (chances < rng.random((len(chances), 1))).sum(axis=1)
        return np.minimum(drawn, self.num_outputs - 1)


class BoundedActions:
    """A Beta distribution per action, shifted and scaled to its range; alpha and beta are 1 + softplus(output)."""

    def __init__(self, space: spaces.Box):
        self.low, self.high = torch.as_tensor(space.low), torch.as_tensor(space.high)
        self.num_outputs = 2 * int(np.prod(space.shape))

    def distribution(self, outputs: torch.Tensor) -> Distribution:
        """Outputs (n, 2k) -> a distribution over shares (n, k) of the actions' ranges."""
        alpha, beta = (1 + functional.softplus(outputs)).chunk(2, dim=1)
        return Beta(alpha, beta, validate_args=False)

    def sample(self, outputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Actions float32 (n, k) and their log-probabilities (n,), drawn by torch's generator."""
        actions = self._scaled(self.distribution(outputs).sample())
        return actions, self.evaluate(outputs, actions)[0]

    def evaluate(self, outputs: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities (n,) of actions (n, k), as shares of their ranges, and the entropies (n,)."""
        distribution = self.distribution(outputs)
        shares = ((actions - self.low) / (self.high - self.low)).clamp(_EDGE, 1 - _EDGE)
        return distribution.log_prob(shares).sum(dim=1), distribution.entropy().sum(dim=1)

    def play(self, outputs: torch.Tensor, rng: np.random.Generator | None) -> np.ndarray:
        """Actions float32 (n, k): the means, or draws of ``rng``."""
        distribution = self.distribution(outputs)
        if rng is None:
            return self._scaled(distribution.mean).numpy()
        alpha, beta = distribution.concentration1.numpy(), distribution.concentration0.numpy()
        return self._scaled(torch.as_tensor(rng.beta(alpha, beta), dtype=torch.float32)).numpy()

    def _scaled(self, shares: torch.Tensor) -> torch.Tensor:
        actions = self.low + shares * (self.high - self.low)
        return torch.minimum(torch.maximum(actions, self.low), self.high)  # rounding may step over an end


def actions_of(space: spaces.Space) -> DiscreteActions | BoundedActions:
    """The kind of actions that a space holds.

    Raises:
        ValueError: There is no distribution over it.
    """
    if isinstance(space, spaces.Discrete) and space.start == 0:
        return DiscreteActions(space)
    if isinstance(space, spaces.Box) and space.is_bounded() and len(space.shape) == 1:
        return BoundedActions(space)
    raise ValueError(f"there is no distribution over {space}")
