"""What keeps an atomic program from starting, in words."""

import numpy as np

from procgen_bench.tasks.programs.relations import free_place, is_stacked, is_supported
from procgen_bench.tasks.programs.states import NUM_BLOCKS
from procgen_bench.tasks.programs.zones import COLOURS


def hindrances(state: np.ndarray, blocks: tuple[int, ...], zone: int | None) -> list[str]:
    """The parts of a pre-condition that do not hold.

    Args:
        state: float64 (70,).
        blocks: The block to move, and the one to stack it on, if any.
        zone: Where the block is to be moved; ``None``: not to a zone.
    """
    moved, found = blocks[0], []
    for block in blocks:
        on_it = (other for other in range(NUM_BLOCKS) if other != block and is_stacked(state, other, block))
        found += [f"block {other} is on block {block}" for other in on_it]
    others = (other for other in range(NUM_BLOCKS) if other != moved)
    found += [f"block {other} is in the air" for other in others if not is_supported(state, other)]
    if zone is not None and free_place(state, moved, zone) < 0:
        found.append(f"the {COLOURS[zone].lower()} zone has no free place")
    return found
