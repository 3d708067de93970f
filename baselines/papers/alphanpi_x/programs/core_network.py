"""CoreNetwork: the recurrent network that says which program to call next, and how well it will end."""

import numpy as np
import torch
from torch import nn

from procgen_bench.tasks.programs.states import BLOCK_SIZE, GRIPPER_POSITION, GRIPPER_SIZE, POSITION, split
from procgen_bench.tasks.programs.zones import RESTING_HEIGHT

#: Widths of the paper's table 5: encoding of the state (S), program embedding (P), LSTM (H); its heads' is not given.
ENCODING, EMBEDDING, MEMORY, HEAD = 128, 256, 128, 64
#: Where blocks and gripper are on average, and how far they are spread (metres).
_CENTRE, _SPREAD = (1.3, 0.75, RESTING_HEIGHT + 0.025), (0.1, 0.2, 0.05)


class CoreNetwork(nn.Module):
    """State, program and memory -> policy over actions, value in (-1, 1), next memory (AlphaNPI-X, figure 6).

    Programs with arguments are one program each, as in the paper, so that there are no arguments to choose.

    Args:
        num_blocks: Number of blocks, N.
        num_programs: Number of programs, P.

    Attributes:
        memory_width: Numbers that it remembers of a row: hidden and cell state.
    """

    memory_width = 2 * MEMORY

    centre: torch.Tensor
    spread: torch.Tensor

    def __init__(self, num_blocks: int, num_programs: int):
        super().__init__()
        centre, spread = _usual_state(num_blocks)
        self.register_buffer("centre", torch.as_tensor(centre), persistent=False)
        self.register_buffer("spread", torch.as_tensor(spread), persistent=False)
        self.encoder = nn.Sequential(
            nn.Linear(len(centre), ENCODING), nn.ReLU(), nn.Linear(ENCODING, ENCODING), nn.ReLU()
        )
        self.embedding = nn.Embedding(num_programs, EMBEDDING)
        self.cell = nn.LSTMCell(ENCODING + EMBEDDING, MEMORY)
        self.policy = nn.Sequential(nn.Linear(MEMORY, HEAD), nn.ReLU(), nn.Linear(HEAD, num_programs + 1))
        self.value = nn.Sequential(nn.Linear(MEMORY, HEAD), nn.ReLU(), nn.Linear(HEAD, 1))

    def forward(
        self, states: torch.Tensor, programs: torch.Tensor, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logits (n, P + 1), values (n,) and the next memory (n, M).

        Args:
            states: float64 (n, 15 N + 10).
            programs: int64 (n,), the programs that are being played.
            memory: float32 (n, M), zeros where a program begins.
        """
        hidden, after = self.remembered(self.encoded(states), programs, memory)
        return self.policy(hidden), torch.tanh(self.value(hidden))[:, 0], after

    def encoded(self, states: torch.Tensor) -> torch.Tensor:
        """What is seen of states: float32 (n, ``ENCODING``)."""
        return self.encoder(((states - self.centre) / self.spread).float())

    def remembered(
        self, encoded: torch.Tensor, programs: torch.Tensor, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """What policy and value go by, float32 (n, ``MEMORY``), and the next memory (n, M); see :meth:`forward`."""
        hidden, cell = self.cell(
            torch.cat([encoded, self.embedding(programs)], dim=1), (memory[:, :MEMORY], memory[:, MEMORY:])
        )
        return hidden, torch.cat([hidden, cell], dim=1)


def _usual_state(num_blocks: int) -> tuple[np.ndarray, np.ndarray]:
    """What states are taken from and divided by: places are, other numbers stay as they are."""
    centre = np.zeros(BLOCK_SIZE * num_blocks + GRIPPER_SIZE)
    spread = np.ones_like(centre)
    for numbers, of_places in ((centre, _CENTRE), (spread, _SPREAD)):
        blocks, gripper = split(numbers)
        blocks[:, POSITION] = of_places
        gripper[GRIPPER_POSITION] = of_places
    return centre, spread
