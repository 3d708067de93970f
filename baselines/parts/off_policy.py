"""The off-policy learner: replay, due gradient steps, target networks and statistics of DQN, SAC and DDPG."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.parts.policy_gradient import rollout_advantages
from procgen_bench.baselines.parts.replay import Replay, Transitions
from procgen_bench.baselines.parts.replay_settings import OffPolicySettings
from procgen_bench.baselines.policies.arrays import Arrays, below, network_arrays
from procgen_bench.baselines.policies.tensors import (
    Tensors,
    optimizer_arrays,
    restore_optimizer,
    torch_seeded_from,
)
from procgen_bench.baselines.training.learner import Learner, Rollout

#: Decay of the advantages that teachers score levels by.
_GAE_LAMBDA = 0.95
#: Gradient steps whose minibatches are drawn at once.
_DRAWN_TOGETHER = 10


class OffPolicyLearner(Learner[Rollout]):
    """Keeps rollouts in a replay and learns from random minibatches of it.

    A subclass acts and takes one gradient step.

    Args:
        networks: What is learned, by name.
        optimizers: What steps down their losses, by name.
        replay: What is learned from.
        settings: See there.
        rng: Draws behaviour, and seeds torch for gradient steps; the replay's own.
        followed: Names of the networks that have target networks.
        normalised: Parts that are given the observations of every rollout (``see``), for running statistics.

    Attributes:
        target_networks: Copies of the followed networks, by name.
        steps: Environment steps that were learned from so far, those that may not be among them.
        gradient_steps: Those that were taken so far.
    """

    def __init__(
        self,
        networks: nn.ModuleDict,
        optimizers: Mapping[str, torch.optim.Optimizer],
        replay: Replay,
        settings: OffPolicySettings,
        rng: np.random.Generator,
        followed: Iterable[str],
        normalised: Iterable[Any] = (),
    ):
        self.device = torch.device(settings.device)
        self.networks, self.optimizers = networks, dict(optimizers)
        self.replay, self.settings, self.rng = replay, settings, rng
        self.target_networks = nn.ModuleDict({name: deepcopy(networks[name]) for name in followed})
        self.target_networks.requires_grad_(False)
        self._normalised = [*normalised]
        self.rates = {"learning_rate": settings.learning_rate}
        self.discounts = (settings.discount, _GAE_LAMBDA)
        self.steps = 0
        self._updates = self.gradient_steps = 0

    @abstractmethod
    def kept_actions(self, actions: np.ndarray) -> np.ndarray:
        """Actions (T, N, ...) of the environment, in its dtype, as the networks know them, (T, N, k)."""

    @abstractmethod
    def state_values(self, observations: Tensors) -> torch.Tensor:
        """Values float32 (n,) of states (n, ...) by name."""

    def set_learning_rate(self, rate: float) -> None:
        """Let the optimisers take steps of this size from now on."""
        for optimizer in self.optimizers.values():
            for group in optimizer.param_groups:
                group["lr"] = rate

    @abstractmethod
    def learn(self, batch: Transitions) -> dict[str, float]:
        """Take one gradient step on a minibatch; returns measures of it."""

    def rewarded(self, rollout: Rollout) -> Rollout:
        """The rollout with the rewards that are learned from: the environment's."""
        return rollout

    def update(self, rollout: Rollout) -> dict[str, float]:
        """Keep the rollout, and take the gradient steps that are due."""
        for part in self._normalised:
            part.update_normaliser({name: array.flatten(0, 1) for name, array in rollout.observations.items()})
        self.replay.extend(self.rewarded(rollout), self.kept_actions(rollout.actions.cpu().numpy()))
        before, self.steps = self.steps, self.steps + rollout.num_steps
        self._count("environment steps", before, self.steps)
        due = self.settings.due(before, self.steps)
        if not due or not len(self.replay):
            return {}
        self.set_learning_rate(self.rates["learning_rate"] * self.settings.remaining_rate(self.steps))
        with torch_seeded_from(self.rng, self.device):
            measures = self.train(due)
        self._updates += 1
        self._count("updates", self._updates - 1, self._updates)
        return measures

    def train(self, steps: int) -> dict[str, float]:
        """Take so many gradient steps; returns the means of their measures."""
        measures: list[dict[str, float]] = []
        while missing := steps - len(measures):
            measures += self.learn_in_turn(self.replay.sample(min(missing, _DRAWN_TOGETHER) * self.settings.batch_size))
        names = dict.fromkeys(name for measure in measures for name in measure)  # some are not of every step
        return {name: float(np.mean([one[name] for one in measures if name in one])) for name in names}

    def learn_in_turn(self, batches: Transitions) -> list[dict[str, float]]:
        """A gradient step on each of the minibatches that lie behind each other; returns the measures of each."""
        measures = []
        for first in range(0, len(batches), self.settings.batch_size):
            measures.append(self.learn(batches.part(first, self.settings.batch_size)))
            self.gradient_steps += 1
            self._count("gradient steps", self.gradient_steps - 1, self.gradient_steps)
        return measures

    @torch.inference_mode()
    def values(self, observations: Tensors) -> np.ndarray:
        """Values float32 (N,) of first observations."""
        return self.state_values(observations).cpu().numpy()

    def advantages(self, rollout: Rollout) -> np.ndarray:
        """Generalised advantages float32 (T, N), with a decay of 0.95."""
        values = rollout.aux["values"].cpu().numpy()
        last, cut = self.values(rollout.last_observations), self.values(rollout.cut_observations)
        rewarded = self.rewarded(rollout)
        rewarded = replace(rewarded, rewards=rewarded.rewards + np.float32(self.settings.reward_offset))
        return rollout_advantages(rewarded, values, last, cut, *self.discounts)

    def network_arrays(self) -> Arrays:
        """The weights, in their shapes and dtypes, of what is learned and of the target networks."""
        parts = {"networks": self.networks, "targets": self.target_networks}
        return {f"{part}.{name}": a for part, module in parts.items() for name, a in network_arrays(module).items()}

    def load_networks(self, arrays: Arrays) -> None:
        """Take the weights that :meth:`network_arrays` returned."""
        for part, module in (("networks", self.networks), ("targets", self.target_networks)):
            module.load_state_dict({name: torch.as_tensor(array) for name, array in below(arrays, part).items()})

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Networks, optimisers, the replay, counts and the generator: arrays (any shape and dtype) and values."""
        arrays, places = self.replay.state()
        arrays = {f"replay.{name}": array for name, array in arrays.items()}
        arrays |= self.network_arrays()
        for owner, optimizer in self.optimizers.items():
            arrays |= {f"optimizers.{owner}.{name}": array for name, array in optimizer_arrays(optimizer).items()}
        counts = [self.steps, self._updates, self.gradient_steps]
        return arrays, {"replay": places, "counts": counts, "rng": self.rng.bit_generator.state}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        self.replay.restore(below(arrays, "replay"), values["replay"])
        self.load_networks(arrays)
        for owner, optimizer in self.optimizers.items():
            restore_optimizer(optimizer, below(arrays, f"optimizers.{owner}"))
        self.steps, self._updates, self.gradient_steps = values["counts"]
        self.rng.bit_generator.state = values["rng"]

    @torch.no_grad()
    def _count(self, unit: str, before: int, after: int) -> None:
        """Update the target networks if their period has passed; running statistics are copied."""
        due = self.settings.target_updates
        if unit != due.unit or before // due.period == after // due.period:
            return
        weights, statistics = self._followed
        for own, other in weights:
            other.lerp_(own, due.share)
        for seen, kept in statistics:
            kept.copy_(seen)

    @cached_property
    def _followed(self) -> list[list[tuple[torch.Tensor, torch.Tensor]]]:
        """Weights and running statistics beside those that follow them; to list them takes longer than to follow."""
        pairs = [(self.networks[name], target) for name, target in self.target_networks.items()]
        kinds = nn.Module.parameters, nn.Module.buffers
        return [[two for pair in pairs for two in zip(*map(kind, pair), strict=True)] for kind in kinds]
