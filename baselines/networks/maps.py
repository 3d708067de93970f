"""Maps of small integers: leaves of one height and width are seen as one picture, cell upon cell."""

from collections.abc import Mapping

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.networks.parts import Part, are_categories, category_values

#: Maps of more cells are read by convolutions; on smaller ones a dense layer is as good and faster.
_MOST_DENSE_CELLS = 100


def map_groups(leaves: Mapping[str, spaces.Box]) -> dict[str, dict[str, spaces.Box]]:
    """The maps among the leaves of an observation space, by their height and width.

    A map is an array (H, W) or (H, W, D) of categories with more than 100 cells.
    """
    groups: dict[str, dict[str, spaces.Box]] = {}
    for name, leaf in leaves.items():
        if len(leaf.shape) > 1 and np.prod(leaf.shape[:2]) > _MOST_DENSE_CELLS and are_categories(leaf):
            groups.setdefault(f"{leaf.shape[0]}x{leaf.shape[1]}", {})[name] = leaf
    return groups


class CategoryMaps(Part):
    """Maps of one height and width: a channel per value, two convolutions of 3 x 3, a dense layer.

    What is wanted at a cell lies upon what is there, so that a small filter sees both.

    Args:
        leaves: The maps by name.
        channels: Of each convolution.
        features: Numbers that come out.
    """

    def __init__(self, leaves: Mapping[str, spaces.Box], channels: int = 32, features: int = 128):
        super().__init__()
        depth = 0
        for name, leaf in leaves.items():
            values = category_values(leaf)
            # One channel tells two values apart.
            values = values[1:] if len(values) == 2 else values
            self.register_buffer(f"values_{name}", values, persistent=False)
            depth += (*leaf.shape, 1)[2] * len(values)
        self._names = tuple(leaves)
        height, width = next(iter(leaves.values())).shape[:2]
        self.convolutions = nn.Sequential(
            nn.Conv2d(depth, channels, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, kernel_size=3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        flat = channels * -(-height // 2) * -(-width // 2)
        self.dense = nn.Sequential(nn.Linear(flat, features), nn.ReLU())
        self.features = features

    def forward(self, observations: Tensors) -> torch.Tensor:
        """By name (n, H, W) or (n, H, W, D) -> (n, features)."""
        channels = [self._channels(name, observations[name]) for name in self._names]
        return self.dense(self.convolutions(torch.cat(channels, dim=3).permute(0, 3, 1, 2)))

    def _channels(self, name: str, values: torch.Tensor) -> torch.Tensor:
        """(n, H, W) or (n, H, W, D) -> zeros and ones (n, H, W, channels)."""
        deep = values[..., None] if values.dim() == 3 else values
        return (deep[..., None] == self.get_buffer(f"values_{name}")).float().flatten(3)
