"""Sums of rows of a table: what a layer makes of ones among zeros, and a bag of its words."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.parts.observation_parts import Categories, Part, laid_flat
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.core.compiled import njit


def row_sums(indices: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """Sums of rows of a table, on a processor: none of the rows is copied, forwards or backwards.

    Args:
        indices: (n, K), 0 to F; F stands for a row of zeros behind the table's.
        table: float32 (F, H).

    Returns:
        float32 (n, H).
    """
    return _RowSums.apply(indices.to(torch.int32), torch.cat([table, table.new_zeros(1, table.shape[1])]))


class _RowSums(torch.autograd.Function):
    @staticmethod
    def forward(ctx, indices: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        """Indices int32 (n, K) of rows of a table (F, H) -> sums (n, H)."""
        ctx.save_for_backward(indices)
        ctx.rows = len(table)
        return functional.embedding_bag(indices, table, mode="sum")

    @staticmethod
    def backward(ctx, gradient: torch.Tensor) -> tuple[None, torch.Tensor]:
        """Gradient (n, H) of the sums -> the table's."""
        (indices,) = ctx.saved_tensors
        table = np.zeros((ctx.rows, gradient.shape[1]), np.float32)
        add_to_rows(indices.numpy(), gradient.contiguous().numpy(), table)
        return None, torch.from_numpy(table)


@njit
def add_to_rows(indices: np.ndarray, vectors: np.ndarray, table: np.ndarray) -> None:
    """Add vector i to every row of ``table`` that ``indices[i]`` names, but the last, which stands for nothing.

    Args:
        indices: int32 (n, K).
        vectors: float32 (n, H).
        table: float32 (F, H).
    """
    nothing = table.shape[0] - 1
    for i in range(indices.shape[0]):
        for k in range(indices.shape[1]):
            row = indices[i, k]
            if row == nothing:
                continue
            for h in range(vectors.shape[1]):
                table[row, h] += vectors[i, h]


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
        """What ``linear`` makes of ``indices``, int32 (n, K), and the other numbers, float32 (n, R)."""
        dense = functional.linear(rest, linear.weight[:, self.rest], linear.bias)
        return dense + row_sums(indices, linear.weight.t())

    def _indices(self, name: str, values: torch.Tensor) -> torch.Tensor:
        part, count = self._parts[name], len(self._parts[name].values)
        places = values - part.least
        whole = places.to(torch.int32)
        columns = torch.arange(values.shape[1], dtype=torch.int32) * count + self._bases[name] + whole
        known = (whole == places) & (whole >= 0) & (whole < count)
        return columns.where(known, torch.tensor(self._nothing, dtype=torch.int32))
