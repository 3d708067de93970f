"""DenseEncoder: the encoder of observations that bonuses use."""

import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.parts.encoders import SpaceEncoder
from procgen_bench.baselines.policies.tensors import Encoder, Tensors


class DenseEncoder(Encoder):
    """The parts for all leaves (see :class:`.SpaceEncoder`), and one dense layer with a ReLU.

    Args:
        space: Of the observations.
        width: Number of features.
    """

    def __init__(self, space: spaces.Space, width: int):
        super().__init__()
        self.parts, self.features = SpaceEncoder(space), width
        self.dense = nn.Linear(self.parts.features, width)

    def forward(self, observations: Tensors) -> torch.Tensor:
        """Observations by name (n, ...) -> float32 (n, ``width``)."""
        prepared = self.parts.prepare_briefly(observations, ones=True)
        return functional.relu(self.parts.read_into(self.dense, prepared)[0])
