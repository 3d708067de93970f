"""Distributions over discrete actions: one softmax, or several side by side."""

import numpy as np
import torch
from gymnasium import spaces
from torch.distributions import Categorical


class DiscreteActions:
    """A softmax over the outputs."""

    #: Uniform numbers that drawing an action takes.
    noise_width = 1

    def __init__(self, space: spaces.Discrete):
        self.num_outputs = int(space.n)
        #: Outputs of each of the distributions.
        self.sizes = [self.num_outputs]

    def distribution(self, outputs: torch.Tensor) -> Categorical:
        """Outputs (n, k) -> a distribution over n actions."""
        return Categorical(logits=outputs, validate_args=False)

    def evaluate(self, outputs: torch.Tensor, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities (n,) of actions (n,) or (n, 1), and the entropies (n,)."""
        distribution = self.distribution(outputs)
        return distribution.log_prob(actions.long().flatten()), distribution.entropy()

    def play(self, outputs: torch.Tensor, noise: torch.Tensor | None) -> torch.Tensor:
        """Actions int64 (n,): the most likely ones, or what uniform ``noise`` (n, 1) in [0, 1) draws."""
        if noise is None:
            return outputs.argmax(dim=1)
        chances = torch.softmax(outputs.double(), dim=1).cumsum(dim=1)
        drawn = (chances <= noise).sum(dim=1)
        return drawn.clamp(max=self.num_outputs - 1)  # where the chances' sum was rounded down


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
        """Log-probabilities (n,) of actions (n, k), and the entropies (n,): sums over the k softmaxes."""
        judged = [
            part.evaluate(own, actions[:, place]) for place, (part, own) in enumerate(self._with_outputs(outputs))
        ]
        return sum_of([logs for logs, _ in judged]), sum_of([entropies for _, entropies in judged])

    def play(self, outputs: torch.Tensor, noise: torch.Tensor | None) -> torch.Tensor:
        """Actions (n, k) of the space's type: the most likely ones, or what ``noise`` (n, k) in [0, 1) draws."""
        played = [
            part.play(own, None if noise is None else noise[:, place : place + 1])
            for place, (part, own) in enumerate(self._with_outputs(outputs))
        ]
        return torch.cat([actions[:, None] for actions in played], dim=1).to(self._type)

    def _with_outputs(self, outputs: torch.Tensor):
        return zip(self._parts, outputs.split(self.sizes, dim=1))


def sum_of(columns: list[torch.Tensor]) -> torch.Tensor:
    """The sum (n,) of columns (n,)."""
    return torch.stack(columns, dim=0).sum(dim=0)
