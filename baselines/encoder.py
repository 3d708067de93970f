"""Encoder: a network from an environment's observations to features, and the arrays that it is for."""

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.named_observations import named_space

Tensors = dict[str, torch.Tensor]


class Encoder(nn.Module):
    """A network from a dict of tensors (n, ...) to features.

    Attributes:
        features: Number of features.
    """

    features: int


def array_leaves(space: spaces.Space) -> dict[str, spaces.Box]:
    """The leaves of an observation space by name, in its order.

    Raises:
        UnreadableObservationsError: A part of it is no array.
    """
    return {name: leaf for name, leaf in named_space(space).items() if isinstance(leaf, spaces.Box)}


def tensors_of(observations: dict[str, np.ndarray]) -> Tensors:
    """Observations as tensors."""
    return {name: torch.as_tensor(array) for name, array in observations.items()}


def rows_of(tensors: Tensors, rows: torch.Tensor) -> Tensors:
    """Rows, int64 (n,), of tensors (N, ...): pictures are copied as wholes, which brackets do byte by byte."""
    return {name: tensor.index_select(0, rows) for name, tensor in tensors.items()}
