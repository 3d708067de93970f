"""Encoder: a network from an environment's observations to features, and the arrays that it is for."""

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

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
        TypeError: It is no flat ``Dict`` of arrays.
    """
    leaves = dict(space.items()) if isinstance(space, spaces.Dict) else {}
    arrays = {name: leaf for name, leaf in leaves.items() if isinstance(leaf, spaces.Box)}
    if not arrays or len(arrays) < len(leaves):
        raise TypeError(f"observations are of the space {space}, expected a flat Dict of arrays")
    return arrays


def tensors_of(observations: dict[str, np.ndarray]) -> Tensors:
    """Observations as tensors."""
    return {name: torch.as_tensor(array) for name, array in observations.items()}
