"""What keeps one of the paper's atomic programs from starting, in words."""

import numpy as np

from procgen_bench.tasks.programs.conditions import can_move_to_zone, can_stack
from procgen_bench.tasks.programs.definition import ProgramDefinition
from procgen_bench.tasks.programs.relations import free_place, is_stacked, is_supported, num_blocks
from procgen_bench.tasks.programs.zones import COLOURS


def hindrances(state: np.ndarray, definition: ProgramDefinition) -> list[str]:
    """The parts of the pre-condition that do not hold; none of a pre-condition that is not the paper's.

    Args:
        state: float64 (15 N + 10,).
        definition: The program.
    """
    if definition.phi not in (can_stack, can_move_to_zone):
        return []
    blocks, zone = definition.blocks, definition.zone
    moved, found = blocks[0], []
    for block in blocks:
        on_it = (other for other in range(num_blocks(state)) if other != block and is_stacked(state, other, block))
        found += [f"block {other} is on block {block}" for other in on_it]
    others = (other for other in range(num_blocks(state)) if other != moved)
    found += [f"block {other} is in the air" for other in others if not is_supported(state, other)]
    if zone is not None and free_place(state, moved, zone) < 0:
        found.append(f"the {COLOURS[zone].lower()} zone has no free place")
    return found
