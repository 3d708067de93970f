"""Networks over a task space's parameters: from noise to parameters, and from parameters to a number.

Parameters are points of [0, 1]^d here, leaf by leaf as the flat box holds them: numbers scaled to their bounds, and of
every choice a probability for each category, the greatest of which decides.
"""

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.core.task_space import TaskSpace

#: Units of the layers for one leaf, those that merge the leaves, and channels of convolutions (APT-Gen, B).
_UNITS, _MERGED, _CHANNELS = 64, 128, 16


class Generator(nn.Module):
    """Noise (n, k) -> points (n, d): dense 64, then every leaf for itself; hidden layers are normalised by the batch.

    Args:
        space: Whose parameters.
        noise_size: k.
    """

    def __init__(self, space: TaskSpace, noise_size: int):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(noise_size, _UNITS), nn.BatchNorm1d(_UNITS), nn.ReLU())
        self.heads = nn.ModuleList(_head(leaf, name in space.choices) for name, leaf in space.space.items())

    def forward(self, noise: torch.Tensor) -> torch.Tensor:
        """Noise (n, k) -> points (n, d)."""
        seen = self.trunk(noise)
        return torch.cat([head(seen) for head in self.heads], dim=1)


class ParameterValue(nn.Module):
    """Points (n, d) -> a number each, (n,): what tasks of these parameters are expected to give.

    Every leaf has a dense layer of 64 units, which in maps of categories follows two convolutions; one of 128 merges
    them.
    """

    def __init__(self, space: TaskSpace):
        super().__init__()
        leaves = list(space.space.items())
        self._widths = [spaces.flatdim(leaf) for _, leaf in leaves]
        self.readers = nn.ModuleList(_reader(leaf, name in space.choices) for name, leaf in leaves)
        merged = len(leaves) * _UNITS
        self.head = nn.Sequential(nn.Linear(merged, _MERGED), nn.ReLU(), nn.Linear(_MERGED, 1))

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        """Points (n, d) -> (n,)."""
        leaves = points.split(self._widths, dim=1)
        return self.head(torch.cat([reader(leaf) for reader, leaf in zip(self.readers, leaves)], dim=1))[:, 0]


class _Numbers(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.dense = nn.Linear(_UNITS, width)

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        return self.dense(seen).sigmoid()


class _Choices(nn.Module):
    """One choice after another, each of so many categories."""

    def __init__(self, sizes: list[int]):
        super().__init__()
        self._sizes = sizes
        self.dense = nn.Linear(_UNITS, sum(sizes))

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        return torch.cat([logits.softmax(dim=1) for logits in self.dense(seen).split(self._sizes, dim=1)], dim=1)


class _ChoiceMap(nn.Module):
    """A map (H, W) of choices: two transposed convolutions from a quarter of its sides, and one more."""

    def __init__(self, height: int, width: int, categories: int):
        super().__init__()
        self._height, self._width = height, width
        low = (_CHANNELS, -(-height // 4), -(-width // 4))
        self.layers = nn.Sequential(
            nn.Linear(_UNITS, int(np.prod(low))),
            nn.Unflatten(1, low),
            *_normalised(),
            nn.ConvTranspose2d(_CHANNELS, _CHANNELS, 3, stride=2, padding=1, output_padding=1),
            *_normalised(),
            nn.ConvTranspose2d(_CHANNELS, _CHANNELS, 3, stride=2, padding=1, output_padding=1),
            *_normalised(),
            nn.Conv2d(_CHANNELS, categories, 3, padding=1),
        )

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        logits = self.layers(seen)[:, :, : self._height, : self._width]
        return logits.softmax(dim=1).permute(0, 2, 3, 1).flatten(1)


def _normalised() -> list[nn.Module]:
    return [nn.BatchNorm2d(_CHANNELS), nn.ReLU()]


def _head(leaf: spaces.Space, is_choice: bool) -> nn.Module:
    if _is_map(leaf, is_choice):
        height, width, categories = leaf.shape or ()
        return _ChoiceMap(height, width, categories)
    match leaf:
        case spaces.Discrete():
            return _Choices([int(leaf.n)])
        case spaces.MultiDiscrete():
            return _Choices(leaf.nvec.ravel().tolist())
        case spaces.Box() if is_choice:
            return _Choices([leaf.shape[-1]] * int(np.prod(leaf.shape[:-1])))
        case _:
            return _Numbers(spaces.flatdim(leaf))


def _reader(leaf: spaces.Space, is_choice: bool) -> nn.Module:
    if not _is_map(leaf, is_choice):
        return nn.Sequential(nn.Linear(spaces.flatdim(leaf), _UNITS), nn.ReLU())
    height, width, categories = leaf.shape or ()
    return nn.Sequential(
        nn.Unflatten(1, (height, width, categories)),
        _ChannelsFirst(),
        nn.Conv2d(categories, _CHANNELS, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(_CHANNELS, _CHANNELS, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(_CHANNELS * -(-height // 4) * -(-width // 4), _UNITS),
        nn.ReLU(),
    )


class _ChannelsFirst(nn.Module):
    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return maps.permute(0, 3, 1, 2)


def _is_map(leaf: spaces.Space, is_choice: bool) -> bool:
    return is_choice and len(leaf.shape or ()) == 3
