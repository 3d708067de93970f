"""ViewNetwork: what an agent sees of a grid, through one small convolution."""

from typing import cast

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.parts.encoders import SpaceEncoder
from procgen_bench.baselines.parts.entities import ModulesByName
from procgen_bench.baselines.parts.observation_parts import Categories, are_categories
from procgen_bench.baselines.policies.tensors import Tensors, array_leaves
from procgen_bench.core.errors import InvalidOptionError

#: Filters of the convolution, and their side.
FILTERS, SIDE = 16, 3


class ViewNetwork(nn.Module):
    """Pictures of categories through 16 filters of 3 x 3, with a ReLU; all else as a :class:`.SpaceEncoder` reads it.

    Papers that train agents in mazes under curricula read a view of 5 x 5 tiles so, robust PLR among them (Jiang et
    al., 2021); their memory comes next, without a dense layer between. They are given the categories as numbers; here
    each has a channel of its own.

    Args:
        space: A flat ``Dict`` of arrays.

    Attributes:
        features: Numbers that come out.
        rest: What reads all else; ``None``: there is nothing else.

    Raises:
        InvalidOptionError: There is no picture of categories.
    """

    def __init__(self, space: spaces.Space):
        super().__init__()
        leaves = array_leaves(space)
        pictures = {name: leaf for name, leaf in leaves.items() if _is_picture(leaf)}
        if not pictures:
            raise InvalidOptionError(
                f"network is 'view', expected '' or module:Class: none of the observations {', '.join(leaves)} is an "
                f"array of categories of {SIDE} x {SIDE} cells or more"
            )
        self._pictures = ModulesByName({name: ViewReader(leaf) for name, leaf in pictures.items()})
        others: dict[str, spaces.Space] = {name: leaf for name, leaf in leaves.items() if name not in pictures}
        self.rest = SpaceEncoder(spaces.Dict(others)) if others else None
        self.features = sum(reader.features for reader in self.pictures.values())
        self.features += self.rest.features if self.rest else 0

    @property
    def pictures(self) -> "dict[str, ViewReader]":
        """What reads the pictures, by their names."""
        return {name: cast(ViewReader, reader) for name, reader in self._pictures.items()}

    def forward(self, observations: Tensors) -> torch.Tensor:
        """By name (n, ...) of any dtype -> float32 (n, features)."""
        read = [reader(observations[name]) for name, reader in self.pictures.items()]
        if self.rest is not None:
            read.append(self.rest(observations)[0])
        return torch.cat(read, dim=1)

    def update_normaliser(self, observations: Tensors) -> None:
        """Let observations (n, ...) count in what normalises them."""
        if self.rest is not None:
            self.rest.update_normaliser(observations)


class ViewReader(nn.Module):
    """A picture (n, H, W) or (n, H, W, D) of categories -> (n, features), cell by cell of the convolution's result.

    The weights begin as those of dense layers do.
    """

    def __init__(self, leaf: spaces.Box):
        super().__init__()
        self.part, self.sides = Categories(leaf, scaled=False), leaf.shape[:2]
        self.convolution = nn.Conv2d(self.part.features // int(np.prod(self.sides)), FILTERS, SIDE)
        nn.init.orthogonal_(self.convolution.weight, np.sqrt(2))
        nn.init.zeros_(cast(torch.Tensor, self.convolution.bias))
        self.features = FILTERS * int(np.prod([side - SIDE + 1 for side in self.sides]))

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Of any dtype -> float32 (n, features)."""
        ones = self.part(values).unflatten(1, (*self.sides, -1)).permute(0, 3, 1, 2)
        return torch.relu(self.convolution(ones)).permute(0, 2, 3, 1).flatten(1)


def _is_picture(leaf: spaces.Box) -> bool:
    return len(leaf.shape) in (2, 3) and min(leaf.shape[:2]) >= SIDE and are_categories(leaf)
