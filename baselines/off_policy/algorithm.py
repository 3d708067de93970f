"""What DDPG and DQN share here: one update phase after every horizon, and behaviour that is drawn per row."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.type_aliases import DictReplayBufferSamples, RolloutReturn
from stable_baselines3.common.utils import polyak_update
from torch import nn

from procgen_bench.baselines.off_policy.replay import EpisodeReplay
from procgen_bench.baselines.sb3.resumable import Resumable

Observations = dict[str, torch.Tensor]
#: Observations, actions and targets of a minibatch.
Minibatch = tuple[Observations, torch.Tensor, torch.Tensor]
_EPISODES_BETWEEN_LOGS = 2_000


class OffPolicyLearner(Resumable, OffPolicyAlgorithm):
    """Mixed into a stable-baselines3 algorithm with target networks.

    Args:
        policy: The algorithm's.
        rng: What behaviour and replay draw from.
        epsilon: Chance, for each row and step, of a uniformly random action.
        steps_per_action: Steps of the environment, as it is scored, that an action lasts.
        replay_buffer_kwargs: The replay's; it is given ``rng`` too.
        **keywords: The algorithm's. ``tau`` is what the target networks take over after each phase of updates.
    """

    replay_buffer: EpisodeReplay

    def __init__(
        self,
        policy,
        *,
        rng: np.random.Generator,
        epsilon: float,
        replay_buffer_kwargs: dict[str, Any],
        steps_per_action: int = 1,
        **keywords,
    ):
        self.rng, self.epsilon, self._steps_per_action = rng, epsilon, steps_per_action
        super().__init__(policy, replay_buffer_kwargs={"rng": rng, **replay_buffer_kwargs}, **keywords)

    def next_values(self, observations: Observations) -> torch.Tensor:
        """The target networks' values (n, 1)."""
        raise NotImplementedError

    def update(self, observations: Observations, actions: torch.Tensor, targets: torch.Tensor) -> dict[str, float]:
        """One gradient step towards targets (n, 1); returns the losses by name."""
        raise NotImplementedError

    def targets(self) -> list[tuple[nn.Module, nn.Module]]:
        """Each network with its target network."""
        raise NotImplementedError

    def train(self, gradient_steps: int, batch_size: int = 64) -> None:
        """One phase of updates. The target networks rest until its end, so all minibatches are drawn together."""
        self.policy.set_training_mode(True)
        drawn = self.replay_buffer.sample(gradient_steps * batch_size)
        losses = [self.update(*batch) for batch in self._minibatches(drawn, batch_size)]
        for network, target in self.targets():
            polyak_update(network.parameters(), target.parameters(), self.tau)
        self._n_updates += gradient_steps
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        for name in losses[0]:
            self.logger.record(f"train/{name}", float(np.mean([loss[name] for loss in losses])))

    def collect_rollouts(self, *arguments, **keywords) -> RolloutReturn:
        """The algorithm's, which counts actions, with the steps counted that they last."""
        rollout = super().collect_rollouts(*arguments, **keywords)
        self.num_timesteps += rollout.episode_timesteps * (self._steps_per_action - 1)
        return rollout

    def learn(self, *arguments, **keywords):
        """The algorithm's, with a log that is not written after every few episodes."""
        return super().learn(*arguments, log_interval=_EPISODES_BETWEEN_LOGS, **keywords)

    def own_state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """The generator's state."""
        return {}, {"rng": self.rng.bit_generator.state}

    def restore_own_state(self, arrays: dict[str, np.ndarray], values: dict[str, Any]) -> None:
        """Continue from what :meth:`own_state` returned."""
        self.rng.bit_generator.state = values["rng"]

    def _minibatches(self, drawn: DictReplayBufferSamples, batch_size: int) -> Iterator[Minibatch]:
        for start in range(0, len(drawn.rewards), batch_size):
            rows = slice(start, start + batch_size)
            with torch.no_grad():
                following = self.next_values({name: array[rows] for name, array in drawn.next_observations.items()})
                targets = drawn.rewards[rows] + (1 - drawn.dones[rows]) * self.gamma * following
            observations = {name: tensor[rows] for name, tensor in drawn.observations.items()}
            yield observations, drawn.actions[rows], targets

    def _random_rows(self, count: int) -> np.ndarray:
        """bool (count,): the rows that act at random."""
        return self.rng.random(count) < self.epsilon

    def _on_step(self) -> None:
        """Nothing: the target networks move in :meth:`train`, and epsilon stays."""
