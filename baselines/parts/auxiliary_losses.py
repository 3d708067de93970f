"""Losses beside the policy's and the critic's: what a learner asks of them. A run loads those that it asks for."""

import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.parts.actor_critic import ActorCritic, ActorPolicy, Evaluated
from procgen_bench.baselines.policies.tensors import Tensors, torch_seeded_from
from procgen_bench.baselines.training.learner import Learner, Rollout
from procgen_bench.core.errors import InvalidOptionError

_ATOMS = "procgen_bench.baselines.papers.open_ended.atom_predictor:AtomPredictor.of_network"
_CONSISTENCY = "procgen_bench.baselines.papers.open_ended.goal_attention:ConsistencyLoss"
_DISTILLATION = "procgen_bench.baselines.papers.open_ended.distillation:Distillation.of_folder"


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
        """The loss, weighted, of n steps.

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


def auxiliary_losses(
    configuration: Any, policy: ActorPolicy, network: ActorCritic, rng: np.random.Generator
) -> list[AuxiliaryLoss]:
    """Those that a configuration asks for, on its device.

    Args:
        configuration: The method's settings, an :class:`.ActorCriticConfiguration`.
        policy: What is evaluated.
        network: What is trained.
        rng: Draws the first weights of those that have any.

    Raises:
        InvalidOptionError: They cannot be computed here.
        InvalidPolicyError: The teacher's policy cannot be read.
    """
    losses: list[AuxiliaryLoss] = []
    if configuration.atom_weight:
        with torch_seeded_from(rng, torch.device("cpu")):
            losses.append(_loaded(_ATOMS, network, configuration.atom_weight))
    if configuration.goal_attention:
        if not configuration.popart_share:
            raise InvalidOptionError("popart_share is 0, expected more where goal_attention compares values")
        losses.append(_loaded(_CONSISTENCY))
    if configuration.teacher_policy:
        losses.append(_loaded(_DISTILLATION, configuration.teacher_policy, policy, configuration.distil))
    return [loss.to(configuration.device) for loss in losses]


def with_losses(
    learner: Learner[Rollout],
    losses: Sequence[AuxiliaryLoss],
    is_on: Callable[[], bool],
) -> Learner[Rollout]:
    """A learner as it is to be trained with these losses, which it adds to its own."""
    for loss in losses:
        learner = loss.around(learner, is_on)
    return learner


def _loaded(name: str, *arguments: Any) -> Any:
    return pkgutil.resolve_name(name)(*arguments)
