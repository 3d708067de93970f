"""Programs of your own for the arm's blocks, in one file: ``python examples/own_programs.py`` plays one.

A program is data: a name, a level, what it may call, and functions of one state, compiled by Numba. ``phi`` says where
it can start, ``theta`` (of atomic programs) where the blocks are to go, ``psi`` whether it has done its work. They may
call what the paper's programs are made of (``procgen_bench.tasks.programs.relations``). A library compiles them
together with the paper's: ``library.preconditions(states)`` asks all of them at once.

A planner learns to play ``Gather`` from calls of atomic programs, the paper's and these, and has a row in the paper's
table 2; from this folder::

    procgen-bench train alphanpi-x fetch-blocks/groups --library own_programs:LIBRARY --steps 5000000 --out runs/own
    procgen-bench reproduce alphanpi-x --table 2 --policy runs/own --set library=own_programs:LIBRARY \\
        --set program=Gather
"""

from itertools import permutations

import gymnasium
from numba import njit

import procgen_bench  # noqa: F401 - registers FetchProgram-v0
from procgen_bench.tasks.programs import PROGRAMS, ProgramDefinition
from procgen_bench.tasks.programs.relations import can_move, is_supported, num_blocks, write_positions

NUMBERS_OF_A_BLOCK = 15
#: The fingers need so much room to the next block, along x or along y (metres), on a table so high.
ROOM_X, ROOM_Y, HEIGHT = 0.058, 0.085, 0.425
#: Blocks are together where none is further than this from another (metres).
TOGETHER = 0.25


@njit
def middle(state, one, other, axis):
    """Where the middle between two blocks is, along x (0) or y (1)."""
    return (state[NUMBERS_OF_A_BLOCK * one + axis] + state[NUMBERS_OF_A_BLOCK * other + axis]) / 2


@njit
def has_room_between(state, arguments):
    """phi: the block can be moved, and no other is too near to the middle between the two."""
    block, one, other = arguments[0], arguments[1], arguments[2]
    for neighbour in range(num_blocks(state)):
        across = abs(state[NUMBERS_OF_A_BLOCK * neighbour] - middle(state, one, other, 0))
        along = abs(state[NUMBERS_OF_A_BLOCK * neighbour + 1] - middle(state, one, other, 1))
        if neighbour != block and across < ROOM_X and along < ROOM_Y:
            return False
    return can_move(state, block)


@njit
def set_between(state, arguments, goal):
    """theta: the block in the middle between the two, on the table, all others where they are."""
    block, one, other = arguments[0], arguments[1], arguments[2]
    write_positions(state, goal)
    goal[3 * block] = middle(state, one, other, 0)
    goal[3 * block + 1] = middle(state, one, other, 1)
    goal[3 * block + 2] = HEIGHT


@njit
def are_together(state, arguments, goal):
    """psi: every block is supported, and none is far from another."""
    for one in range(num_blocks(state)):
        for other in range(one):
            across = state[NUMBERS_OF_A_BLOCK * one] - state[NUMBERS_OF_A_BLOCK * other]
            along = state[NUMBERS_OF_A_BLOCK * one + 1] - state[NUMBERS_OF_A_BLOCK * other + 1]
            if across * across + along * along > TOGETHER * TOGETHER:
                return False
        if not is_supported(state, one):
            return False
    return True


#: Atomic: no post-condition of its own, so that it is done where its goal is met.
MOVES = [
    ProgramDefinition(
        name=f"Move_Between_{block}_{one}_{other}",
        text=f"move block {block} between blocks {one} and {other}",
        level=0,
        phi=has_room_between,
        theta=set_between,
        arguments=(block, one, other),
        precondition_text=f"nothing on block {block}, and room between blocks {one} and {other}",
        blocks=(block,),
    )
    for block, one, other in permutations(range(4), 3)
    if one < other
]
GATHER = ProgramDefinition(
    name="Gather",
    text="bring all blocks near each other",
    level=1,
    psi=are_together,
    calls=tuple(move.name for move in MOVES),
    most_atomic_calls=4,
)
LIBRARY = PROGRAMS.extended([*MOVES, GATHER])


def main() -> bool:
    """The scripted expert, which plays any atomic program, plays one of these; returns whether it has settled."""
    from procgen_bench.envs.fetch_blocks.scripted.expert import Expert

    env = gymnasium.make("FetchProgram-v0", library=LIBRARY, program="Move_Between_0_1_2")
    observation, _ = env.reset(seed=0)
    expert = Expert(env.unwrapped.program, observation["goal"])
    ended = False
    while not ended:
        observation, _, terminated, truncated, info = env.step(expert.act(observation["observation"]))
        ended = terminated or truncated
    can_start = LIBRARY.preconditions(observation["observation"])
    print(f"{env.unwrapped.program.text}: settled {info['settled']}; now {can_start.sum()} of {len(LIBRARY)} can start")
    return info["settled"]


if __name__ == "__main__":
    main()
