"""GoalDDPG: deterministic policy gradients (Lillicrap et al., 2016) with table 2's behaviour and price on actions."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.off_policy.deterministic_networks import Critic, make_deterministic_actor
from procgen_bench.baselines.off_policy.learner import GoalLearner
from procgen_bench.baselines.policies.arrays import Arrays, network_arrays
from procgen_bench.baselines.policies.tensors import Tensors


class GoalDDPG(GoalLearner):
    """Learns vector goals with bounded actions, which its networks know scaled to [-1, 1].

    Args:
        observation_space: See :class:`.GoalLearner`.
        action_space: Of one row: a bounded vector.
        *arguments: See :class:`.GoalLearner`.
        noise: Standard deviation of the Gaussian behaviour noise, for scaled actions.
        action_l2: Weight, in the actor's loss, of the mean square of the environment's actions, measured from the
            middle of their range.
    """

    def __init__(
        self,
        observation_space: spaces.Space,
        action_space: spaces.Box,
        *arguments: Any,
        noise: float,
        action_l2: float,
    ):
        self.noise, self.action_l2 = noise, action_l2
        self._low, self._high = action_space.low, action_space.high
        self._reach = torch.as_tensor((self._high - self._low) / 2, device=arguments[0].device)
        self.actor = make_deterministic_actor(observation_space, action_space)
        self.critic = Critic(observation_space, action_space)
        networks = nn.ModuleDict({"actor": self.actor, "critic": self.critic})
        super().__init__(networks, observation_space, action_space, *arguments)

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """The actor's actions with noise, or some at random, and the states' ``"values"``."""
        best = self.actor(observations)
        chosen = best.cpu().numpy()
        noisy = np.clip(chosen + self.rng.normal(0, self.noise, chosen.shape), -1, 1)
        uniform = self.rng.uniform(-1, 1, chosen.shape)
        scaled = np.where(self.random_rows(len(chosen))[:, np.newaxis], uniform, noisy).astype(np.float32)
        actions = np.clip(self._low + (scaled + 1) / 2 * (self._high - self._low), self._low, self._high)
        return torch.as_tensor(actions, device=self.device), {"values": self.critic(observations, best)[:, 0]}, memory

    def kept_actions(self, actions: np.ndarray) -> np.ndarray:
        """Scaled actions."""
        return 2 * (actions - self._low) / (self._high - self._low) - 1

    def state_values(self, observations: Tensors) -> torch.Tensor:
        """The critic's values of the actor's actions."""
        return self.critic(observations, self.actor(observations))[:, 0]

    def next_values(self, observations: Tensors) -> torch.Tensor:
        """The target critic's values (n, 1) of the target actor's actions."""
        return self.target_networks["critic"](observations, self.target_networks["actor"](observations))

    def learn(self, observations: Tensors, actions: torch.Tensor, targets: torch.Tensor) -> dict[str, float]:
        """One gradient step of the critic, then one of the actor."""
        values = self.critic(observations, actions)
        critic_loss = functional.mse_loss(values, targets)
        self.optimizers["critic"].zero_grad()
        critic_loss.backward()
        self.optimizers["critic"].step()
        chosen = self.actor(observations)
        squared_action = (self._reach * chosen).square().mean()
        actor_loss = self.action_l2 * squared_action - self.critic(observations, chosen).mean()
        self.optimizers["actor"].zero_grad()
        actor_loss.backward(inputs=list(self.actor.parameters()))  # the critic's gradients would cost as much again
        self.optimizers["actor"].step()
        return {
            "critic_loss": critic_loss.item(),
            "actor_loss": actor_loss.item(),
            "value": values.mean().item(),
            "squared_action": squared_action.item(),
        }

    def policy_weights(self) -> Arrays:
        """The actor's weights."""
        return network_arrays(self.actor)
