"""ValuePolicy: what Q-learning leaves, ready to play."""

from types import MappingProxyType

import gymnasium
import torch
from torch import nn

from procgen_bench.baselines.parts.modality_encoder import ModalityEncoder
from procgen_bench.baselines.policies.arrays import named_space
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.baselines.sb3.flat_choices import FlatChoices
from procgen_bench.baselines.sb3.space_features import SpaceFeatures, dense_layers

#: Chance of a random action, where the policy explores.
_EPSILON = 0.05


class ValuePolicy(WeightedPolicy):
    """Takes the action of the greatest value; exploring, a random one in one of twenty steps.

    Args:
        environment_id: What it plays.
        stochastic: Whether it explores.
        width: Numbers in each dense layer.
        layers: Dense layers.
        network: A person's own, ``module:Class``; see :class:`.OwnEncoder`.
    """

    network: nn.ModuleDict
    size_limits = MappingProxyType({"width": 4_096, "layers": 16})
    takes_network = True

    def __init__(self, environment_id: str, stochastic: bool, width: int = 128, layers: int = 2, network: str = ""):
        with gymnasium.make(environment_id) as env:
            self.choices = FlatChoices(env.action_space)
            features = SpaceFeatures(named_space(env.observation_space), network, ModalityEncoder)
        head = dense_layers(features.features_dim, self.choices.count, width, layers)
        super().__init__(nn.ModuleDict({"features": features, "head": head}), stochastic, noise_width=2)

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions of the action space's type; there is no state."""
        chosen = self.network["head"](self.network["features"](observations)).argmax(dim=1)
        if self.stochastic:
            drawn = (noise[:, 1] * self.choices.count).long().clamp(max=self.choices.count - 1)
            chosen = torch.where(noise[:, 0] < _EPSILON, drawn, chosen)
        return self.choices.actions(chosen), {}
