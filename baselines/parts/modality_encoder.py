"""ModalityEncoder: every leaf of an observation space through layers of its own (APT-Gen, B)."""

from typing import cast

import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.parts.entities import Entities, ModulesByName
from procgen_bench.baselines.parts.observation_parts import (
    Categories,
    NormalisedReals,
    Part,
    ScaledReals,
    are_categories,
    part_for,
)
from procgen_bench.baselines.policies.tensors import Encoder, Tensors, array_leaves

#: Units of a leaf's dense layer, and channels of its convolutions.
UNITS, CHANNELS = 64, 16
#: Arrays of categories with shorter sides are lists, not maps.
_LEAST_SIDE = 4


class ModalityEncoder(Encoder):
    """A dense layer of 64 units for every leaf; before it, in maps, two convolutions of 16 channels, 3 x 3, stride 2.

    Args:
        space: A flat ``Dict`` of arrays.
        categories: Whether whole numbers of few values are read as categories where they are no map, so that each has
            a meaning of its own; otherwise as the numbers that they are, so that neighbours are alike.
    """

    def __init__(self, space: spaces.Space, categories: bool = True):
        super().__init__()
        leaves = array_leaves(space)
        self.readers = ModulesByName({name: LeafReader(leaf, categories) for name, leaf in leaves.items()})
        self.features = UNITS * len(self.readers)

    def forward(self, observations: Tensors) -> tuple[torch.Tensor, Entities]:
        """By name (n, ...) -> float32 (n, features); it knows no entities."""
        return torch.cat([reader(observations[name]) for name, reader in self._named()], dim=1), {}

    def update_normaliser(self, observations: Tensors) -> None:
        """Let observations (n, ...) of any dtype count in what normalises those without bounds."""
        for name, reader in self._named():
            if isinstance(reader.part, NormalisedReals):
                reader.part.update_normaliser(observations[name])

    def _named(self) -> "list[tuple[str, LeafReader]]":
        return [(name, cast(LeafReader, reader)) for name, reader in self.readers.items()]

    @property
    def normalises(self) -> bool:
        """Whether :meth:`update_normaliser` changes anything."""
        return any(isinstance(reader.part, NormalisedReals) for _, reader in self._named())

    @property
    def is_compilable(self) -> bool:
        """Whether nothing is learned before the layers: words and pictures have networks of their own."""
        parts = [reader.part for _, reader in self._named()]
        return not any(parameter.requires_grad for part in parts for parameter in part.parameters())


class LeafReader(nn.Module):
    """One leaf (n, *shape) -> (n, 64)."""

    part: Part

    def __init__(self, leaf: spaces.Box, categories: bool = True):
        super().__init__()
        sides = leaf.shape[:2] if _is_map(leaf) else None
        self.part = Categories(leaf, scaled=False) if sides else part_for(leaf)
        if isinstance(self.part, Categories) and not sides and not categories:
            self.part = ScaledReals(leaf)
        self.layers = ModalityLayers(self.part.features, sides)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """(n, *shape) of any dtype -> float32 (n, 64)."""
        return self.layers(self.part(values))


class ModalityLayers(nn.Module):
    """Features (n, k) -> (n, 64).

    Args:
        width: k.
        sides: Height and width of a map, whose features are its cells' behind each other, row by row; ``None``: no map.
    """

    def __init__(self, width: int, sides: tuple[int, ...] | None):
        super().__init__()
        self.width, self.sides = width, sides
        self.convolutions = nn.ModuleList()
        if sides is not None:
            self._depth = width // int(np.prod(sides))
            self.convolutions.append(nn.Conv2d(self._depth, CHANNELS, 3, stride=2, padding=1))
            self.convolutions.append(nn.Conv2d(CHANNELS, CHANNELS, 3, stride=2, padding=1))
            width = CHANNELS * int(np.prod([-(-side // 4) for side in sides]))
        self.dense = nn.Linear(width, UNITS)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """float32 (n, k) -> float32 (n, 64)."""
        if self.sides is not None:
            features = features.reshape(-1, *self.sides, self._depth).permute(0, 3, 1, 2)
            for convolution in self.convolutions:
                features = functional.relu(convolution(features))
            features = features.permute(0, 2, 3, 1).flatten(1)
        return functional.relu(self.dense(features))


def _is_map(leaf: spaces.Box) -> bool:
    return len(leaf.shape) in (2, 3) and min(leaf.shape[:2]) >= _LEAST_SIDE and are_categories(leaf)
