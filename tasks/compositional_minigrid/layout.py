"""Compiled placement: the agent and the things of a design on random tiles, none of which shuts another off.

Tiles are the bits of one 64-bit number, the map's rows one after the other.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.seeding import stream_from_seed
from procgen_bench.core.streams import draw_below
from procgen_bench.tasks.compositional_minigrid.subtasks import BROUGHT, GOAL, NUM_SUBTASKS, NUM_THINGS
from procgen_bench.tasks.compositional_minigrid.task import (
    ABSENT,
    COLOURED,
    COLOURS,
    DIRECTIONS,
    MAP_SIDE,
    ROOM_SIDE,
    CompositionalMiniGridTask,
)

_ONE, _ONE_ROW = np.uint64(1), np.uint64(MAP_SIDE)
_ROOM = np.uint64(sum(1 << (MAP_SIDE * y + x) for y in range(1, ROOM_SIDE + 1) for x in range(1, ROOM_SIDE + 1)))
_NUM_TILES = ROOM_SIDE * ROOM_SIDE
_NUM_COLOURS, _NUM_COLOURED, _NUM_DIRECTIONS = len(COLOURS), len(COLOURED), len(DIRECTIONS)
_COLOURED = np.array(COLOURED)


@njit
def draw_task(stream, subtasks, agent, places, colours):
    """Draw a task: every design equally likely, then as :func:`draw_placement`. Returns the stream after the draws."""
    stream, design = draw_below(stream, 1 << NUM_SUBTASKS)
    for k in range(NUM_SUBTASKS):
        subtasks[k] = design >> k & 1
    return draw_placement(stream, subtasks, agent, places, colours)


@njit
def draw_placement(stream, subtasks, agent, places, colours):
    """Draw colours, directions and tiles, each equally likely, for a design; tiles again until all is within reach.

    Args:
        stream: uint64, the random stream's state.
        subtasks: int8 (5,), the design.
        agent, places, colours: As in the task, written.

    Returns:
        The stream's state after the draws.
    """
    for k in range(NUM_THINGS):
        present = k == GOAL
        for subtask in range(NUM_SUBTASKS):
            if subtasks[subtask] and BROUGHT[subtask, k]:
                present = True
        places[k, 0] = 0 if present else ABSENT
    for k in range(_NUM_COLOURED):
        colours[k] = ABSENT
        if places[_COLOURED[k], 0] != ABSENT:
            stream, colour = draw_below(stream, _NUM_COLOURS)
            colours[k] = colour
    stream, direction = draw_below(stream, _NUM_DIRECTIONS)
    agent[2] = direction
    reachable = False
    while not reachable:
        stream, tile = _draw_tile(stream, np.uint64(0))
        agent[0], agent[1] = 1 + tile % ROOM_SIDE, 1 + tile // ROOM_SIDE
        taken = _bit(agent[0], agent[1])
        for k in range(NUM_THINGS):
            if places[k, 0] == ABSENT:
                places[k, 1] = ABSENT
                continue
            stream, tile = _draw_tile(stream, taken)
            places[k, 0], places[k, 1] = 1 + tile % ROOM_SIDE, 1 + tile // ROOM_SIDE
            taken |= _bit(places[k, 0], places[k, 1])
        reachable = all_within_reach(agent, places)
    return stream


def drawn_task(subtasks: np.ndarray, seed: int) -> CompositionalMiniGridTask:
    """The task of the design ``subtasks`` (int8 (5,), 0 or 1) that ``seed`` draws, everything within the agent's
    reach."""
    agent, places = np.zeros(3, np.int8), np.zeros((NUM_THINGS, 2), np.int8)
    colours = np.zeros(len(COLOURED), np.int8)
    draw_placement(stream_from_seed(seed), subtasks, agent, places, colours)
    return CompositionalMiniGridTask(subtasks, agent, places, colours)


@njit
def all_within_reach(agent, places):
    """Whether the agent can walk up to every thing while none of them is moved.

    Such a task can be solved: do the subtasks one after the other, putting a key back where it was.
    """
    things = np.uint64(0)
    for k in range(NUM_THINGS):
        if places[k, 0] != ABSENT:
            things |= _bit(places[k, 0], places[k, 1])
    free = _ROOM & ~things
    reached, grown = np.uint64(0), _bit(agent[0], agent[1])
    while grown != reached:
        reached = grown
        grown = (reached | _neighbours(reached)) & free
    return things & ~_neighbours(reached) == 0


@njit
def _draw_tile(stream, taken):
    """The stream's state after drawing a tile of the room that is not ``taken``, and the tile (0 to 35)."""
    while True:
        stream, tile = draw_below(stream, _NUM_TILES)
        if not taken & _bit(1 + tile % ROOM_SIDE, 1 + tile // ROOM_SIDE):
            return stream, tile


@njit
def _bit(x, y):
    return _ONE << np.uint64(MAP_SIDE * y + x)


@njit
def _neighbours(tiles):
    return tiles << _ONE | tiles >> _ONE | tiles << _ONE_ROW | tiles >> _ONE_ROW
