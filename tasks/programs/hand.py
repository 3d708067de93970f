"""What the hand holds, and whether it has let go of a block; states.py says how states are laid out."""

import numpy as np

from procgen_bench.tasks.programs.relations import is_stacked
from procgen_bench.tasks.programs.states import RELATIVE_POSITION, split

#: Metres from the middle of the grip to the centre of a block that is held, at most, and of one let go, at least.
HELD_WITHIN, LET_GO_BEYOND = 0.03, 0.04


def held_block(state: np.ndarray) -> int | None:
    """The block that the hand is round in a state float64 (15 N + 10,); ``None``: it is round none."""
    distances = np.linalg.norm(split(state)[0][:, RELATIVE_POSITION], axis=1)
    nearest = int(distances.argmin())
    return nearest if distances[nearest] <= HELD_WITHIN else None


def is_let_go(states: np.ndarray, block: int) -> np.ndarray:
    """Whether the hand is off a block: states (..., 15 N + 10) -> bool (...)."""
    return np.linalg.norm(split(states)[0][..., block, RELATIVE_POSITION], axis=-1) > LET_GO_BEYOND


def stands_on_another(state: np.ndarray, block: int) -> bool:
    """Whether a block is stacked on another one in a state float64 (15 N + 10,)."""
    others = range(len(split(state)[0]))
    return any(bool(is_stacked(state, block, other)) for other in others if other != block)
