"""The networks of Sibling Rivalry's actors and critics (appendix F), by the shape of an environment's goals."""

from collections.abc import Sequence

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

HIDDEN = 128
CHANNELS = 16


def goal_encoder(observation_space: spaces.Dict, anti_goal: bool) -> nn.Module:
    """A network from observations to ``encoder.features`` features.

    Its input is a dict of tensors (n, ...): those of the environment and, with ``anti_goal``, one of that name, which
    is shaped as the ``desired_goal``. Goals that are vectors are read by :class:`VectorEncoder`, goals that are arrays
    of bits by :class:`BitsEncoder`.

    Raises:
        ValueError: There is no network for goals of this shape.
    """
    goal_space = observation_space["desired_goal"]
    leaves = {"observation": observation_space["observation"], "desired_goal": goal_space}
    if anti_goal:
        leaves["anti_goal"] = goal_space
    encoders = {1: VectorEncoder, 2: BitsEncoder}
    if len(goal_space.shape) not in encoders:
        raise ValueError(f"there is no network for goals of shape {goal_space.shape}")
    return encoders[len(goal_space.shape)](leaves)


class VectorEncoder(nn.Module):
    """Vectors, scaled to [-1, 1] where they are bounded, through three dense layers of 128 with ReLU."""

    features = HIDDEN

    def __init__(self, leaves: dict[str, spaces.Box]):
        super().__init__()
        self.names = tuple(leaves)
        low = np.concatenate([leaf.low for leaf in leaves.values()]).astype(np.float32)
        high = np.concatenate([leaf.high for leaf in leaves.values()]).astype(np.float32)
        bounded = np.isfinite(low) & np.isfinite(high)
        centre = np.where(bounded, low / 2 + high / 2, 0.0)
        reach = np.where(bounded, high / 2 - low / 2, 1.0)
        self.register_buffer("centre", torch.as_tensor(centre, dtype=torch.float32), persistent=False)
        self.register_buffer("reach", torch.as_tensor(reach, dtype=torch.float32), persistent=False)
        self.layers = nn.Sequential(*_dense(len(low)), *_dense(HIDDEN), *_dense(HIDDEN))

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Dict of (n, k) -> (n, 128)."""
        joined = torch.cat([observations[name] for name in self.names], dim=1)
        return self.layers((joined - self.centre) / self.reach)


class BitsEncoder(nn.Module):
    """Arrays of bits as channels of one picture: two convolutions with max pooling, layer normalisation, one dense."""

    features = HIDDEN

    def __init__(self, leaves: dict[str, spaces.Box]):
        super().__init__()
        self.names = tuple(leaves)
        channels = sum(1 if len(leaf.shape) == 2 else leaf.shape[2] for leaf in leaves.values())
        height, width = leaves["desired_goal"].shape
        self.convolutions = nn.Sequential(
            nn.Conv2d(channels, CHANNELS, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2, ceil_mode=True),
            nn.Conv2d(CHANNELS, CHANNELS, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        # On a processor, convolutions and pooling of few channels take half the time in this layout.
        self.to(memory_format=torch.channels_last)
        flat = CHANNELS * -(-height // 2) * -(-width // 2)
        self.dense = nn.Sequential(nn.LayerNorm(flat), *_dense(flat))

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Dict of (n, H, W) and (n, H, W, C) -> (n, 128)."""
        pictures = [observations[name] for name in self.names]
        channels = torch.cat([p[..., None] if p.dim() == 3 else p for p in pictures], dim=3)
        return self.dense(self.convolutions(channels.permute(0, 3, 1, 2)))


def _dense(inputs: int) -> Sequence[nn.Module]:
    return nn.Linear(inputs, HIDDEN), nn.ReLU()
