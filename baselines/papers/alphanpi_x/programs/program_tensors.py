"""ProgramTensors: pre-conditions and goals of the paper's programs as functions of tensors, which can be exported."""

import numpy as np
import torch
from torch import nn

from procgen_bench.tasks.programs import InvalidLibraryError, ProgramLibrary
from procgen_bench.tasks.programs.conditions import can_move_to_zone, can_stack, set_stack_goal, set_zone_goal
from procgen_bench.tasks.programs.states import BLOCK_SIZE, GRIPPER_SIZE, POSITION
from procgen_bench.tasks.programs.zones import (
    BLOCK_RADIUS,
    DISTANCE_THRESHOLD,
    PLACE_CLEARANCE,
    RESTING_HEIGHT,
    ZONE_PLACES,
)

#: Pre-condition and goal setter of the programs that stack a block, move it to a zone, and call others.
_STACKS, _MOVES, _CALLS = (can_stack, set_stack_goal), (can_move_to_zone, set_zone_goal), (None, None)
_NUM_ZONES, _NUM_PLACES, _ = ZONE_PLACES.shape


class ProgramTensors(nn.Module):
    """What :meth:`~.ProgramLibrary.preconditions` and :meth:`~.ProgramLibrary.goals` say of a library, bit for bit.

    Args:
        library: The paper's programs for N blocks, or others that are made of the same functions.

    Raises:
        InvalidLibraryError: A program has a pre-condition or a goal setter of its own.
    """

    blocks: torch.Tensor
    others: torch.Tensor
    is_atomic: torch.Tensor
    stacks: torch.Tensor
    lower: torch.Tensor
    home: torch.Tensor
    places: torch.Tensor
    clearance: torch.Tensor

    def __init__(self, library: ProgramLibrary):
        super().__init__()
        kinds = [(one.phi, one.theta) for one in library.definitions]
        for one, kind in zip(library.definitions, kinds):
            if kind not in (_STACKS, _MOVES, _CALLS):
                raise InvalidLibraryError(f"{one.name} has functions of its own, expected the paper's")
        self.num_blocks = library.num_blocks
        blocks, second = np.array([(*one.arguments, 0, 0)[:2] for one in library.definitions]).T
        is_atomic, stacks = (np.array([kind in kept for kind in kinds]) for kept in ((_STACKS, _MOVES), (_STACKS,)))
        tables = {
            "is_atomic": is_atomic,
            "stacks": stacks,
            "blocks": np.where(is_atomic, blocks, 0),  # that each program moves
            "lower": np.where(stacks, second, 0),
            "home": np.where(is_atomic & ~stacks, _NUM_ZONES * blocks + second, 0),  # block and zone as one number
            "others": ~np.eye(self.num_blocks, dtype=np.bool_),
            "places": ZONE_PLACES,
            "clearance": np.array(PLACE_CLEARANCE),
        }
        for name, table in tables.items():
            self.register_buffer(name, torch.as_tensor(table), persistent=False)

    def forward(self, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Whether each of P programs can start, bool (n, P), and the goals that it sets, float64 (n, P, 3 N).

        Args:
            states: float64 (n, 15 N + 10).
        """
        blocks = states[:, :-GRIPPER_SIZE].reshape(-1, self.num_blocks, BLOCK_SIZE)[:, :, POSITION]
        stacked = self._stacked(blocks)
        clear = ~stacked.any(1)
        supported = (blocks[:, :, 2] <= RESTING_HEIGHT + DISTANCE_THRESHOLD) | stacked.any(2)
        movable = clear & (supported[:, None] | ~self.others).all(2)
        near = ((blocks[:, :, None, None, :2] - self.places).abs() < self.clearance).all(4)
        free = ~(near[:, None] & self.others[:, :, None, None]).any(2)  # (n, N, zones, places)
        has_home = free.any(3).flatten(1)[:, self.home]
        fits = (self.stacks & clear[:, self.lower]) | (~self.stacks & has_home)
        startable = (movable[:, self.blocks] & fits) | ~self.is_atomic
        on_top = blocks[:, self.lower] + blocks.new_tensor([0.0, 0.0, 2 * BLOCK_RADIUS])
        targets = torch.where(self.stacks[:, None], on_top, self._free_places(free).flatten(1, 2)[:, self.home])
        moved = self.blocks[:, None] == torch.arange(self.num_blocks)  # (P, N)
        goals = torch.where(moved[:, :, None], targets[:, :, None], blocks[:, None])
        return startable, goals.flatten(2) * self.is_atomic[:, None]

    def _stacked(self, blocks: torch.Tensor) -> torch.Tensor:
        """Whether a block is stacked on another: bool (n, N, N), the upper one first."""
        x, y, height = (blocks[:, :, None] - blocks[:, None]).unbind(3)
        above = height - 2 * BLOCK_RADIUS
        distance = (x * x + y * y + above * above).sqrt()
        return (height < 3 * BLOCK_RADIUS) & (distance <= DISTANCE_THRESHOLD) & self.others

    def _free_places(self, free: torch.Tensor) -> torch.Tensor:
        """The first free place (n, N, zones, 3) for each block in each zone; the first of all where none is free."""
        numbers = free.float().argmax(3) + _NUM_PLACES * torch.arange(_NUM_ZONES)
        places = self.places.flatten(0, 1)[numbers]
        return torch.cat([places, torch.full_like(places[..., :1], RESTING_HEIGHT)], 3)
