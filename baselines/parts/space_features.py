"""SpaceFeatures: an observation space as features, and the dense layers behind them."""

from itertools import pairwise

import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.parts.encoders import OwnEncoder, SpaceEncoder
from procgen_bench.baselines.policies.tensors import Tensors


class SpaceFeatures(nn.Module):
    """What reads observations: a network of the user's own, if one is named.

    It can be stable-baselines3's ``features_extractor_class``.

    Args:
        observation_space: Of one row.
        network: ``module:Class``; empty: none.
        otherwise: The network's type if none is named.

    Attributes:
        features_dim: Number of features.
    """

    def __init__(self, observation_space: spaces.Space, network: str = "", otherwise: type = SpaceEncoder):
        super().__init__()
        self.observation_space = observation_space
        self.encoder = OwnEncoder(observation_space, network) if network else otherwise(observation_space)
        self.features_dim: int = self.encoder.features

    def forward(self, observations: Tensors) -> torch.Tensor:
        """By name (n, ...) of any dtype -> float32 (n, features)."""
        return self.encoder(observations)[0]


def dense_layers(inputs: int, outputs: int, width: int, layers: int) -> nn.Sequential:
    """Layers of ``width`` with a ReLU each, and a linear one where ``outputs`` are more than 0."""
    sizes = [inputs, *[width] * layers]
    hidden = [module for given, size in pairwise(sizes) for module in (nn.Linear(given, size), nn.ReLU())]
    return nn.Sequential(*hidden, *([nn.Linear(sizes[-1], outputs)] if outputs else []))


def normalising(network: nn.Module) -> list[OwnEncoder | SpaceEncoder]:
    """The encoders in a network that keep running statistics of what they are given."""
    readers = [module for module in network.modules() if isinstance(module, SpaceFeatures)]
    return [reader.encoder for reader in readers if reader.encoder.normalises]
