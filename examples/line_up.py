"""A row of three blocks, as programs of your own: ``python examples/line_up.py`` lets the trained arm make one.

``Put_0_Beside_1_LEFT`` is atomic: the arm puts block 0 to the left of block 1. ``Line_Up`` calls such programs until
all three blocks are in a row. A planner learns it; from this folder::

    procgen-bench train alphanpi-x fetch-blocks/groups --library line_up:LIBRARY --calls library --atomic learned \\
        --steps 1000000 --out runs/line-up
    procgen-bench reproduce alphanpi-x --table 2 --policy runs/line-up --set library=line_up:LIBRARY \\
        --set program=Line_Up
"""

from itertools import permutations

from numba import njit

from procgen_bench.tasks.programs import ProgramDefinition, paper_library
from procgen_bench.tasks.programs.relations import (
    can_move,
    has_room,
    is_supported,
    is_within_reach,
    num_blocks,
    write_positions,
)

NUMBERS_OF_A_BLOCK, HEIGHT = 15, 0.425
#: From one block of the row to the next, along y, where the fingers are: at least 0.085 (metres).
APART = 0.12
#: A row is straight where no block is further than this from another along x. A call keeps its goal with the block up
#: to 0.05 off, and an arm misses by 0.01 to 0.03: a row within 0.02 would be done in imagination alone.
STRAIGHT = 0.05
SIDES = {"LEFT": -1, "RIGHT": 1}


@njit
def place_beside(state, arguments):
    """Where the block is put: x and y, beside the other one on its left (-1) or right (1)."""
    other, side = NUMBERS_OF_A_BLOCK * arguments[1], arguments[2]
    return state[other], state[other + 1] + side * APART


@njit
def has_place_beside(state, arguments):
    """phi: the block can be moved, and the place is on the table, within reach and free."""
    x, y = place_beside(state, arguments)
    return can_move(state, arguments[0]) and is_within_reach(x, y) and has_room(state, arguments[0], x, y)


@njit
def set_beside(state, arguments, goal):
    """theta: the block at its place, all others where they are."""
    write_positions(state, goal)
    block = 3 * arguments[0]
    goal[block], goal[block + 1] = place_beside(state, arguments)
    goal[block + 2] = HEIGHT


@njit
def are_in_a_row(state, arguments, goal):
    """psi: every block is supported, and they are in a straight row along y."""
    least = greatest = state[0]
    for block in range(num_blocks(state)):
        x = state[NUMBERS_OF_A_BLOCK * block]
        least, greatest = min(least, x), max(greatest, x)
        if not is_supported(state, block):
            return False
    return greatest - least <= STRAIGHT


PUTS = [
    ProgramDefinition(
        name=f"Put_{block}_Beside_{other}_{side}",
        text=f"put block {block} to the {side.lower()} of block {other}",
        level=0,
        phi=has_place_beside,
        theta=set_beside,
        arguments=(block, other, SIDES[side]),
        precondition_text=f"nothing on block {block}, and a free place beside block {other}",
        blocks=(block,),
    )
    for block, other in permutations(range(3), 2)
    for side in SIDES
]
LINE_UP = ProgramDefinition(
    name="Line_Up",
    text="put the blocks in a row",
    level=1,
    psi=are_in_a_row,
    calls=tuple(put.name for put in PUTS),
    most_atomic_calls=3,
)
LIBRARY = paper_library(3).extended([*PUTS, LINE_UP])


def main(episodes: int = 6) -> float:
    """Search alone, without a trained network, calls the package's arm; returns the share of rows that stand."""
    from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import LearnedAtomicPolicy
    from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import call_rules
    from procgen_bench.baselines.papers.alphanpi_x.programs.core_network import CoreNetwork
    from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import PlannerParts
    from procgen_bench.leaderboards.reproduction.alphanpi_x import TableSettings, play_table

    network = CoreNetwork(LIBRARY.num_blocks, len(LIBRARY))
    parts = PlannerParts(call_rules(LIBRARY, "library"), network, None, LearnedAtomicPolicy.shipped())
    (row,) = play_table(parts, TableSettings(episodes, (60,), modes=("replan",), programs=("Line_Up",)))
    print(f"{LINE_UP.text}: {row.stands:.2f} of {row.episodes} stand; {row.kept:.2f} of the calls were kept")
    return row.stands


if __name__ == "__main__":
    main()
