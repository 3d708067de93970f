"""Memories of networks: what is seen, and what was known before, give what is known."""

from typing import Any

import torch
from torch import nn


class Memory(nn.Module):
    """A gated recurrent unit (Cho et al., 2014) in plain tensor operations, so that every exporter knows it."""

    def __init__(self, inputs: int, width: int):
        super().__init__()
        #: Numbers that are known of a row, and those that are remembered.
        self.width = self.state_width = width
        self.seen, self.kept = nn.Linear(inputs, 3 * width), nn.Linear(width, 3 * width)

    def forward(self, features: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        """Features (n, inputs) and memory (n, width) -> the new memory (n, width)."""
        reset_seen, update_seen, new_seen = self.seen(features).chunk(3, dim=1)
        reset_kept, update_kept, new_kept = self.kept(memory).chunk(3, dim=1)
        update = torch.sigmoid(update_seen + update_kept)
        new = torch.tanh(new_seen + torch.sigmoid(reset_seen + reset_kept) * new_kept)
        return update * memory + (1 - update) * new

    def known(self, memory: torch.Tensor) -> torch.Tensor:
        """What further layers read of a memory (n, width): all of it."""
        return memory

    def unroll(self, features: torch.Tensor, memory: torch.Tensor, going_on: torch.Tensor) -> torch.Tensor:
        """Steps in a row; what is seen is read for all of them at once.

        Args:
            features: (T, n, inputs).
            memory: (n, width), before the first step; nothing is learned from where it came from.
            going_on: float32 (T, n, 1), 0 where an episode begins.

        Returns:
            The memory after each step, (T, n, width).
        """
        return _Unrolled.apply(self.seen(features), memory, going_on, self.kept.weight, self.kept.bias)


class _Unrolled(torch.autograd.Function):
    """The unit over T steps, with its gradients written out.

    Taken step by step, torch adds up the gradient of the weights T times; here it is one product of matrices.
    """

    @staticmethod
    def forward(
        ctx: Any,
        seen: torch.Tensor,
        memory: torch.Tensor,
        going_on: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor,
    ) -> torch.Tensor:
        """What is seen (T, n, 3 k), before which memory (n, k) -> the memory after each step (T, n, k)."""
        width = weight.shape[1]
        before, news, news_kept = (seen.new_empty(*seen.shape[:2], width) for _ in range(3))
        gates, after = seen.new_empty(*seen.shape[:2], 2 * width), seen.new_empty(*seen.shape[:2], width)
        transposed = weight.t()
        for t in range(len(seen)):
            torch.mul(memory, going_on[t], out=before[t])
            kept = torch.addmm(bias, before[t], transposed)
            torch.add(seen[t, :, : 2 * width], kept[:, : 2 * width], out=gates[t]).sigmoid_()
            news_kept[t] = kept[:, 2 * width :]
            torch.addcmul(seen[t, :, 2 * width :], gates[t, :, :width], news_kept[t], out=news[t]).tanh_()
            memory = torch.lerp(news[t], before[t], gates[t, :, width:], out=after[t])
        ctx.save_for_backward(going_on, weight, before, gates, news, news_kept)
        return after

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """Gradient (T, n, k) of the memories -> those of what is seen, the weights and the bias."""
        (gradient,) = gradients
        going_on, weight, before, gates, news, news_kept = ctx.saved_tensors
        width = weight.shape[1]
        resets, updates = gates[..., :width], gates[..., width:]
        of_seen, of_kept = (gradient.new_empty(*gradient.shape[:2], 3 * width) for _ in range(2))
        # By what a gradient of the memory after a step is multiplied to be one of what the parts of the unit sum up.
        of_new = (1 - updates) * (1 - news**2)
        of_update = (before - news) * updates * (1 - updates)
        of_reset = of_new * news_kept * resets * (1 - resets)
        later = torch.zeros_like(before[0])
        for t in range(len(gradient) - 1, -1, -1):
            total = gradient[t] + later
            torch.mul(total, of_reset[t], out=of_seen[t, :, :width])
            torch.mul(total, of_update[t], out=of_seen[t, :, width : 2 * width])
            torch.mul(total, of_new[t], out=of_seen[t, :, 2 * width :])
            of_kept[t] = of_seen[t]
            of_kept[t, :, 2 * width :] *= resets[t]
            later = torch.addmm(total * updates[t], of_kept[t], weight).mul_(going_on[t])
        flat = of_kept.flatten(0, 1)
        return of_seen, None, None, flat.t() @ before.flatten(0, 1), flat.sum(dim=0)


class LongMemory(nn.Module):
    """A long short-term memory (Hochreiter and Schmidhuber, 1997; with forget gates), in plain tensor operations.

    It remembers what is known of a row, and behind it as many cells.
    """

    def __init__(self, inputs: int, width: int):
        super().__init__()
        #: Numbers that are known of a row, and those that are remembered.
        self.width, self.state_width = width, 2 * width
        self.seen, self.kept = nn.Linear(inputs, 4 * width), nn.Linear(width, 4 * width)

    def forward(self, features: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        """Features (n, inputs) and memory (n, 2 width) -> the new memory (n, 2 width)."""
        return self._step(self.seen(features), memory)

    def known(self, memory: torch.Tensor) -> torch.Tensor:
        """What further layers read of a memory (n, 2 width): its first half."""
        return memory[:, : self.width]

    def unroll(self, features: torch.Tensor, memory: torch.Tensor, going_on: torch.Tensor) -> torch.Tensor:
        """See :meth:`Memory.unroll`; returns what is known after each step, (T, n, width)."""
        known = []
        for seen, goes_on in zip(self.seen(features), going_on, strict=True):
            memory = self._step(seen, memory * goes_on)
            known.append(self.known(memory))
        return torch.stack(known)

    def _step(self, seen: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        """The same of what is seen (n, 4 width)."""
        known, cells = memory.chunk(2, dim=1)
        enters, stays, new, leaves = (seen + self.kept(known)).chunk(4, dim=1)
        cells = torch.sigmoid(stays) * cells + torch.sigmoid(enters) * torch.tanh(new)
        return torch.cat([torch.sigmoid(leaves) * torch.tanh(cells), cells], dim=1)
