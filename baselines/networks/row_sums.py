"""Sums of rows of a table: what a layer makes of ones among zeros, and a bag of its words."""

import numpy as np
import torch
from torch.nn import functional

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
    """Add vector i to every row of ``table`` that ``indices[i]`` names.

    Args:
        indices: int32 (n, K).
        vectors: float32 (n, H).
        table: float32 (F, H).
    """
    for i in range(indices.shape[0]):
        for k in range(indices.shape[1]):
            row = indices[i, k]
            for h in range(vectors.shape[1]):
                table[row, h] += vectors[i, h]
