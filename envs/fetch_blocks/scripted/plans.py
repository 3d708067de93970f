"""Plans: which atomic program the expert calls next, from any state, until a program has done its work.

A plan works from the tops of stacks downwards, and is over after at most as many calls as the program's
``most_atomic_calls`` says. (Where strays leave no place in a zone, once in some thousand starts, a block has to be put
aside before.) A new plan is made after every call, from the state that the call led to.
"""

from collections.abc import Iterator

import numpy as np

from procgen_bench.tasks.programs import PROGRAMS
from procgen_bench.tasks.programs.paper import blocks_of_colour, move_name, stack_name
from procgen_bench.tasks.programs.relations import is_clear, is_in_zone, is_stacked, is_supported
from procgen_bench.tasks.programs.states import NUM_BLOCKS
from procgen_bench.tasks.programs.zones import BLOCK_COLOURS, COLOURS

_BLOCKS = range(NUM_BLOCKS)


def next_call(name: str, state: np.ndarray) -> str | None:
    """Name of the atomic program that a non-atomic one calls next.

    ``None`` when it has done its work, or when nothing can start (while a block falls, say).

    Args:
        name: A non-atomic program.
        state: float64 (70,), in the canonical order.
    """
    program = PROGRAMS[name]
    if program.postcondition(state):
        return None
    if program.level == 2:
        return next(filter(None, (next_call(called, state) for called in program.calls)), None)
    calls = (*_wishes(name, state), *_making_room(state), *_putting_aside(state))
    return next((call for call in calls if PROGRAMS[call].precondition(state)), None)


def _wishes(name: str, state: np.ndarray) -> Iterator[str]:
    """Calls towards what a program of level 1 is for, the best first, whether or not they can start."""
    if name == "Stack_All_Blocks":
        return _stack_all(state)
    zone = COLOURS.index(name.rpartition("_")[2])
    return _stack_in_zone(state, zone) if name.startswith("Stack") else _move_to_zone(state, zone)


def _move_to_zone(state: np.ndarray, zone: int) -> Iterator[str]:
    """Each block of the colour to its zone; what is in the air or on such a block goes home before."""
    away = [block for block in blocks_of_colour(zone) if not is_in_zone(state, block, zone)]
    for block in (*_in_air(state), *(_top(state, block) for block in away)):
        yield move_name(block, BLOCK_COLOURS[block])


def _stack_in_zone(state: np.ndarray, zone: int) -> Iterator[str]:
    """One of the colour's two blocks to the table in its zone, if none is there, and the other one on it."""
    for block in _in_air(state):
        yield _call_home(state, block)
    one, other = blocks_of_colour(zone)
    for lower, upper in ((one, other), (other, one)):
        if _is_at_home(state, lower) and is_clear(state, lower):
            yield _call_home(state, _top(state, upper))
    for lower, upper in ((one, other), (other, one)):
        if _is_at_home(state, lower) and _top(state, lower) != upper:
            yield _call_home(state, _top(state, lower))
    for block in (one, other):
        if is_clear(state, block) and not _is_at_home(state, block):
            yield _call_home(state, block)
    for block in (one, other):
        yield _call_home(state, _top(state, block))


def _call_home(state: np.ndarray, block: int) -> str:
    """On the block's mate, where that is at home with nothing on it; else to the zone."""
    zone = BLOCK_COLOURS[block]
    (mate,) = (other for other in blocks_of_colour(zone) if other != block)
    if _is_at_home(state, mate) and is_clear(state, mate):
        return stack_name(block, mate)
    return move_name(block, zone)


def _is_at_home(state: np.ndarray, block: int) -> bool:
    """Whether the block lies on the table in its zone: what is stacked on it need not move again."""
    return is_in_zone(state, block, BLOCK_COLOURS[block]) and not _stands_on(state, block)


def _making_room(state: np.ndarray) -> Iterator[str]:
    """Blocks home that lie in the other zone, where they may leave no place."""
    for block in _BLOCKS:
        if any(is_in_zone(state, block, zone) for zone in range(len(COLOURS)) if zone != BLOCK_COLOURS[block]):
            top = _top(state, block)
            yield move_name(top, BLOCK_COLOURS[top])


def _putting_aside(state: np.ndarray) -> Iterator[str]:
    """What is in the air, or on a block that is away from home, onto others in its zone; else anywhere."""
    away = [block for block in _BLOCKS if not is_in_zone(state, block, BLOCK_COLOURS[block])]
    for block in _in_air(state) or [_top(state, block) for block in away]:
        home, others = BLOCK_COLOURS[block], [other for other in _BLOCKS if other != block]
        yield from (stack_name(block, other) for other in others if is_in_zone(state, other, home))
        yield from (move_name(block, zone) for zone in range(len(COLOURS)))
        yield from (stack_name(block, other) for other in others)


def _stack_all(state: np.ndarray) -> Iterator[str]:
    """Every top onto the highest stack."""
    stacks = [
        _stack_on(state, block) for block in _BLOCKS if is_supported(state, block) and not _stands_on(state, block)
    ]
    main = max(stacks, key=len)
    for block in (*_in_air(state), *(stack[-1] for stack in stacks if stack is not main)):
        yield stack_name(block, main[-1])


def _in_air(state: np.ndarray) -> list[int]:
    return [block for block in _BLOCKS if not is_supported(state, block)]


def _stands_on(state: np.ndarray, block: int) -> bool:
    return any(other != block and is_stacked(state, block, other) for other in _BLOCKS)


def _stack_on(state: np.ndarray, block: int) -> list[int]:
    """A block and those above it, from below."""
    stack = [block]
    while True:
        above = [other for other in _BLOCKS if other not in stack and is_stacked(state, other, stack[-1])]
        if not above:
            return stack
        stack.append(above[0])


def _top(state: np.ndarray, block: int) -> int:
    """The uppermost block of those on a block, or itself."""
    return _stack_on(state, block)[-1]
