"""LearnedBonus: a network that learns from transitions, and rewards those that it does not know yet."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.parts.convolutions import SINGLE, multiply_in
from procgen_bench.baselines.policies.arrays import below
from procgen_bench.baselines.policies.tensors import (
    Encoder,
    UncorrectedAdam,
    optimizer_arrays,
    restore_optimizer,
)

Observations = dict[str, np.ndarray]
#: A space of observations -> a network from dicts of tensors (n, ...) to ``network.features`` features.
MakeEncoder = Callable[[spaces.Dict], Encoder]


@dataclass(frozen=True)
class LearningSettings:
    """How a bonus learns.

    Attributes:
        learning_rate: Learning rate of Adam.
        learning_rate_decay: Its factor after every call of ``learn``.
        epochs: Passes over the transitions of a call.
        minibatches: Gradient steps per pass.
        adam_epsilon: What Adam adds to the root of its second moments; PyTorch's by default.
        precision: What convolutions multiply in.
    """

    learning_rate: float
    learning_rate_decay: float
    epochs: int
    minibatches: int
    adam_epsilon: float = 1e-8
    precision: str = SINGLE


class LearnedBonus(ABC):
    """A bonus for transitions (observation, action, next observation), from a network that learns of them.

    Its weights and its minibatches are drawn by torch's generator.

    Args:
        network: The network; parameters that need no gradient stay as they are.
        settings: How it learns.
    """

    def __init__(self, network: nn.Module, settings: LearningSettings):
        self.network, self.settings = network, settings
        multiply_in(settings.precision, network)
        learning = [parameter for parameter in network.parameters() if parameter.requires_grad]
        self._optimizer = UncorrectedAdam(learning, settings.learning_rate, settings.adam_epsilon)

    @abstractmethod
    def bonus(self, observations: Observations, actions: np.ndarray, next_observations: Observations) -> np.ndarray:
        """float64 (M,), how new each of M transitions is; at least 0. Nothing is learned.

        Args:
            observations: By name (M, ...), before the actions.
            actions: (M, ...), of the action space.
            next_observations: By name (M, ...), after the actions.
        """

    def learn(
        self, observations: Observations, actions: np.ndarray, next_observations: Observations
    ) -> dict[str, float]:
        """Learn from M transitions, given as for :meth:`bonus`; returns the mean losses by name."""
        before, acted, after = tensors_of(observations), torch.as_tensor(actions), tensors_of(next_observations)
        size = -(-len(acted) // self.settings.minibatches)
        totals: dict[str, float] = {}
        for _ in range(self.settings.epochs):
            for rows in torch.randperm(len(acted)).split(size):
                losses = self.losses(_rows_of(before, rows), acted[rows], _rows_of(after, rows))
                self._optimizer.zero_grad()
                sum(losses.values(), torch.zeros(())).backward()
                self._optimizer.step()
                for name, loss in losses.items():
                    totals[name] = totals.get(name, 0.0) + loss.item() * len(rows)
        for group in self._optimizer.param_groups:
            group["lr"] *= self.settings.learning_rate_decay
        return {name: total / (len(acted) * self.settings.epochs) for name, total in totals.items()}

    @abstractmethod
    def losses(
        self, observations: dict[str, torch.Tensor], actions: torch.Tensor, next_observations: dict[str, torch.Tensor]
    ) -> dict[str, torch.Tensor]:
        """Mean losses, float32 (), of a minibatch (M, ...) by name; the learner minimises their sum."""

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Copies of arrays, and plain values, from which :meth:`restore` continues."""
        arrays = {f"network.{name}": tensor.numpy() for name, tensor in self.network.state_dict().items()}
        arrays |= {f"optimizer.{name}": array for name, array in optimizer_arrays(self._optimizer).items()}
        copies = {name: array.copy() for name, array in arrays.items()}
        return copies, {"learning_rate": self._optimizer.param_groups[0]["lr"]}

    def restore(self, arrays: dict[str, np.ndarray], values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        weights = {name: torch.as_tensor(array) for name, array in below(arrays, "network").items()}
        self.network.load_state_dict(weights)
        restore_optimizer(self._optimizer, below(arrays, "optimizer"))
        for group in self._optimizer.param_groups:
            group["lr"] = values["learning_rate"]


def tensors_of(observations: Observations) -> dict[str, torch.Tensor]:
    """Observations (M, ...) of any dtype as float32 tensors of their shapes."""
    return {name: torch.as_tensor(array, dtype=torch.float32) for name, array in observations.items()}


def _rows_of(tensors: dict[str, torch.Tensor], rows: torch.Tensor) -> dict[str, torch.Tensor]:
    return {name: tensor[rows] for name, tensor in tensors.items()}
