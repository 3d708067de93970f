"""PROGRAMS: the 20 atomic and 7 non-atomic programs of the paper's table 3, and how they depend on each other."""

from functools import cache, partial
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.tasks.programs import kernels
from procgen_bench.tasks.programs.program import Kernel, Program
from procgen_bench.tasks.programs.states import NUM_BLOCKS
from procgen_bench.tasks.programs.zones import BLOCK_COLOURS, COLOURS

if TYPE_CHECKING:
    from networkx import DiGraph

_BLOCKS = tuple(range(NUM_BLOCKS))


def blocks_of_colour(zone: int) -> tuple[int, ...]:
    """The blocks that belong in a zone."""
    return tuple(block for block in _BLOCKS if BLOCK_COLOURS[block] == zone)


def stack_name(upper: int, lower: int) -> str:
    """Name of the program that stacks block ``upper`` on block ``lower``."""
    return f"Stack_{upper}_{lower}"


def move_name(block: int, zone: int) -> str:
    """Name of the program that moves ``block`` to ``zone``, a place in ``COLOURS``."""
    return f"Move_To_Zone_{block}_{COLOURS[zone]}"


def _stack(upper: int, lower: int) -> Program:
    return Program(
        name=stack_name(upper, lower),
        text=f"stack block {upper} on block {lower}",
        level=0,
        precondition_text=f"nothing on block {upper}, nothing on block {lower}, and no other block in the air",
        calls=(),
        most_atomic_calls=1,
        _precondition=_bound(kernels.can_stack, upper, lower),
        _postcondition=None,
        _goal=_bound(kernels.set_stack_goals, upper, lower),
        blocks=(upper, lower),
    )


def _move_to_zone(block: int, zone: int) -> Program:
    return Program(
        name=move_name(block, zone),
        text=f"move block {block} to the {COLOURS[zone].lower()} zone",
        level=0,
        precondition_text=f"nothing on block {block}, a free place in the {COLOURS[zone].lower()} zone, and no other "
        "block in the air",
        calls=(),
        most_atomic_calls=1,
        _precondition=_bound(kernels.can_move_to_zone, block, zone),
        _postcondition=None,
        _goal=_bound(kernels.set_zone_goals, block, zone),
        blocks=(block,),
        zone=zone,
    )


def _non_atomic(
    name: str, text: str, level: int, calls: tuple[str, ...], most_atomic_calls: int, postcondition: Kernel
) -> Program:
    return Program(
        name=name,
        text=text,
        level=level,
        precondition_text="nothing: it can be called from anywhere",
        calls=calls,
        most_atomic_calls=most_atomic_calls,
        _precondition=kernels.always,
        _postcondition=postcondition,
        _goal=None,
    )


def _bound(kernel, *arguments) -> Kernel:
    """``kernel(states, *arguments, results)`` as a function of states and results."""
    return partial(_call, kernel, arguments)


def _call(kernel, arguments: tuple, states: np.ndarray, results: np.ndarray) -> None:
    kernel(states, *arguments, results)


def _every_move_home() -> tuple[str, ...]:
    """A plan may also have to put a block of the other colour away, which lies on top or is held."""
    return tuple(move_name(block, BLOCK_COLOURS[block]) for block in _BLOCKS)


def _stacks_by_colour() -> tuple[str, ...]:
    pairs = permutations(_BLOCKS, 2)
    return tuple(stack_name(*pair) for pair in pairs if BLOCK_COLOURS[pair[0]] == BLOCK_COLOURS[pair[1]])


def _colour_programs(zone: int) -> list[Program]:
    colour, blocks = COLOURS[zone], blocks_of_colour(zone)
    return [
        _non_atomic(
            name=f"Stack_All_To_Zone_{colour}",
            text=f"stack the {colour.lower()} blocks in the {colour.lower()} zone",
            level=1,
            calls=_every_move_home() + _stacks_by_colour(),
            most_atomic_calls=NUM_BLOCKS,
            postcondition=_bound(kernels.pairs_stacked_in_zones, np.array([blocks]), np.array([zone])),
        ),
        _non_atomic(
            name=f"Move_All_To_Zone_{colour}",
            text=f"move the {colour.lower()} blocks to the {colour.lower()} zone",
            level=1,
            calls=_every_move_home(),
            most_atomic_calls=NUM_BLOCKS,
            postcondition=_bound(kernels.all_in_zones, np.array(blocks), np.full(len(blocks), zone)),
        ),
    ]


def _library() -> list[Program]:
    zones = range(len(COLOURS))
    stacks = [_stack(*pair) for pair in permutations(_BLOCKS, 2)]
    moves = [_move_to_zone(block, zone) for zone in zones for block in _BLOCKS]
    stack_all_to_zone, move_all_to_zone = zip(*(_colour_programs(zone) for zone in zones))
    stack_all_blocks = _non_atomic(
        name="Stack_All_Blocks",
        text="stack all blocks together in any order",
        level=1,
        calls=tuple(program.name for program in stacks),
        most_atomic_calls=NUM_BLOCKS - 1,
        postcondition=_bound(kernels.all_stacked, np.array(list(permutations(_BLOCKS)))),
    )
    clean_table = _non_atomic(
        name="Clean_Table",
        text="move all blocks to the zones of their colours",
        level=2,
        calls=tuple(program.name for program in move_all_to_zone),
        most_atomic_calls=NUM_BLOCKS,
        postcondition=_bound(kernels.all_in_zones, np.array(_BLOCKS), np.array(BLOCK_COLOURS[:NUM_BLOCKS])),
    )
    clean_and_stack = _non_atomic(
        name="Clean_And_Stack",
        text="stack the blocks of each colour in its zone",
        level=2,
        calls=tuple(program.name for program in stack_all_to_zone),
        most_atomic_calls=NUM_BLOCKS,
        postcondition=_bound(
            kernels.pairs_stacked_in_zones, np.array([blocks_of_colour(zone) for zone in zones]), np.array(zones)
        ),
    )
    return [*stacks, *moves, *stack_all_to_zone, *move_all_to_zone, stack_all_blocks, clean_table, clean_and_stack]


#: Every program by its name, in the order of table 3; a program's number is its place.
PROGRAMS: dict[str, Program] = {program.name: program for program in _library()}
#: The groups of table 2: the non-atomic programs, those that differ in their arguments together.
GROUPS: dict[str, tuple[str, ...]] = {
    "Clean_Table": ("Clean_Table",),
    "Clean_And_Stack": ("Clean_And_Stack",),
    "Stack_All_Blocks": ("Stack_All_Blocks",),
    "Stack_All_To_Zone": tuple(f"Stack_All_To_Zone_{colour}" for colour in COLOURS),
    "Move_All_To_Zone": tuple(f"Move_All_To_Zone_{colour}" for colour in COLOURS),
}


def find_program(name: str) -> Program:
    """The program of this name.

    Raises:
        UnknownNameError: There is none.
    """
    if not isinstance(name, str) or name not in PROGRAMS:
        raise UnknownNameError("program", name, list(PROGRAMS))
    return PROGRAMS[name]


@cache
def dependency_graph() -> "DiGraph":
    """Which programs call which: an edge from each to all of lower levels, which it may call.

    Nodes are names with the attributes ``level`` and ``is_atomic``; an edge's attribute ``is_planned`` tells whether
    the program's plan calls the other one. The graph is shared and frozen.
    """
    from networkx import DiGraph, freeze

    graph = DiGraph()
    for program in PROGRAMS.values():
        graph.add_node(program.name, level=program.level, is_atomic=program.is_atomic)
    for caller in PROGRAMS.values():
        for called in PROGRAMS.values():
            if called.level < caller.level:
                graph.add_edge(caller.name, called.name, is_planned=called.name in caller.calls)
    return freeze(graph)
