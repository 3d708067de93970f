"""SpaceFeatures: the networks' reading of an observation space, as stable-baselines3 takes it."""

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, create_mlp
from torch import nn

from procgen_bench.baselines.parts.encoders import OwnEncoder, SpaceEncoder
from procgen_bench.baselines.policies.tensors import Tensors


class SpaceFeatures(BaseFeaturesExtractor):
    """What reads observations: a network of a person's own, if one is named.

    Args:
        observation_space: Of one row.
        network: ``module:Class``; empty: none.
        otherwise: The network's type if none is named.
    """

    def __init__(self, observation_space: spaces.Space, network: str = "", otherwise: type = SpaceEncoder):
        encoder = OwnEncoder(observation_space, network) if network else otherwise(observation_space)
        super().__init__(observation_space, encoder.features)
        self.encoder = encoder

    def forward(self, observations: Tensors) -> torch.Tensor:
        """By name (n, ...) -> (n, features)."""
        return self.encoder(observations)[0]


def dense_layers(inputs: int, outputs: int, width: int, layers: int) -> nn.Sequential:
    """stable-baselines3's layers of ``width`` with a ReLU each, and a linear one where ``outputs`` are more than 0."""
    return nn.Sequential(*create_mlp(inputs, outputs or -1, [width] * layers))
