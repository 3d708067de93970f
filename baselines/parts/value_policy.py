"""ValuePolicy: what Q-learning leaves, ready to play."""

from types import MappingProxyType

import gymnasium
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.parts.flat_choices import FlatChoices
from procgen_bench.baselines.parts.modality_encoder import ModalityEncoder
from procgen_bench.baselines.parts.space_features import SpaceFeatures, dense_layers
from procgen_bench.baselines.policies.arrays import named_space
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.policies.weighted import WeightedPolicy

#: Chance of a random action, where the policy explores.
_EPSILON = 0.05


class ValueNetwork(nn.ModuleDict):
    """Observations by name (n, ...) -> values (n, actions), by ``"features"`` and a ``"head"``."""

    def forward(self, observations: Tensors) -> torch.Tensor:
        """By name (n, ...) of any dtype -> float32 (n, actions)."""
        return self["head"](self["features"](observations))


def value_network(
    observation_space: spaces.Dict, choices: FlatChoices, width: int, layers: int, network: str = ""
) -> ValueNetwork:
    """The network of Q-learning: APT-Gen's encoder, or the user's own, before dense layers."""
    features = SpaceFeatures(observation_space, network, ModalityEncoder)
    head = dense_layers(features.features_dim, choices.count, width, layers)
    return ValueNetwork({"features": features, "head": head})


class ValuePolicy(WeightedPolicy):
    """Takes the action of the greatest value; exploring, a random one in one of twenty steps.

    Args:
        environment_id: What it plays.
        stochastic: Whether it explores.
        width: Units in each dense layer.
        layers: Dense layers.
        network: A person's own, ``module:Class``; see :class:`.OwnEncoder`.
    """

    network: ValueNetwork
    size_limits = MappingProxyType({"width": 4_096, "layers": 16})
    takes_network = True

    def __init__(self, environment_id: str, stochastic: bool, width: int = 128, layers: int = 2, network: str = ""):
        with gymnasium.make(environment_id) as env:
            self.choices, space = FlatChoices(env.action_space), named_space(env.observation_space)
        super().__init__(value_network(space, self.choices, width, layers, network), stochastic, noise_width=2)

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions (n, ...) of the action space's dtype; there is no state."""
        chosen = self.network(observations).argmax(dim=1)
        if self.stochastic:
            drawn = (noise[:, 1] * self.choices.count).long().clamp(max=self.choices.count - 1)
            chosen = torch.where(noise[:, 0] < _EPSILON, drawn, chosen)
        return self.choices.actions(chosen), {}
