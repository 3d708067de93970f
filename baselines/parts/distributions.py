"""Distributions over actions, made from a network's outputs, by the action space."""

import math

import numpy as np
import torch
from gymnasium import spaces
from torch.distributions import Beta, Categorical, kl_divergence
from torch.nn import functional

from procgen_bench.baselines.action_kinds import check_learnable
from procgen_bench.baselines.policies.tensors import NEVER

#: Candidates for each draw, of which the first that is accepted is taken. For shapes above 1, each is with a
#: probability of more than 0.95, so all are refused once in 10^10 draws; then the most likely candidate is taken.
_CANDIDATES = 8
#: Of every candidate: two uniform numbers for two normal ones, and two for their acceptance.
NOISE_PER_DRAW = 4 * _CANDIDATES


def beta_draws(alpha: torch.Tensor, beta: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
    """Draws, float32 (n, k), from Beta(alpha, beta): the share of one gamma variate in the sum of two.

    Args:
        alpha: float32 (n, k), more than 1.
        beta: float32 (n, k), more than 1.
        noise: float32 (n, ``NOISE_PER_DRAW`` * k), uniform in [0, 1).
    """
    uniform = noise.reshape(-1, 4, alpha.shape[1], _CANDIDATES)
    radius = torch.sqrt(-2 * torch.log(1 - uniform[:, 0]))  # Box and Muller
    angle = 2 * math.pi * uniform[:, 1]
    first = _gamma_draws(alpha, radius * torch.cos(angle), uniform[:, 2])
    second = _gamma_draws(beta, radius * torch.sin(angle), uniform[:, 3])
    return first / (first + second)


def _gamma_draws(shape: torch.Tensor, normal: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
    """Draws (n, k) from Gamma(shape, 1) by Marsaglia and Tsang's method, from candidates (n, k, c)."""
    scale = (shape - 1 / 3)[:, :, None]
    root = 1 + normal / torch.sqrt(9 * scale)
    cube = root * root * root
    tested = torch.log(1 - uniform) < 0.5 * normal * normal + scale * (1 - cube + torch.log(cube.clamp(min=1e-30)))
    accepted = (tested & (root > 0)).float()
    chosen = torch.gather(cube, 2, accepted.argmax(dim=2, keepdim=True))
    found = accepted.amax(dim=2, keepdim=True) > 0
    return (scale * torch.where(found, chosen, 1.0))[:, :, 0]


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
        """Outputs, float32 (n, 2k) -> a distribution over shares (n, k) of the actions' ranges."""
        alpha, beta = (_LEAST_CONCENTRATION + functional.softplus(outputs)).chunk(2, dim=1)
        return Beta(alpha, beta, validate_args=False)

    def evaluate(self, outputs: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities (n,) of actions (n, k), as shares of their ranges, and entropies (n,): all float32.

        The entropy is the mean over the k actions: the paper's weights are for that.
        """
        distribution, low, high = self.distribution(outputs), self._low.to(outputs), self._high.to(outputs)
        shares = ((actions - low) / (high - low)).clamp(_EDGE, 1 - _EDGE)
        return distribution.log_prob(shares).sum(dim=1), distribution.entropy().mean(dim=1)

    def divergence(self, before: torch.Tensor, outputs: torch.Tensor) -> torch.Tensor:
        """Kullback-Leibler divergences (n,) of outputs' (n, 2k) distributions from those of ``before``; float32."""
        return kl_divergence(self.distribution(before), self.distribution(outputs)).sum(dim=1)

    def from_uniform(self, outputs: torch.Tensor) -> torch.Tensor:
        """Divergences (n,) of the uniform distribution from outputs' (n, 2k), means over the k actions; float32."""
        alpha, beta = (_LEAST_CONCENTRATION + functional.softplus(outputs)).chunk(2, dim=1)
        logs = torch.lgamma(alpha) + torch.lgamma(beta) - torch.lgamma(alpha + beta)
        return (logs + alpha + beta - 2).mean(dim=1)  # the mean of log(share) is -1, and that of log(1 - share)

    def play(self, outputs: torch.Tensor, noise: torch.Tensor | None) -> torch.Tensor:
        """Actions float32 (n, k): the means, or what uniform ``noise`` (n, ``noise_width``) in [0, 1) draws."""
        alpha, beta = (_LEAST_CONCENTRATION + functional.softplus(outputs)).chunk(2, dim=1)
        return self._scaled(alpha / (alpha + beta) if noise is None else beta_draws(alpha, beta, noise))

    def _scaled(self, shares: torch.Tensor) -> torch.Tensor:
        low, high = self._low.to(shares), self._high.to(shares)
        actions = low + shares * (high - low)
        return torch.minimum(torch.maximum(actions, low), high)  # rounding may step over an end


def uniform_divergence(logs: torch.Tensor) -> torch.Tensor:
    """Divergences, float32 (n,), of the uniform distribution over what is not masked from those of ``logs`` (n, k)."""
    possible = logs > NEVER / 10  # others come nowhere near it
    count = possible.sum(dim=1)
    return -torch.where(possible, logs, 0.0).sum(dim=1) / count - count.log()


class DiscreteActions:
    """A softmax over the outputs."""

    #: Uniform numbers that drawing an action takes.
    noise_width = 1

    def __init__(self, space: spaces.Discrete):
        self.num_outputs = int(space.n)
        #: Outputs of each of the distributions.
        self.sizes = [self.num_outputs]

    def distribution(self, outputs: torch.Tensor) -> Categorical:
        """Outputs, float32 (n, k) -> a distribution over n actions."""
        return Categorical(logits=outputs, validate_args=False)

    def evaluate(self, outputs: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities, float32 (n,), of actions (n,) or (n, 1), and the entropies, float32 (n,)."""
        distribution = self.distribution(outputs)
        return distribution.log_prob(actions.long().flatten()), distribution.entropy()

    def divergence(self, before: torch.Tensor, outputs: torch.Tensor) -> torch.Tensor:
        """Kullback-Leibler divergences (n,) of outputs' (n, k) distributions from those of ``before``; float32."""
        return kl_divergence(self.distribution(before), self.distribution(outputs))

    def from_uniform(self, outputs: torch.Tensor) -> torch.Tensor:
        """Divergences (n,) of the uniform distribution from outputs' (n, k), over what is not masked; float32."""
        return uniform_divergence(torch.log_softmax(outputs, dim=1))

    def play(self, outputs: torch.Tensor, noise: torch.Tensor | None) -> torch.Tensor:
        """Actions int64 (n,): the most likely ones, or what uniform ``noise`` (n, 1) in [0, 1) draws."""
        if noise is None:
            return outputs.argmax(dim=1)
        chances = torch.softmax(outputs.double(), dim=1).cumsum(dim=1)
        drawn = (chances <= noise).sum(dim=1)
        return drawn.clamp(max=self.num_outputs - 1)  # where the chances' sum was rounded down

    def of_indices(self, chosen: torch.Tensor) -> torch.Tensor:
        """Places int64 (n, 1) among the outputs -> actions."""
        return chosen[:, 0]


class MultiDiscreteActions:
    """Independent softmaxes, one for each of the actions that are taken together."""

    def __init__(self, space: spaces.MultiDiscrete):
        #: Outputs of each of the distributions.
        self.sizes = [int(size) for size in space.nvec]
        self._type = torch.as_tensor(np.zeros(1, space.dtype)).dtype
        self._parts = [DiscreteActions(spaces.Discrete(size)) for size in self.sizes]
        self.num_outputs = sum(self.sizes)
        #: Uniform numbers that drawing an action takes.
        self.noise_width = len(self.sizes)

    def evaluate(self, outputs: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities of actions (n, k), and entropies, float32 (n,) each: sums over the k softmaxes."""
        judged = [
            part.evaluate(own, actions[:, place]) for place, (part, own) in enumerate(self._with_outputs(outputs))
        ]
        return sum_of([logs for logs, _ in judged]), sum_of([entropies for _, entropies in judged])

    def divergence(self, before: torch.Tensor, outputs: torch.Tensor) -> torch.Tensor:
        """Kullback-Leibler divergences, float32 (n,), of outputs' distributions from ``before``'s: their sums."""
        parts = zip(self._parts, before.split(self.sizes, dim=1), outputs.split(self.sizes, dim=1))
        return sum_of([part.divergence(then, now) for part, then, now in parts])

    def from_uniform(self, outputs: torch.Tensor) -> torch.Tensor:
        """Divergences, float32 (n,), of the uniform distribution from outputs': sums over the k softmaxes."""
        return sum_of([part.from_uniform(own) for part, own in self._with_outputs(outputs)])

    def play(self, outputs: torch.Tensor, noise: torch.Tensor | None) -> torch.Tensor:
        """Actions (n, k) of the space's dtype: the most likely ones, or what ``noise`` (n, k) in [0, 1) draws."""
        played = [
            part.play(own, None if noise is None else noise[:, place : place + 1])
            for place, (part, own) in enumerate(self._with_outputs(outputs))
        ]
        return torch.cat([actions[:, None] for actions in played], dim=1).to(self._type)

    def of_indices(self, chosen: torch.Tensor) -> torch.Tensor:
        """Places int64 (n, k) among each softmax's outputs -> actions."""
        return chosen.to(self._type)

    def _with_outputs(self, outputs: torch.Tensor):
        return zip(self._parts, outputs.split(self.sizes, dim=1))


def sum_of(columns: list[torch.Tensor]) -> torch.Tensor:
    """The sum (n,) of columns (n,), of their dtype."""
    return torch.stack(columns, dim=0).sum(dim=0)


Actions = DiscreteActions | MultiDiscreteActions | BoundedActions


def actions_of(space: spaces.Space) -> Actions:
    """The kind of actions that a space holds.

    Raises:
        UnsupportedActionsError: There is no distribution over it.
    """
    check_learnable(space)
    if isinstance(space, spaces.Discrete):
        return DiscreteActions(space)
    if isinstance(space, spaces.MultiDiscrete):
        return MultiDiscreteActions(space)
    assert isinstance(space, spaces.Box)
    return BoundedActions(space)
