"""The networks of deterministic policy gradients: the actor mu(s, g) and the critic Q(s, g, a)."""

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.parts.goal_networks import Actor, VectorEncoder
from procgen_bench.baselines.policies.tensors import Tensors, array_leaves

#: Factor of the actor's outputs before tanh: the published source's. Actions begin, and long stay, near the middle.
OUTPUT_SCALE = 0.005


def make_deterministic_actor(observation_space: spaces.Space, action_space: spaces.Box) -> nn.Sequential:
    """Observations (n, ...) by name -> actions (n, k), scaled so that their range is [-1, 1]."""
    return nn.Sequential(*Actor(observation_space, int(np.prod(action_space.shape))), _ScaledTanh())


class _ScaledTanh(nn.Module):
    def forward(self, outputs: torch.Tensor) -> torch.Tensor:
        return torch.tanh(OUTPUT_SCALE * outputs)


class Critic(nn.Module):
    """Values of actions, which enter the first layer, as in the published source."""

    def __init__(self, observation_space: spaces.Space, action_space: spaces.Box):
        super().__init__()
        shown = array_leaves(observation_space)
        leaves = {name: shown[name] for name in ("observation", "desired_goal")}
        self.encoder = VectorEncoder(leaves | {"action": spaces.Box(-1, 1, action_space.shape)})
        self.head = nn.Linear(self.encoder.features, 1)

    def forward(self, observations: Tensors, actions: torch.Tensor) -> torch.Tensor:
        """Observations (n, ...) by name and scaled actions (n, k) -> values (n, 1)."""
        return self.head(self.encoder(observations | {"action": actions}))
