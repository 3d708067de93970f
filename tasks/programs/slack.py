"""How exact the blocks have to be for a post-condition: a program's ends, with every block a little off its place.

A call has kept its goal when each block is within 5 cm of its place, and an arm misses places by 1 to 3 cm. In
imagination it hits them exactly. So a program whose post-condition asks for more is done in imagination alone, although
every call keeps its goal.
"""

from collections.abc import Mapping

import numpy as np

from procgen_bench.tasks.programs.program import Program
from procgen_bench.tasks.programs.states import BLOCK_SIZE, GRIPPER_SIZE
from procgen_bench.tasks.programs.zones import DISTANCE_THRESHOLD

#: Metres that a block is off its place along x or y: half of what a goal allows.
SLACK = DISTANCE_THRESHOLD / 2
#: Share of such ends in which the post-condition of a program should hold.
ENOUGH = 0.5


def lasting_share(program: Program, states: np.ndarray, rng: np.random.Generator, draws: int = 20) -> float:
    """Share of ends in which the post-condition still holds when every block is off its place by up to ``SLACK``.

    Args:
        program: One that calls others.
        states: float64 (n, 15 N + 10), in which its post-condition holds.
        rng: Draws where the blocks are: uniformly along x, and along y.
        draws: How many in each state.
    """
    moved = np.repeat(states, draws, axis=0)
    blocks = moved[:, :-GRIPPER_SIZE].reshape(len(moved), -1, BLOCK_SIZE)
    blocks[:, :, :2] += rng.uniform(-SLACK, SLACK, blocks[:, :, :2].shape)
    return float(np.mean([bool(program.postcondition(state)) for state in moved]))


def narrow_ends(ends: Mapping[Program, np.ndarray], rng: np.random.Generator) -> list[str]:
    """A line for each program that often is not done any more in its ends, with every block a little off its place.

    Args:
        ends: Of each program states, float64 (n, 15 N + 10), n >= 1, in which its post-condition holds.
        rng: Draws where the blocks are.
    """
    shares = {program: lasting_share(program, states, rng) for program, states in ends.items()}
    return [
        f"{program.name} is done in {share:.2f} of its imagined ends if blocks are up to {SLACK:g} m off, as "
        "calls leave them; widen its post-condition, or its goals' room"
        for program, share in shares.items()
        if share < ENOUGH
    ]
