"""RecognisedPoseEncoder: cuboids of blocks around an agent that tells from a picture where it stands."""

import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.parts.convolutions import Convolutions
from procgen_bench.baselines.parts.turned_blocks import TurnedBlocksEncoder
from procgen_bench.baselines.policies.tensors import Encoder
from procgen_bench.tasks.voxel_build.rules import pose_space

_CHANNELS, _FEATURES = 32, 256


class RecognisedPoseEncoder(Encoder):
    """:class:`.TurnedBlocksEncoder` with the pose that is most likely given the picture.

    No gradient of what is made of the blocks reaches the picture's network: it learns from :meth:`loss` alone.

    Args:
        picture_space: uint8 (H, W, 3).
        cuboids: By name, spaces of block types (side, side, layers).
        width: Of the layers that read blocks.
        reader: The picture's network, where it is shared with another encoder.
    """

    lowest: torch.Tensor

    def __init__(
        self, picture_space: spaces.Box, cuboids: dict[str, spaces.Box], width: int, reader: nn.Module | None = None
    ):
        super().__init__()
        self.features = width
        poses = pose_space(cuboids["desired_goal"].shape[0])
        self.sizes = (poses.high.astype(np.int64) - poses.low + 1).tolist()
        self.register_buffer("lowest", torch.as_tensor(poses.low), persistent=False)
        self.reader = reader or _picture_network(picture_space, sum(self.sizes))
        self.blocks = TurnedBlocksEncoder(poses, cuboids, width)

    def encode(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Logits float32 (n, k) of all numbers of the pose, of ``observation``, uint8 (n, H, W, 3)."""
        return self.reader(observations["observation"].permute(0, 3, 1, 2).float())

    def told(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """The most likely poses (n, 5)."""
        logits = self.encode(observations).split(self.sizes, dim=1)
        return torch.stack([own.argmax(dim=1) for own in logits], dim=1) + self.lowest

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Dict of uint8 (n, H, W, 3), (n, Y, X, Z) -> float32 (n, width); ``told`` stands for poses found before."""
        poses = observations["told"] if "told" in observations else self.told(observations)
        return self.blocks(observations | {"observation": poses})

    def loss(self, observations: dict[str, torch.Tensor]) -> tuple[torch.Tensor, float]:
        """Mean cross entropy of ``pose``, int8 (n, 5), summed over its numbers; and the share that is told rightly."""
        numbers = (observations["pose"] - self.lowest).long()
        parts = self.encode(observations).split(self.sizes, dim=1)
        entropies = [functional.cross_entropy(own, numbers[:, place]) for place, own in enumerate(parts)]
        right = torch.stack([own.argmax(dim=1) == numbers[:, place] for place, own in enumerate(parts)]).all(dim=0)
        return torch.stack(entropies).sum(), float(right.float().mean())


class _Pixels(nn.Conv2d):
    """A convolution of numbers from 0 to 255, taken as -0.5 to 0.5: its weights are scaled, not every picture."""

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """float32 (n, C, H, W) -> (n, C', H', W')."""
        assert self.bias is not None  # by default there is one
        bias = self.bias - self.weight.sum(dim=(1, 2, 3)) / 2
        return functional.conv2d(pictures, self.weight / 255, bias, self.stride)


def _picture_network(space: spaces.Box, outputs: int) -> nn.Module:
    """Pictures float32 (n, 3, H, W), from 0 to 255 -> float32 (n, outputs)."""
    convolutions = Convolutions(
        _Pixels(space.shape[2], _CHANNELS, kernel_size=8, stride=8),
        nn.ReLU(),
        nn.Conv2d(_CHANNELS, _CHANNELS, kernel_size=3, padding=1),
        nn.ReLU(),
        nn.Conv2d(_CHANNELS, _CHANNELS, kernel_size=3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
    )
    with torch.no_grad():
        flat = convolutions(torch.zeros(1, *space.shape).permute(0, 3, 1, 2)).shape[1]
    return nn.Sequential(convolutions, nn.Linear(flat, _FEATURES), nn.ReLU(), nn.Linear(_FEATURES, outputs))
