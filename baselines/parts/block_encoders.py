"""Encoders of cuboids of blocks beside a picture, beside the agent's pose, or beside the pose that a picture tells."""

import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.parts.convolutions import Convolutions
from procgen_bench.baselines.parts.sparse_inputs import row_sums
from procgen_bench.baselines.policies.tensors import Encoder
from procgen_bench.tasks.voxel_build.rules import HEADING, PITCH, STEPS, X, Y, Z, pose_space

_EAST, _SOUTH = range(2)
#: Of the published network.
_SHALLOW, _HIDDEN = 16, 128
#: Of the network that tells poses from pictures.
_CHANNELS, _FEATURES = 32, 256


class BlocksEncoder(Encoder):
    """A picture by a shallow convolution, cuboids by a lookup of block types and a convolution, joined by one dense.

    What is looked up for a type is part of the first convolution's weights, which has a channel for every type that is
    not empty: the paper's learned lookup without its sums over four types, which take a third of a cuboid's gradients.

    Args:
        picture_space: uint8 (H, W, 3).
        cuboids: By name, spaces of block types (Y, X, Z); the convolution's kernel spans all of Z.
        picture: The picture's network, where it is shared with another encoder.
    """

    features = _HIDDEN
    types: torch.Tensor

    def __init__(self, picture_space: spaces.Box, cuboids: dict[str, spaces.Box], picture: nn.Module | None):
        super().__init__()
        self.names = tuple(cuboids)
        (height, width, depth), num_types = cuboids["desired_goal"].shape, int(cuboids["desired_goal"].high.max())
        self.picture = picture or _shallow_network(picture_space)
        self.register_buffer("types", torch.arange(1, num_types + 1, dtype=torch.uint8), persistent=False)
        self.cuboids = Convolutions(
            nn.Conv2d(len(cuboids) * depth * num_types, _SHALLOW, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.Conv2d(_SHALLOW, _SHALLOW, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.dense = nn.Sequential(nn.Linear(_SHALLOW * height * width + _HIDDEN, _HIDDEN), nn.ReLU())

    def encode(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """The picture's network's features, float32 (n, 128), of ``observation``, uint8 (n, H, W, 3)."""
        return self.picture(observations["observation"].permute(0, 3, 1, 2).float() / 255)

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Dict of uint8 (n, H, W, 3), (n, Y, X, Z) -> float32 (n, 128); ``seen`` stands for what was encoded before."""
        seen = observations["seen"] if "seen" in observations else self.encode(observations)
        shown = torch.cat([observations[name] for name in self.names], dim=3)
        stands = (shown[..., None] == self.types).flatten(3).float()
        return self.dense(torch.cat([seen, self.cuboids(stands.permute(0, 3, 1, 2))], dim=1))


def _shallow_network(space: spaces.Box) -> nn.Module:
    convolutions = Convolutions(
        nn.Conv2d(space.shape[2], _SHALLOW, kernel_size=8, stride=8),
        nn.ReLU(),
        nn.Conv2d(_SHALLOW, 2 * _SHALLOW, kernel_size=3, stride=2),
        nn.ReLU(),
        nn.Flatten(),
    )
    return nn.Sequential(convolutions, nn.Linear(_num_outputs(convolutions, space), _HIDDEN), nn.ReLU())


def _num_outputs(convolutions: nn.Module, space: spaces.Box) -> int:
    """How many numbers come of a picture (H, W, C)."""
    with torch.no_grad():
        return convolutions(torch.zeros(1, *space.shape).permute(0, 3, 1, 2)).shape[1]


class TurnedBlocksEncoder(Encoder):
    """Cuboids moved and turned by the agent's pose, so that it stands in the middle and looks ahead; two dense layers.

    The first layer's inputs are zeros and ones, nearly all of them zeros: for every cell from the agent's to
    ``side - 1`` cells ahead, behind, right and left, whether it is one of the arena's, and whether a block of each type
    is there in each cuboid's layers; and the height of the agent's feet and its pitch. So the layer sums rows of a
    table.

    Args:
        pose_space: int8 (5,), x, y, z, heading and pitch.
        cuboids: By name, spaces of block types (side, side, layers).
        width: Of the layers.
    """

    places: torch.Tensor
    steps: torch.Tensor
    levels: torch.Tensor

    def __init__(self, pose_space: spaces.Box, cuboids: dict[str, spaces.Box], width: int):
        super().__init__()
        self.names, self.features = tuple(cuboids), width
        side, _, layers = cuboids["desired_goal"].shape
        self.num_types, self.reach = int(cuboids["desired_goal"].high.max()), side - 1
        self.across = 2 * self.reach + 1
        num_cells, num_levels = self.across**2, len(cuboids) * layers
        # Rows of the table: cells, blocks in them, heights of the feet, pitches, nothing.
        self.first_height = num_cells * (1 + num_levels * self.num_types)
        self.first_pitch = self.first_height + int(pose_space.high[Z]) + 1
        self.num_rows = self.first_pitch + int(pose_space.high[PITCH]) + 1
        cells = np.stack(np.meshgrid(np.arange(side), np.arange(side), indexing="xy"), axis=-1).reshape(-1, 2)
        self.register_buffer("places", torch.as_tensor(cells, dtype=torch.int32), persistent=False)
        self.register_buffer("steps", torch.as_tensor(STEPS, dtype=torch.int32), persistent=False)
        self.register_buffer("levels", torch.arange(num_levels, dtype=torch.int32), persistent=False)
        self.table = nn.Parameter(torch.empty(self.num_rows, width))
        # As many ones as the arena has cells, and some blocks: as linear layers are initialised for so many inputs.
        bound = (side * side) ** -0.5
        nn.init.uniform_(self.table, -bound, bound)
        self.dense = nn.Sequential(nn.ReLU(), nn.Linear(width, width), nn.ReLU())

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Dict of int8 (n, 5) and uint8 (n, side, side, layers) -> float32 (n, width)."""
        pose = observations["observation"].int()
        rows = self.rows(pose, torch.cat([observations[name] for name in self.names], dim=3).flatten(1, 2).int())
        if type(rows) is torch.Tensor and rows.device.type == "cpu":  # no exporter's
            return self.dense(row_sums(rows, self.table))
        padded = torch.cat([self.table, self.table.new_zeros(1, self.features)])
        return self.dense(functional.embedding(rows, padded).sum(dim=1))

    def rows(self, pose: torch.Tensor, blocks: torch.Tensor) -> torch.Tensor:
        """Poses (n, 5) and types of blocks (n, cells, levels), int32 -> rows (n, k) of the table; nothing is last."""
        cells = self.cells_around(pose)[..., None]
        known = cells >= 0
        standing = (cells * len(self.levels) + self.levels) * self.num_types + self.across**2 + blocks - 1
        return torch.cat(
            [
                torch.where(known, cells, self.num_rows).flatten(1),
                torch.where(known & (blocks > 0), standing, self.num_rows).flatten(1),
                self.first_height + pose[:, Z, None],
                self.first_pitch + pose[:, PITCH, None],
            ],
            dim=1,
        )

    def cells_around(self, pose: torch.Tensor) -> torch.Tensor:
        """Where the arena's cells lie around agents of poses (n, 5): numbers (n, cells), -1 out of reach; all int32.

        They are counted in lines from left to right, the farthest line behind the agent first.
        """
        ways = self.places - pose[:, None, X : Y + 1]
        heading = pose[:, HEADING].long()
        ahead, aside = self.steps[heading][:, None], self.steps[(heading + 1) % len(self.steps)][:, None]
        line, column = (
            ways[..., _EAST] * to[..., _EAST] + ways[..., _SOUTH] * to[..., _SOUTH] for to in (ahead, aside)
        )
        within = (line.abs() <= self.reach) & (column.abs() <= self.reach)
        return torch.where(within, (line + self.reach) * self.across + column + self.reach, -1)


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

    def recognise(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """The most likely poses (n, 5) of the agents that see these pictures."""
        logits = self.encode(observations).split(self.sizes, dim=1)
        return torch.stack([own.argmax(dim=1) for own in logits], dim=1) + self.lowest

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Dict of uint8 (n, H, W, 3), (n, Y, X, Z) -> float32 (n, width); poses ``recognised`` before are taken."""
        poses = observations["recognised"] if "recognised" in observations else self.recognise(observations)
        return self.blocks(observations | {"observation": poses})

    def loss(self, observations: dict[str, torch.Tensor]) -> tuple[torch.Tensor, float]:
        """Mean cross entropy of ``pose``, int8 (n, 5), summed over its numbers; and the share of poses recognised."""
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
    first = nn.Linear(_num_outputs(convolutions, space), _FEATURES)
    return nn.Sequential(convolutions, first, nn.ReLU(), nn.Linear(_FEATURES, outputs))
