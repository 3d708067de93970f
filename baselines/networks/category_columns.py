"""Categories without their zeros: a dense layer's sum over the few columns that are one.

A layer over zeros and ones multiplies mostly by zero: of GridWorld's 374 inputs 122 are not zero, of
CompositionalMiniGrid's 1,349 no more than 163. To add up the columns of the ones takes a third of the time, forwards
and backwards, and gives the same sums but for rounding.
"""

from collections.abc import Mapping

import torch
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.networks.parts import Categories, Part, laid_flat
from procgen_bench.baselines.networks.row_sums import row_sums

#: Of two values, multiplying by the zeros is as fast.
_FEWEST_VALUES = 3


class CategoryColumns:
    """Which columns of a layer over an encoder's features are ones.

    Args:
        parts: The parts whose features stand first among the encoder's, in their order.
        features: Number of all features, F.

    Attributes:
        names: The leaves whose categories are read here.
        rest: int64 (R,), the columns of all other features.
    """

    def __init__(self, parts: Mapping[str, Part], features: int):
        self._bases: dict[str, int] = {}
        self._parts: dict[str, Categories] = {}
        rest: list[int] = []
        place = 0
        for name, part in parts.items():
            ones = 0
            if isinstance(part, Categories) and len(part.values) >= _FEWEST_VALUES:
                self._bases[name], self._parts[name] = place, part
                ones = part.num_ones
            rest += range(place + ones, place + part.features)
            place += part.features
        self.names = tuple(self._parts)
        self.rest = torch.tensor([*rest, *range(place, features)], dtype=torch.int64)
        self._nothing = features

    def indices(self, observations: Tensors) -> torch.Tensor:
        """The columns that are one, int32 (n, K), F for an entry whose value is no category."""
        return torch.cat([self._indices(name, laid_flat(observations[name])) for name in self.names], dim=1)

    def layer(self, linear: nn.Linear, indices: torch.Tensor, rest: torch.Tensor) -> torch.Tensor:
        """What ``linear`` makes of all features, by the columns that are one and the others' numbers (n, R)."""
        dense = functional.linear(rest, linear.weight[:, self.rest], linear.bias)
        return dense + row_sums(indices, linear.weight.t())

    def _indices(self, name: str, values: torch.Tensor) -> torch.Tensor:
        part, count = self._parts[name], len(self._parts[name].values)
        places = values - part.least
        whole = places.to(torch.int32)
        columns = torch.arange(values.shape[1], dtype=torch.int32) * count + self._bases[name] + whole
        known = (whole == places) & (whole >= 0) & (whole < count)
        return columns.where(known, torch.tensor(self._nothing, dtype=torch.int32))
