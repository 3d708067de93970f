"""Distillation: a student is drawn to a teacher's policy on its own rollouts, where it has just earned nothing.

The source is "Open-Ended Learning Leads to Generally Capable Agents" (2021), appendix A.5: at every step whose last
reward was 0 the loss is 4 times the divergence of the student's distributions from the teacher's, for the first fifth
or so of a generation. The teacher helps to explore; it is not to be copied where the student is successful.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import torch

from procgen_bench.baselines.own_methods import AGENTS_KINDS
from procgen_bench.baselines.papers.open_ended.agent_policy import AgentPolicy
from procgen_bench.baselines.papers.open_ended.auxiliary_loss import AuxiliaryLoss
from procgen_bench.baselines.parts.actor_critic import ActorPolicy, Evaluated
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.policies.folders import PolicyFolder, policy_path
from procgen_bench.baselines.policies.same_spaces import check_same_spaces
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.training.learner import Learner, Rollout
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError

#: What a step notes: the teacher's outputs, and whether the step before it earned nothing.
OUTPUTS, UNREWARDED = "teacher_outputs", "unrewarded"


class Distillation(AuxiliaryLoss):
    """The divergence of a student from a teacher, summed over the distributions of an action.

    Args:
        teacher: The teacher; the network is frozen.
        weight: Of the loss.
        fingerprint: SHA-256 of the teacher's folder.
    """

    name = "distillation"

    def __init__(self, teacher: ActorPolicy, weight: float, fingerprint: str = ""):
        super().__init__()
        self.teacher, self.weight, self.fingerprint = teacher, weight, fingerprint
        self.teacher.network.requires_grad_(False)

    @classmethod
    def of_folder(cls, folder: str, student: ActorPolicy, weight: float) -> Self:
        """The distillation from the policy in a folder, or from the one that comes with the package (``trained``).

        Raises:
            InvalidPolicyError: There is none, or it is damaged.
            InvalidOptionError: Its method's policies have no such distributions, or it acts, or observes, otherwise.
        """
        found = PolicyFolder.read(policy_path(folder, student.environment_id))
        if found.method not in AGENTS_KINDS:
            raise InvalidOptionError(
                f"teacher_policy is {folder!r}, a policy of {found.method}, expected one of {', '.join(AGENTS_KINDS)}"
            )
        teacher = AgentPolicy.from_folder(found)
        theirs, ours = ((policy.environment_id, policy.environment_options) for policy in (teacher, student))
        check_same_spaces(f"teacher_policy is {folder!r}", theirs, ours)
        sights = [view.get("privileged", False) for _, view in (theirs, ours)]
        if sights[0] != sights[1]:
            raise InvalidOptionError(
                f"teacher_policy is {folder!r}, whose privileged is {sights[0]}, expected {sights[1]}, this run's"
            )
        if teacher.action_repeat != student.action_repeat:
            raise InvalidOptionError(
                f"teacher_policy is {folder!r}, whose actions last {teacher.action_repeat} steps, expected "
                f"{student.action_repeat}, as action_repeat is"
            )
        return cls(teacher, weight, found.hash())

    def loss(self, evaluated: Evaluated, kept: Tensors) -> torch.Tensor:
        """The mean over steps; 0 where they were not noted, once the first share of the run is over."""
        if OUTPUTS not in kept:
            return evaluated.values.new_zeros(())
        divergence = self.teacher.actions.divergence(kept[OUTPUTS], evaluated.outputs)
        weights = kept["weights"]
        return self.weight * (divergence * kept[UNREWARDED] * weights).sum() / weights.sum()

    def around(self, learner: Learner[Rollout], is_on: Callable[[], bool]) -> Learner[Rollout]:
        """The learner, beside whom the teacher reads what it sees."""
        return DistilledLearner(learner, self, is_on)


class DistilledLearner(Learner[Rollout]):
    """A learner whose steps note what the teacher's outputs would be; the teacher's memory lies beside its own.

    Args:
        learner: Learns, and adds the loss to its own.
        distillation: The loss, with the teacher.
        is_on: Whether the run is still in its first share; asked between rollouts. Afterwards the teacher rests.
    """

    def __init__(self, learner: Learner[Rollout], distillation: Distillation, is_on: Callable[[], bool]):
        self.learner, self.distillation, self._is_on = learner, distillation, is_on
        self.device, self.required_infos = learner.device, learner.required_infos
        self.teacher = distillation.teacher.network.to(self.device)
        self._own = learner.memory_width
        self.discounts, self.memory_width = learner.discounts, self._own + self.teacher.memory_width
        self._on = is_on()

    @property
    def rates(self) -> Mapping[str, float]:  # type: ignore[override]  # the learner's own
        """The learner's."""
        return self.learner.rates

    @rates.setter
    def rates(self, rates: Mapping[str, float]) -> None:
        self.learner.rates = rates

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """The learner's actions, and beside what it notes of them the ``"teacher_outputs"`` (N, k)."""
        own, others = memory[:, : self._own], memory[:, self._own :]
        actions, noted, own = self.learner.act(observations, own)
        if self._on:
            outputs, _, others = self.teacher.read(self.teacher.prepare(observations), others)
            noted = noted | {OUTPUTS: outputs}
        return actions, noted, torch.cat([own, others], dim=1)

    def values(self, observations: Tensors) -> np.ndarray:
        """The learner's."""
        return self.learner.values(observations)

    def advantages(self, rollout: Rollout) -> np.ndarray | None:
        """The learner's."""
        return self.learner.advantages(self._without_teacher(rollout))

    def update(self, rollout: Rollout) -> dict[str, float]:
        """The learner's update, with the loss."""
        own = self._without_teacher(rollout)
        if OUTPUTS in rollout.aux:
            unrewarded = torch.as_tensor(rollout.rewards_before <= 0, dtype=torch.float32, device=self.device)
            own = replace(own, aux=own.aux | {UNREWARDED: unrewarded})
        measures = self.learner.update(own)
        self._on = self._is_on()
        return measures

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """The learner's, and which teacher it has."""
        arrays, values = self.learner.state()
        return arrays, {"learner": values, "teacher": self.distillation.fingerprint, "on": self._on}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned.

        Raises:
            InvalidPolicyError: The teacher's folder holds another policy since.
        """
        if values["teacher"] != self.distillation.fingerprint:
            raise InvalidPolicyError("the teacher's policy is another than the one that the run began with")
        self.learner.restore(arrays, values["learner"])
        self._on = values["on"]

    def policy_weights(self) -> Arrays:
        """The learner's."""
        return self.learner.policy_weights()

    def critic_scale(self) -> dict[str, float]:
        """The learner's."""
        return self.learner.critic_scale()

    def after_evaluation(self, scores: dict[str, float]) -> None:
        """The learner's."""
        self.learner.after_evaluation(scores)

    def _without_teacher(self, rollout: Rollout) -> Rollout:
        """What the learner itself remembered of the rollout."""
        own = slice(self._own)
        return replace(
            rollout,
            memory=rollout.memory[:, own],
            last_memory=rollout.last_memory[:, own],
            cut_memory=rollout.cut_memory[:, own],
        )
