"""Distributions over bounded continuous actions: a Beta for each (Chou et al., 2017)."""

import numpy as np
import torch
from gymnasium import spaces
from torch.distributions import Beta
from torch.nn import functional

from procgen_bench.baselines.actions.beta_draws import NOISE_PER_DRAW, beta_draws

#: What sampled shares of an action's range keep from its ends, where a Beta's density may be 0 or infinite.
_EDGE = 1e-6
_LEAST_CONCENTRATION = 1.05


class BoundedActions:
    """A Beta distribution per action, shifted and scaled to its range; alpha and beta are 1.05 + softplus(output).

    The offset is the published source's: densities stay bounded, and uniform is just out of reach.
    """

    def __init__(self, space: spaces.Box):
        self._low, self._high = torch.as_tensor(space.low), torch.as_tensor(space.high)
        self.num_outputs = 2 * int(np.prod(space.shape))
        #: Outputs of each of the distributions: all Betas together.
        self.sizes = [self.num_outputs]
        #: Uniform numbers that drawing an action takes.
        self.noise_width = NOISE_PER_DRAW * int(np.prod(space.shape))

    def distribution(self, outputs: torch.Tensor) -> Beta:
        """Outputs (n, 2k) -> a distribution over shares (n, k) of the actions' ranges."""
        alpha, beta = (_LEAST_CONCENTRATION + functional.softplus(outputs)).chunk(2, dim=1)
        return Beta(alpha, beta, validate_args=False)

    def evaluate(self, outputs: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities (n,) of actions (n, k), as shares of their ranges, and entropies (n,).

        The entropy is the mean over the k actions: the paper's weights are for that.
        """
        distribution, low, high = self.distribution(outputs), self._low.to(outputs), self._high.to(outputs)
        shares = ((actions - low) / (high - low)).clamp(_EDGE, 1 - _EDGE)
        return distribution.log_prob(shares).sum(dim=1), distribution.entropy().mean(dim=1)

    def play(self, outputs: torch.Tensor, noise: torch.Tensor | None) -> torch.Tensor:
        """Actions float32 (n, k): the means, or what uniform ``noise`` (n, ``noise_width``) in [0, 1) draws."""
        alpha, beta = (_LEAST_CONCENTRATION + functional.softplus(outputs)).chunk(2, dim=1)
        return self._scaled(alpha / (alpha + beta) if noise is None else beta_draws(alpha, beta, noise))

    def _scaled(self, shares: torch.Tensor) -> torch.Tensor:
        low, high = self._low.to(shares), self._high.to(shares)
        actions = low + shares * (high - low)
        return torch.minimum(torch.maximum(actions, low), high)  # rounding may step over an end
