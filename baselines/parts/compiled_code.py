"""What compiled code offers in torch's place: two interfaces, implemented in what a run loads where it can use it.

Learners are read without :mod:`.compiled_networks`: it computes what their torch code says, faster, and only where a
network is on the CPU and of layers that it knows.
"""

import pkgutil
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.policies.arrays import Arrays

_ACTOR_CRITIC = "procgen_bench.baselines.parts.compiled_networks.actor_critic:CompiledActorCritic"
_VALUES = "procgen_bench.baselines.parts.compiled_networks.q_values:CompiledValues"


@dataclass(frozen=True)
class LossWeights:
    """What PPO's loss consists of, and where an update ends; see :class:`.PolicyGradientConfiguration`."""

    clip_range: float
    value_weight: float
    entropy_weight: float
    normalise: bool
    max_kl: float


class FastActorCritic(Protocol):
    """Acting and PPO's updates for an actor-critic, whose parameters remain the torch module's."""

    def written(self, observations: Arrays) -> np.ndarray | None:
        """float32 (n, width) of observations by name (n, ...); ``None``: it cannot take them, torch has to."""

    def act(self, written: np.ndarray, noise: np.ndarray) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions (n, ...), their log-probabilities (n,) and the states' values (n,).

        Args:
            written: See :meth:`written`.
            noise: float32 (n, distributions), uniform in [0, 1).
        """

    def train(
        self,
        written: np.ndarray,
        minibatches: list[np.ndarray],
        epochs: int,
        columns: Arrays,
        loss: LossWeights,
        learning_rate: float,
    ) -> dict[str, float]:
        """Some passes over minibatches, each of which is a gradient step.

        Args:
            written: See :meth:`written`.
            minibatches: Places of samples, int64 (k,) each.
            epochs: Passes.
            columns: By name (n,): ``"advantages"``, ``"returns"``, ``"log_probabilities"``; ``"actions"`` (n, ...).
            loss: Its parts.
            learning_rate: The optimiser's from now on.

        Returns:
            Mean measures of the steps that were taken, as :func:`.policy_gradient_loss` has them.
        """

    def optimizer_arrays(self) -> Arrays:
        """What the optimiser remembers, in the form of :func:`.optimizer_arrays` of torch's."""

    def restore_optimizer(self, arrays: Arrays) -> None:
        """Continue from what :meth:`optimizer_arrays` returned."""


def fast_actor_critic(
    network: nn.Module, actions: Any, learning_rate: float, max_gradient: float, rmsprop: bool
) -> FastActorCritic | None:
    """Compiled code for an :class:`.ActorCritic`, its distribution and optimiser; ``None``: there is none for it."""
    return pkgutil.resolve_name(_ACTOR_CRITIC).of(network, actions, learning_rate, max_gradient, rmsprop)


def fast_values(network: nn.ModuleDict, target_network: nn.ModuleDict, **settings: float) -> Any | None:
    """Compiled :class:`.QValues` of a network of ``"features"`` and a ``"head"``; ``None``: there are none for it.

    Args:
        network: What is learned.
        target_network: Values what follows.
        settings: As :class:`.CompiledValues` takes them.
    """
    return pkgutil.resolve_name(_VALUES).of(network, target_network, **settings)
