"""DeterministicActorCritic: the actor mu(s, g) and the critic Q(s, g, a), and a target network of each."""

import copy

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.policies import BasePolicy
from torch import nn

from procgen_bench.baselines.encoder import Tensors, array_leaves, tensors_of
from procgen_bench.baselines.episodic.actor_critic import make_actor
from procgen_bench.baselines.episodic.networks import VectorEncoder


class Actor(nn.Sequential):
    """A network with its optimiser."""

    optimizer: torch.optim.Optimizer


def make_deterministic_actor(observation_space: spaces.Space, action_space: spaces.Box) -> Actor:
    """Observations (n, ...) by name -> actions (n, k), scaled so that their range is [-1, 1]."""
    return Actor(*make_actor(observation_space, int(np.prod(action_space.shape))), nn.Tanh())


class Critic(nn.Module):
    """Values of actions, which enter the first layer, as in the published source."""

    optimizer: torch.optim.Optimizer

    def __init__(self, observation_space: spaces.Space, action_space: spaces.Box):
        super().__init__()
        shown = array_leaves(observation_space)
        leaves = {name: shown[name] for name in ("observation", "desired_goal")}
        self.encoder = VectorEncoder(leaves | {"action": spaces.Box(-1, 1, action_space.shape)})
        self.head = nn.Linear(self.encoder.features, 1)

    def forward(self, observations: Tensors, actions: torch.Tensor) -> torch.Tensor:
        """Observations (n, ...) by name and scaled actions (n, k) -> values (n, 1)."""
        return self.head(self.encoder(observations | {"action": actions}))


class DeterministicActorCritic(BasePolicy):
    """As stable-baselines3's DDPG expects it: every network has its optimiser, actions are scaled to [-1, 1].

    Args:
        observation_space: A goal environment's, whose goals are vectors.
        action_space: A bounded vector.
        lr_schedule: Learning rate by the share of training that is left.
        n_critics: stable-baselines3's; DDPG has one.
    """

    def __init__(self, observation_space: spaces.Space, action_space: spaces.Box, lr_schedule, n_critics: int = 1):
        super().__init__(observation_space, action_space, squash_output=True)
        if n_critics != 1:
            raise ValueError(f"n_critics is {n_critics}, expected 1")
        self.actor = make_deterministic_actor(observation_space, action_space)
        self.critic = Critic(observation_space, action_space)
        self.actor_target, self.critic_target = copy.deepcopy(self.actor), copy.deepcopy(self.critic)
        self.actor.optimizer = torch.optim.Adam(self.actor.parameters(), lr=lr_schedule(1), fused=True)
        self.critic.optimizer = torch.optim.Adam(self.critic.parameters(), lr=lr_schedule(1), fused=True)

    @torch.inference_mode()
    def act(self, observations: dict[str, np.ndarray]) -> np.ndarray:
        """The actor's actions float32 (n, k), scaled to [-1, 1]."""
        return self.actor(tensors_of(observations)).numpy()

    def forward(self, observations: Tensors, deterministic: bool = True) -> torch.Tensor:
        """The actor's actions (n, k), scaled to [-1, 1]."""
        return self.actor(observations)

    def set_training_mode(self, mode: bool) -> None:
        """No layer tells training from playing."""
        self.training = mode

    def _predict(self, observation, deterministic: bool = True) -> torch.Tensor:
        return self(observation)
