"""GoalDDPG: stable-baselines3's DDPG with table 2's behaviour and its price on large actions."""

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3 import DDPG
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.off_policy.algorithm import Observations, OffPolicyLearner
from procgen_bench.baselines.off_policy.deterministic_actor_critic import DeterministicActorCritic


class GoalDDPG(OffPolicyLearner, DDPG):
    """DDPG over a goal environment with vector goals and bounded actions.

    Args:
        noise: Standard deviation of the Gaussian behaviour noise, for actions scaled to [-1, 1].
        action_l2: Weight, in the actor's loss, of the mean square of its actions, scaled to [-1, 1].
        **keywords: :class:`OffPolicyLearner`'s.
    """

    policy: DeterministicActorCritic  # type: ignore[assignment]  # it has what DDPG calls of a TD3Policy
    action_space: spaces.Box

    def __init__(self, *, noise: float, action_l2: float, **keywords):
        self.noise, self.action_l2 = noise, action_l2
        super().__init__(DeterministicActorCritic, **keywords)

    def policy_weights(self) -> dict[str, np.ndarray]:
        """The actor's weights."""
        return {name: tensor.numpy().copy() for name, tensor in self.actor.state_dict().items()}

    def next_values(self, observations: Observations) -> torch.Tensor:
        """The target critic's values (n, 1) of the target actor's actions."""
        return self.critic_target(observations, self.actor_target(observations))

    def update(self, observations: Observations, actions: torch.Tensor, targets: torch.Tensor) -> dict[str, float]:
        """One gradient step of the critic, then one of the actor."""
        values = self.critic(observations, actions)
        critic_loss = functional.mse_loss(values, targets)
        self.critic.optimizer.zero_grad()
        critic_loss.backward()
        self.critic.optimizer.step()
        chosen = self.actor(observations)
        actor_loss = self.action_l2 * chosen.square().mean() - self.critic(observations, chosen).mean()
        self.actor.optimizer.zero_grad()
        actor_loss.backward(inputs=list(self.actor.parameters()))  # the critic's gradients would cost as much again
        self.actor.optimizer.step()
        return {
            "critic_loss": critic_loss.item(),
            "actor_loss": actor_loss.item(),
            "value": values.mean().item(),
            "squared_action": chosen.square().mean().item(),
        }

    def targets(self) -> list[tuple[nn.Module, nn.Module]]:
        """Actor and critic, each with its target network."""
        return [(self.actor, self.actor_target), (self.critic, self.critic_target)]

    def _sample_action(self, learning_starts: int, action_noise=None, n_envs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Actions in the environment's range, and the same scaled to [-1, 1], as the replay keeps them."""
        chosen = self.policy.act(self._last_obs)
        noisy = np.clip(chosen + self.rng.normal(0, self.noise, chosen.shape), -1, 1)
        uniform = self.rng.uniform(-1, 1, chosen.shape)
        scaled = np.where(self._random_rows(n_envs)[:, np.newaxis], uniform, noisy).astype(np.float32)
        low, high = self.action_space.low, self.action_space.high
        return np.clip(self.policy.unscale_action(scaled), low, high), scaled
