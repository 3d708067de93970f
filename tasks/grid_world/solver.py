"""Exact solver of GridWorld: breadth-first search over position and keys taken."""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.copying import copy
from procgen_bench.core.search_tree import nodes_on_way
from procgen_bench.tasks.grid_world.layout import draw_layout, mutate_layout
from procgen_bench.tasks.grid_world.task import (
    ABSENT,
    DOOR_1,
    EMPTY,
    GOAL,
    START,
    GridWorldTask,
)

#: Actions as x and y steps: right, down, left, up.
MOVES = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]], np.int64)

_UNSEEN = -1
_ONE = np.uint64(1)


def solve(task: GridWorldTask) -> np.ndarray | None:
    """The first of the shortest action sequences, int64 (steps,), that reach the goal within the task's horizon.

    Returns ``None`` when there is none: no goal, the agent starts on it, no way to it, or none short enough.
    """
    actions = _search(task.tiles, task.objects)
    return actions if 0 < len(actions) <= task.horizon else None


def shortest_length(tiles: np.ndarray, objects: np.ndarray) -> int:
    """Steps of the shortest way to the goal, however long; 0: there is none, or the agent starts on the goal.

    Args:
        tiles: int8 (side, side).
        objects: int8 (objects, 2).
    """
    return len(_search(tiles, objects))


@njit
def lengthen(rng, tiles, objects, length, patience):
    """Mutate a layout until its shortest solution has ``length`` steps; what shortens or overshoots it is not kept.

    Args:
        rng: ``numpy.random.Generator``.
        tiles: int8 (side, side), changed in place.
        objects: int8 (objects, 2), changed in place.
        length: 1 to the horizon.
        patience: Mutations in a row that do not lengthen it before it is given up.

    Returns:
        Whether it has that length now. It has not, either, where it was unsolvable or longer.
    """
    new_tiles, new_objects = tiles.copy(), objects.copy()
    cells = np.empty(objects.shape, np.int64)
    reached, stale = len(_search(tiles, objects)), 0
    while 0 < reached < length and stale < patience:
        copy(tiles, new_tiles)
        copy(objects, new_objects)
        mutate_layout(rng, new_tiles, new_objects, cells)
        found = len(_search(new_tiles, new_objects))
        stale = 0 if reached < found <= length else stale + 1
        if reached <= found <= length:
            copy(new_tiles, tiles)
            copy(new_objects, objects)
            reached = found
    return reached == length


@njit
def wander(rng, tiles, objects, mutations, shortest, longest):
    """A random walk over layouts whose shortest solutions have so many steps; others are not stepped on.

    Args:
        rng: ``numpy.random.Generator``.
        tiles: int8 (side, side), changed in place.
        objects: int8 (objects, 2), changed in place.
        mutations: How many are tried.
        shortest, longest: 1 to the horizon.
    """
    new_tiles, new_objects = tiles.copy(), objects.copy()
    cells = np.empty(objects.shape, np.int64)
    for _ in range(mutations):
        copy(tiles, new_tiles)
        copy(objects, new_objects)
        mutate_layout(rng, new_tiles, new_objects, cells)
        if shortest <= len(_search(new_tiles, new_objects)) <= longest:
            copy(new_tiles, tiles)
            copy(new_objects, objects)


@njit
def draw_solvable_layouts(stream, horizon, tiles, objects):
    """Fill tiles (n, side, side) and objects (n, objects, 2) with uniform layouts, each redrawn until it is solvable.

    Returns:
        The stream's state after the draws.
    """
    cells, bits = np.empty(objects.shape[1:], np.int64), np.zeros((2, tiles.shape[1] + 2), np.uint64)
    for i in range(tiles.shape[0]):
        length = 0
        while not 0 < length <= horizon:
            stream = draw_layout(stream, tiles[i], objects[i], cells)
            length = len(_search(tiles[i], objects[i])) if _is_connected(tiles[i], objects[i], bits) else 0
    return stream


@njit
def _is_connected(tiles, objects, bits):
    """Whether the start is connected to a goal elsewhere, if doors were open: of uniform layouts few are.

    A row of the map is a number whose bits are its tiles, so that one operation spreads to all of a row's neighbours:
    many times as fast as a search. ``bits`` is scratch space, uint64 (2, side + 2), whose first and last columns are 0.
    """
    side = tiles.shape[0]
    goal_x, goal_y = np.int64(objects[GOAL, 0]), np.int64(objects[GOAL, 1])
    if goal_x == ABSENT or (goal_x == START[0] and goal_y == START[1]):
        return False
    if tiles[0, 1] != EMPTY and tiles[1, 0] != EMPTY:  # of uniform layouts four of nine
        return False
    passable, reached = bits[0], bits[1]
    for y in range(side):
        row = np.uint64(0)
        for x in range(side):
            row |= np.uint64(tiles[y, x] == EMPTY) << np.uint64(x + 1)
        passable[y + 1], reached[y + 1] = row, 0
    reached[START[1]] = _ONE << np.uint64(START[0])
    aim, grows = _ONE << np.uint64(goal_x), True
    while grows and not reached[goal_y] & aim:
        grows = False
        for y in range(1, side + 1):
            before = reached[y]
            spread = before << _ONE | before >> _ONE | reached[y - 1] | reached[y + 1]
            reached[y] |= spread & passable[y]
            grows |= reached[y] != before
    return bool(reached[goal_y] & aim)


@njit
def _search(tiles, objects):
    """Shortest actions from the start to the goal; empty when there are none."""
    side, num_pairs = tiles.shape[0], objects.shape[0] // 2
    map_side = side + 2
    num_cells = map_side * map_side
    num_states = num_cells << num_pairs  # 20,736 at most, of an int16
    parents = np.full(num_states, _UNSEEN, np.int16)
    arrivals = np.empty(num_states, np.int8)
    queue = np.empty(num_states, np.int16)
    start = START[1] * map_side + START[0]
    goal_x, goal_y = objects[GOAL, 0], objects[GOAL, 1]
    if goal_x == ABSENT or goal_y * map_side + goal_x == start:
        return np.empty(0, np.int64)
    parents[start] = start
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        state = queue[head]
        head += 1
        keys, cell = state // num_cells, state % num_cells
        for action in range(4):
            x, y = cell % map_side + MOVES[action, 0], cell // map_side + MOVES[action, 1]
            if not (1 <= x <= side and 1 <= y <= side) or tiles[y - 1, x - 1] != EMPTY:
                continue
            blocked, taken = False, keys
            for pair in range(num_pairs):
                door, key = DOOR_1 + pair, DOOR_1 + num_pairs + pair
                if objects[door, 0] == x and objects[door, 1] == y and not keys >> pair & 1:
                    blocked = True
                if objects[key, 0] == x and objects[key, 1] == y:
                    taken |= 1 << pair
            reached = taken * num_cells + y * map_side + x
            if blocked or parents[reached] != _UNSEEN:
                continue
            parents[reached], arrivals[reached] = state, action
            if x == goal_x and y == goal_y:
                return arrivals[nodes_on_way(parents, start, reached)].astype(np.int64)
            queue[tail] = reached
            tail += 1
    return np.empty(0, np.int64)
