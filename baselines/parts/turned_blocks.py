"""TurnedBlocksEncoder: cuboids of blocks as an agent sees them from above that knows where it is."""

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.policies.tensors import Encoder
from procgen_bench.tasks.voxel_build.rules import HEADING, PITCH, STEPS, X, Y, Z


class TurnedBlocksEncoder(Encoder):
    """Cuboids moved and turned by the agent's pose, so that the agent is in the middle and looks ahead; two dense layers.

    Of every cell up to ``side - 1`` ahead, behind, right and left of the agent's, its layers' block types are seen, and
    whether it is one of the arena's. Height and pitch are given beside.

    Args:
        pose_space: int8 (5,), of x, y, z, heading and pitch.
        cuboids: By name, spaces of block types (side, side, layers).
        width: Of the layers.
    """

    types: torch.Tensor
    ways: torch.Tensor
    heights: torch.Tensor
    pitches: torch.Tensor

    def __init__(self, pose_space: spaces.Box, cuboids: dict[str, spaces.Box], width: int):
        super().__init__()
        self.names, self.features = tuple(cuboids), width
        self.side, _, layers = cuboids["desired_goal"].shape
        num_types = int(cuboids["desired_goal"].high.max())
        ways = ways_by_heading(self.side - 1)
        heights, pitches = (np.arange(pose_space.high[entry] + 1) for entry in (Z, PITCH))
        self.register_buffer("types", torch.arange(1, num_types + 1, dtype=torch.uint8), persistent=False)
        self.register_buffer("ways", torch.as_tensor(ways), persistent=False)
        self.register_buffer("heights", torch.as_tensor(heights), persistent=False)
        self.register_buffer("pitches", torch.as_tensor(pitches), persistent=False)
        inputs = ways.shape[1] * (1 + len(cuboids) * layers * num_types) + len(heights) + len(pitches)
        self.layers = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Dict of (n, 5) and (n, side, side, layers) -> (n, width)."""
        pose = observations["observation"]
        inside, turned = self.turn(pose.long(), torch.cat([observations[name] for name in self.names], dim=3))
        stands = (turned[..., None] == self.types).flatten(1)
        height, pitch = pose[:, Z, None] == self.heights, pose[:, PITCH, None] == self.pitches
        return self.layers(torch.cat([stands, inside, height, pitch], dim=1).float())

    def turn(self, pose: torch.Tensor, blocks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Poses (n, 5), int64, and blocks (n, side, side, k) -> which cells around are the arena's, and their blocks.

        Returns:
            bool (n, cells), and (n, cells, k), 0 outside the arena.
        """
        cells = pose[:, None, X : Y + 1] + self.ways[pose[:, HEADING]]
        inside = ((cells >= 0) & (cells < self.side)).all(dim=2)
        places = torch.where(inside, cells[..., 1] * self.side + cells[..., 0], 0)
        flat = blocks.flatten(1, 2)
        turned = torch.gather(flat, 1, places[..., None].expand(-1, -1, flat.shape[2]))
        return inside, torch.where(inside[..., None], turned, 0)


def ways_by_heading(reach: int) -> np.ndarray:
    """int64 (4, cells, 2): by heading, how far east and south the cells lie that are up to ``reach`` ahead and aside.

    Cells are in the order of a picture whose top is ahead: from the farthest ahead to the farthest behind, from left
    to right.
    """
    ahead, right = np.meshgrid(np.arange(reach, -reach - 1, -1), np.arange(-reach, reach + 1), indexing="ij")
    forwards, sidewards = STEPS[:, np.newaxis], np.roll(STEPS, -1, axis=0)[:, np.newaxis]
    return ahead.reshape(-1, 1) * forwards + right.reshape(-1, 1) * sidewards
