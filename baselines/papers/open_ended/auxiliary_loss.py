"""AuxiliaryLoss: a loss beside the policy's and the critic's."""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.parts.actor_critic import Evaluated
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.training.learner import Learner, Rollout


class AuxiliaryLoss(nn.Module, ABC):
    """A loss that is added to a learner's own; its parameters, if any, are trained with the network's.

    Attributes:
        name: What checkpoints call it, and measures, with ``_loss`` behind it.
        required_infos: See :class:`.Learner`.
    """

    name: str
    required_infos: tuple[str, ...] = ()

    def columns(self, rollout: Rollout) -> dict[str, np.ndarray]:
        """What it requires of each step of a rollout, by name (T, N, ...)."""
        return {}

    @abstractmethod
    def loss(self, evaluated: Evaluated, kept: Tensors) -> torch.Tensor:
        """The loss (), weighted, of n steps.

        Args:
            evaluated: What the network says of them.
            kept: By name (n, ...): see :class:`.Minibatch`; ``"weights"`` are 0 where a step may not be learned from.
        """

    def around(self, learner: Learner[Rollout], is_on: Callable[[], bool]) -> Learner[Rollout]:
        """The learner as it is to be trained: one that also notes of its steps what the loss requires.

        Args:
            learner: Adds the loss to its own.
            is_on: Whether the run is still in its first share.
        """
        return learner
