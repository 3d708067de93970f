"""GoalLearner: what DDPG and DQN share here: one phase of updates after every rollout, from a replay with hindsight."""

from abc import abstractmethod
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.type_aliases import DictReplayBufferSamples
from stable_baselines3.common.utils import polyak_update
from torch import nn

from procgen_bench.baselines.learning.valued_learner import ValuedLearner
from procgen_bench.baselines.off_policy.configuration import OffPolicyConfiguration
from procgen_bench.baselines.parts.convolutions import multiply_in
from procgen_bench.baselines.policies.arrays import Arrays, below, network_arrays
from procgen_bench.baselines.policies.tensors import (
    Tensors,
    UncorrectedAdam,
    array_leaves,
    optimizer_arrays,
    restore_optimizer,
)
from procgen_bench.baselines.sb3.rollout_replay import Goals, RolloutReplay
from procgen_bench.baselines.training.rollouts import Rollout

#: Observations, actions and targets of a minibatch.
Minibatch = tuple[Tensors, torch.Tensor, torch.Tensor]


class GoalLearner(ValuedLearner):
    """Learns from what it achieved; some of its rows act at random in every step.

    Args:
        networks: What is learned, by name; each has an optimiser of its own and a target network.
        observation_space: Of one row: a goal environment's.
        action_space: Of one row.
        configuration: The method's settings.
        goals: Says what a goal earns.
        hindsight: See :class:`.RolloutReplay`.
        rng: What everything is drawn by, but for the networks' first weights.
    """

    def __init__(
        self,
        networks: nn.ModuleDict,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        configuration: OffPolicyConfiguration,
        goals: Goals,
        hindsight: int,
        rng: np.random.Generator,
    ):
        assert configuration.batch_size is not None  # the paper's figure is filled in
        self.configuration, self.goals, self.rng = configuration, goals, rng
        self.batch_size, self.device = configuration.batch_size, torch.device(configuration.device)
        self.networks = networks.to(self.device)
        multiply_in(configuration.precision, self.networks)
        self.target_networks = deepcopy(self.networks)
        self.optimizers = {
            name: UncorrectedAdam(network.parameters(), configuration.learning_rate, configuration.adam_epsilon)
            for name, network in self.networks.items()
        }
        self.replay = RolloutReplay(
            configuration.buffer_size,
            observation_space,
            action_space,
            self.device,
            n_envs=configuration.rollouts,
            rng=rng,
            hindsight=hindsight,
            goals=goals,
            # Goals that are arrays and no vectors are bits.
            as_bytes=len(array_leaves(observation_space)["desired_goal"].shape) > 1,
        )

    @abstractmethod
    def next_values(self, observations: Tensors) -> torch.Tensor:
        """The target networks' values (n, 1)."""

    @abstractmethod
    def learn(self, observations: Tensors, actions: torch.Tensor, targets: torch.Tensor) -> dict[str, float]:
        """One gradient step towards targets (n, 1); returns measures of it."""

    @abstractmethod
    def kept_actions(self, actions: np.ndarray) -> np.ndarray:
        """Actions (T, N, ...) of the environment as the networks know them, (T, N, k)."""

    def update(self, rollout: Rollout) -> dict[str, float]:
        """Keep the rollout, and go through one phase of updates."""
        self.replay.extend(self.rewarded(rollout), self.kept_actions(rollout.actions.cpu().numpy()))
        if not len(self.replay):
            return {}
        return self.learn_from(self.replay.sample(self.configuration.minibatches * self.batch_size))

    def learn_from(self, drawn: DictReplayBufferSamples) -> dict[str, float]:
        """One phase of updates. The target networks rest until its end, so all its minibatches are drawn together."""
        measures = [self.learn(*minibatch) for minibatch in self.minibatches(drawn)]
        renewed = 1 - self.configuration.polyak
        polyak_update(self.networks.parameters(), self.target_networks.parameters(), renewed)
        return {name: float(np.mean([measure[name] for measure in measures])) for name in measures[0]}

    def minibatches(self, drawn: DictReplayBufferSamples) -> Iterator[Minibatch]:
        """What was drawn, in parts, with what values should be."""
        for start in range(0, len(drawn.rewards), self.batch_size):
            part = slice(start, start + self.batch_size)
            with torch.no_grad():
                following = self.next_values({name: array[part] for name, array in drawn.next_observations.items()})
                targets = drawn.rewards[part] + (1 - drawn.dones[part]) * self.configuration.discount * following
            yield {name: array[part] for name, array in drawn.observations.items()}, drawn.actions[part], targets

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Networks, optimisers, the replay and the generator."""
        arrays, places = self.replay.state()
        arrays = {f"replay.{name}": array for name, array in arrays.items()}
        for part, module in (("networks", self.networks), ("targets", self.target_networks)):
            arrays |= {f"{part}.{name}": array for name, array in network_arrays(module).items()}
        for owner, optimizer in self.optimizers.items():
            arrays |= {f"optimizers.{owner}.{name}": array for name, array in optimizer_arrays(optimizer).items()}
        return arrays, {"replay": places, "rng": self.rng.bit_generator.state}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        self.replay.restore(below(arrays, "replay"), values["replay"])
        for part, module in (("networks", self.networks), ("targets", self.target_networks)):
            module.load_state_dict({name: torch.as_tensor(array) for name, array in below(arrays, part).items()})
        for owner, optimizer in self.optimizers.items():
            restore_optimizer(optimizer, below(arrays, f"optimizers.{owner}"))
        self.rng.bit_generator.state = values["rng"]

    def random_rows(self, count: int) -> np.ndarray:
        """bool (count,): the rows that act at random."""
        return self.rng.random(count) < self.configuration.epsilon
