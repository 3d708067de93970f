"""The parts that networks are built of: each turns one leaf of an observation space, (n, *shape), into features."""

from collections.abc import Mapping

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.policies.tensors import Tensors

#: More values than these are words, not categories.
MOST_CATEGORIES = 16
#: What normalised reals are clipped to.
_REACH = 10.0


class Part(nn.Module):
    """A network for one leaf.

    Attributes:
        features: Number of features that it gives for a row.
        fixed: Whether nothing is learned in it, nor changes otherwise: a rollout's features are computed only once.
    """

    features: int
    fixed: bool = False


class ScaledReals(Part):
    """Bounded reals of any shape, scaled from their bounds to [-1, 1] and laid out flat."""

    fixed = True
    centre: torch.Tensor
    reach: torch.Tensor

    def __init__(self, leaf: spaces.Box):
        super().__init__()
        low, high = leaf.low.astype(np.float64).ravel(), leaf.high.astype(np.float64).ravel()
        self.features = low.size
        self.register_buffer("centre", _tensor((high + low) / 2), persistent=False)
        self.register_buffer("reach", _tensor(np.maximum((high - low) / 2, 1e-6)), persistent=False)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """(n, *shape) of any dtype -> float32 (n, features) in [-1, 1]."""
        return (laid_flat(values).float() - self.centre) / self.reach


class NormalisedReals(Part):
    """Reals without bounds, by the mean and the spread of what training has seen so far, clipped to ten spreads."""

    mean: torch.Tensor
    spread: torch.Tensor
    count: torch.Tensor

    def __init__(self, leaf: spaces.Box):
        super().__init__()
        self.features = int(np.prod(leaf.shape))
        self.register_buffer("mean", torch.zeros(self.features))
        self.register_buffer("spread", torch.ones(self.features))
        self.register_buffer("count", torch.zeros(1))

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """(n, *shape) of any dtype -> float32 (n, features)."""
        flat = laid_flat(values).float()
        return ((flat - self.mean) / self.spread).clamp(-_REACH, _REACH)

    @torch.no_grad()
    def update_normaliser(self, values: torch.Tensor) -> None:
        """Let ``values`` (n, *shape), any dtype, count in the mean and the spread (Chan et al.'s parallel formula)."""
        flat = laid_flat(values).double()
        seen, more = self.count.double(), float(len(flat))
        mean, deviation = self.mean.double(), flat.mean(dim=0) - self.mean.double()
        total = seen + more
        variance = (
            self.spread.double() ** 2 * seen
            + flat.var(dim=0, unbiased=False) * more
            + deviation**2 * seen * more / total
        ) / total
        self.mean.copy_(mean + deviation * more / total)
        self.spread.copy_(variance.sqrt().clamp(min=1e-4))
        self.count.copy_(total)


class Categories(Part):
    """Arrays of small integers as zeros and ones, flat: one per entry and value it may have.

    Reals may hide behind bounds that are integers, so entries of a real type are kept as they are, too, scaled.

    Args:
        leaf: Which.
        scaled: Whether that is so; otherwise every entry has as many features, side by side.
    """

    fixed = True
    values: torch.Tensor

    def __init__(self, leaf: spaces.Box, scaled: bool = True):
        super().__init__()
        self.register_buffer("values", category_values(leaf), persistent=False)
        self.scaled = ScaledReals(leaf) if scaled and leaf.dtype.kind == "f" else None
        entries, self.least = int(np.prod(leaf.shape)), int(self.values[0])
        #: Features that are zeros and ones, which stand before the scaled ones.
        self.num_ones = entries * len(self.values)
        self.features = self.num_ones + entries * (self.scaled is not None)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """(n, *shape) of any dtype -> float32 (n, features)."""
        ones = (laid_flat(values)[:, :, None] == self.values).flatten(1).float()
        return ones if self.scaled is None else torch.cat([ones, self.scaled(values)], dim=1)


class Tokens(Part):
    """Integers that stand for words: a learned vector of eight numbers for each, side by side."""

    width = 8

    def __init__(self, leaf: spaces.Box):
        super().__init__()
        self.least = int(leaf.low.min())
        self.words = nn.Embedding(int(leaf.high.max()) - self.least + 1, self.width)
        self.features = int(np.prod(leaf.shape)) * self.width

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """(n, *shape) of an integer dtype -> float32 (n, features)."""
        return self.words(laid_flat(values).long() - self.least).flatten(1)


class Picture(Part):
    """A picture uint8 (H, W, C): three convolutions (Mnih et al., 2015) and one dense layer."""

    def __init__(self, leaf: spaces.Box, features: int = 256):
        super().__init__()
        self.convolutions = nn.Sequential(
            nn.Conv2d(leaf.shape[2], 16, kernel_size=8, stride=4),
            nn.ReLU(),
            nn.Conv2d(16, 32, kernel_size=4, stride=2),
            nn.ReLU(),
            nn.Conv2d(32, 32, kernel_size=3, stride=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        with torch.no_grad():
            flat = self.convolutions(torch.zeros(1, *leaf.shape).permute(0, 3, 1, 2)).shape[1]
        self.dense = nn.Sequential(nn.Linear(flat, features), nn.ReLU())
        self.features = features

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """uint8 (n, H, W, C) -> float32 (n, features)."""
        return self.dense(self.convolutions(values.permute(0, 3, 1, 2).float() / 255))


def laid_flat(values: torch.Tensor) -> torch.Tensor:
    """(n, *shape) -> (n, entries), of the same dtype; single numbers (n,) are an entry each."""
    return values.flatten(1) if values.dim() > 1 else values[:, None]


def are_categories(leaf: spaces.Box) -> bool:
    """Whether a leaf's bounds are integers that lie less than 16 apart.

    Coordinates on a small map are such, too: read as reals, GridWorld's doors were walked into.
    """
    bounds = np.stack([leaf.low, leaf.high]).astype(np.float64)
    fewest = 1 if len(leaf.shape) > 1 else 2  # a row of zeros and ones is what it is
    between = fewest <= bounds.max() - bounds.min() < MOST_CATEGORIES
    return bool(between and len(leaf.shape) <= 3 and (bounds == np.round(bounds)).all())


def category_values(leaf: spaces.Box) -> torch.Tensor:
    """The values that a leaf with integer bounds may have: float32 (values,)."""
    return torch.arange(int(leaf.low.min()), int(leaf.high.max()) + 1, dtype=torch.float32)


def _tensor(values: np.ndarray) -> torch.Tensor:
    return torch.as_tensor(values, dtype=torch.float32)


#: Pictures are at least so high and wide.
_LEAST_PICTURE = 32


def part_for(leaf: spaces.Box) -> Part:
    """The part for one leaf.

    - uint8 with three axes, at least 32 high and wide: :class:`Picture`.
    - Infinite bounds: :class:`NormalisedReals`.
    - Integer bounds of three to 16 values, or two or three axes of two values: :class:`Categories`.
    - Integers of more than 16 values: :class:`Tokens`.
    - All else: :class:`ScaledReals`.
    """
    if leaf.dtype == np.uint8 and len(leaf.shape) == 3 and min(leaf.shape[:2]) >= _LEAST_PICTURE:
        return Picture(leaf)
    if not (np.isfinite(leaf.low).all() and np.isfinite(leaf.high).all()):
        return NormalisedReals(leaf)
    if are_categories(leaf):
        return Categories(leaf)
    if leaf.dtype.kind in "iu" and leaf.high.max() - leaf.low.min() >= MOST_CATEGORIES:
        return Tokens(leaf)
    return ScaledReals(leaf)


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

    What is wanted at a cell is stacked on what is there, so that a small filter sees both.

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
        """By name (n, H, W) or (n, H, W, D), any dtype -> float32 (n, features)."""
        channels = [self._channels(name, observations[name]) for name in self._names]
        return self.dense(self.convolutions(torch.cat(channels, dim=3).permute(0, 3, 1, 2)))

    def _channels(self, name: str, values: torch.Tensor) -> torch.Tensor:
        """(n, H, W) or (n, H, W, D) -> zeros and ones (n, H, W, channels)."""
        deep = values[..., None] if values.dim() == 3 else values
        return (deep[..., None] == self.get_buffer(f"values_{name}")).float().flatten(3)
