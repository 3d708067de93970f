"""What a learner is to a run, and the rollouts that it learns from."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
import torch

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.core.errors import ProcgenBenchError

RolloutT = TypeVar("RolloutT")


class IncompleteLearnerError(ProcgenBenchError, TypeError):
    """A learner lacks what every learner has."""


class Learner(ABC, Generic[RolloutT]):
    """Acts in rows, learns from what came of it, and can be kept and exported.

    What it learns from is what its collector gives: a :class:`.Rollout`, or whole :class:`.Episodes`.

    Attributes:
        device: Where its networks are; the observations that it is given are there, too.
        memory_width: Numbers that it remembers of a row from step to step; 0: it has no memory.
        rates: Numbers that may change while a run goes on, by name (``"learning_rate"``, ``"entropy_weight"``): each
            update reads them, a population may set them, and checkpoints keep them. A run is not recognised by them.
        discounts: Discount and decay of its :meth:`advantages`; empty: it has none.
        required_infos: Infos of the environment that its rollouts are to hold, by name; of those that the environment
            declares (:attr:`.TaskVectorEnv.learner_infos`).
        policy_parts: Parts of its :meth:`state` that are the policy's weights, those of them that it has.
        parts_beside: Further parts with which a run may begin: what another run's checkpoint has of them, and of
            ``"scale"``, the statistics of returns, what a policy's folder has.
    """

    device: torch.device
    memory_width: int = 0
    rates: Mapping[str, float] = MappingProxyType({})
    discounts: tuple[float, ...] = ()
    required_infos: tuple[str, ...] = ()
    policy_parts: ClassVar[tuple[str, ...]] = ("network", "acting")
    parts_beside: ClassVar[tuple[str, ...]] = ("scale",)

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        """Refuse a subclass that is not complete in one line, before a run begins.

        Raises:
            IncompleteLearnerError: It lacks an abstract method.
        """
        if missing := sorted(cls.__abstractmethods__):
            raise IncompleteLearnerError(
                f"the learner {cls.__name__} lacks {', '.join(missing)}, expected act, update, state, restore and "
                "policy_weights"
            )
        return super().__new__(cls)

    @abstractmethod
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Choose an action for every row, exploring.

        Args:
            observations: By name (N, ...).
            memory: float32 (N, M), zeros where an episode begins.

        Returns:
            Actions (N, ...); by name float32 (N, ...), what the update requires of them; the next memory (N, M).
        """

    @abstractmethod
    def update(self, rollout: RolloutT) -> dict[str, float]:
        """Learn from a rollout; returns measures of it."""

    def advantages(self, rollout: RolloutT) -> np.ndarray | None:
        """Generalised advantages float32 (T, N) of a rollout that :meth:`update` has not seen; ``None``: no critic."""
        return None

    def gradient_norms(self, rollout: RolloutT) -> np.ndarray | None:
        """How much could be learned of each episode, by the gradient of what the policy earns.

        Returns:
            float32 (T, N): the squared norm of the gradient, by the policy's parameters, of the mean over the steps of
            the episode that lie in the rollout, of log-probability times advantage, at each of these steps; ``None``:
            nothing is learned so.
        """
        return None

    def values(self, observations: Tensors) -> np.ndarray:
        """The critic's values float32 (N,) of first observations by name (N, ...); NaN where it has none."""
        return np.full(len(next(iter(observations.values()))), np.nan, np.float32)

    @abstractmethod
    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Arrays and plain values from which :meth:`restore` continues exactly."""

    @abstractmethod
    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""

    @abstractmethod
    def policy_weights(self) -> Arrays:
        """The weights that its policy plays with, by name: arrays of their shapes and dtypes."""

    def critic_scale(self) -> dict[str, float]:
        """On what scale the critic among :meth:`policy_weights` values states, by name; nothing: in returns."""
        return {}

    def after_beginning(self) -> None:
        """Called when the learner has taken the weights that its run begins with."""

    def after_evaluation(self, scores: dict[str, float]) -> None:
        """Called after every evaluation with its row of the curve, which may be changed and added to."""


@dataclass(frozen=True)
class Rollout:
    """Steps of rows that go on through their episodes' ends, time first.

    Attributes:
        observations: By name (T, N, ...), what was seen before each action; on the learner's device.
        actions: (T, N, ...), of the action space's type; on the learner's device.
        aux: By name float32 (T, N, ...), what the learner noted of each action (log-probabilities, values, ...).
        rewards: float32 (T, N).
        terminations: bool (T, N), whether the step ended the episode for good.
        truncations: bool (T, N), whether it was cut off.
        starts: bool (T, N), whether the observation was the first of an episode.
        train: bool (T, N), whether the step may be learned from.
        memory: float32 (N, M), what the learner remembered before the first step; on its device.
        last_observations: By name (N, ...), what was seen after the last step, of new episodes where one had ended.
        last_starts: bool (N,), whether those are the first of an episode.
        last_memory: float32 (N, M).
        end_observations: By name (E, ...), the last ones of the E episodes that ended, in the order of ``ends``.
        cut_memory: float32 (K, M), the memory with which those of the K episodes that were cut off would be seen.
        rewards_before: float32 (T, N), the reward of the step before in the same episode; 0 at its start.
        infos: By name (T, N, ...), the environment's infos that the learner requires.
    """

    observations: Tensors
    actions: torch.Tensor
    aux: Tensors
    rewards: np.ndarray
    terminations: np.ndarray
    truncations: np.ndarray
    starts: np.ndarray
    train: np.ndarray
    memory: torch.Tensor
    last_observations: Tensors
    last_starts: np.ndarray
    last_memory: torch.Tensor
    end_observations: Tensors
    cut_memory: torch.Tensor
    rewards_before: np.ndarray
    infos: dict[str, np.ndarray]

    def of(self, rows: np.ndarray) -> "Rollout":
        """The same steps of these rows (their indices, int64 (n,)) alone."""
        at = torch.as_tensor(rows, device=self.memory.device)
        here = np.isin(np.arange(self.rewards.shape[1]), rows)
        is_cut = (self.truncations & here)[self.truncations]
        return Rollout(
            observations={name: array.index_select(1, at) for name, array in self.observations.items()},
            actions=self.actions.index_select(1, at),
            aux={name: array.index_select(1, at) for name, array in self.aux.items()},
            rewards=self.rewards[:, rows],
            terminations=self.terminations[:, rows],
            truncations=self.truncations[:, rows],
            starts=self.starts[:, rows],
            train=self.train[:, rows],
            memory=self.memory[at],
            last_observations={name: array[at] for name, array in self.last_observations.items()},
            last_starts=self.last_starts[rows],
            last_memory=self.last_memory[at],
            end_observations={
                name: array[torch.as_tensor((self.ends & here)[self.ends], device=array.device)]
                for name, array in self.end_observations.items()
            },
            cut_memory=self.cut_memory[torch.as_tensor(is_cut, device=self.cut_memory.device)],
            rewards_before=self.rewards_before[:, rows],
            infos={name: array[:, rows] for name, array in self.infos.items()},
        )

    @property
    def ends(self) -> np.ndarray:
        """bool (T, N): whether the step was the last of its episode."""
        return self.terminations | self.truncations

    @property
    def episode_parts(self) -> Iterator[tuple[int, int, int]]:
        """Row, first step and end of the part of every episode that lies in the rollout, row by row."""
        for row in range(self.starts.shape[1]):
            cuts = [0, *(np.flatnonzero(self.starts[1:, row]) + 1).tolist(), len(self.starts)]
            yield from ((row, first, end) for first, end in pairwise(cuts))

    @property
    def cut_observations(self) -> Tensors:
        """(K, ...) by name, in their dtypes: last observations of episodes that were cut off, as in ``truncations``."""
        cut = torch.as_tensor(self.truncations[self.ends])
        return {name: array[cut.to(array.device)] for name, array in self.end_observations.items()}

    @property
    def columns(self) -> Arrays:
        """(T, N, ...), in their dtypes: ``"observations.NAME"`` before each action, ``"actions"`` and ``"rewards"``."""
        columns = {f"observations.{name}": array.cpu().numpy() for name, array in self.observations.items()}
        return columns | {"actions": self.actions.cpu().numpy(), "rewards": self.rewards}

    def following(self, name: str) -> np.ndarray:
        """(T, N, ...), in the observation's dtype: what was seen after each step, of the same episode."""
        seen = self.observations[name][1:].cpu().numpy()
        following = np.concatenate([seen, self.last_observations[name].cpu().numpy()[np.newaxis]])
        following[self.ends] = self.end_observations[name].cpu().numpy()
        return following

    @property
    def num_steps(self) -> int:
        """Environment steps: T x N."""
        return self.rewards.size
