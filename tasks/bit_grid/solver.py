"""Solver of BitGrid: the shortest tour over the goal's bits, each toggled once.

Moves reach the eight neighbours, so the way between two cells takes the greater of their distances in x and y, and a
solution takes the tour's length plus one step per bit.
"""

import numpy as np
from numba import njit

from procgen_bench.tasks.bit_grid.task import HORIZON, MOVES, TOGGLE, BitGridTask

#: Up to this many bits the tour is exact.
MAX_EXACT_BITS = 12

_FAR = np.iinfo(np.int64).max // 2


def solve(task: BitGridTask) -> np.ndarray | None:
    """Actions (int64) that set exactly the goal's bits; ``None`` when that is proven to take more than 50 steps.

    With at most 12 bits on they are a shortest solution. With more they follow an improved greedy tour, which may be
    longer than 50 steps while the lower bound (a minimum spanning tree) is not: neither is solvability proven then.
    """
    bits = np.argwhere(task.goal)[:, ::-1]
    places = np.concatenate([task.start[np.newaxis], bits]).astype(np.int64)
    ways = abs(places[:, np.newaxis] - places).max(axis=-1)
    if len(bits) <= MAX_EXACT_BITS:
        order = _shortest_order(ways)
        if len(bits) + ways[order[:-1], order[1:]].sum() > HORIZON:
            return None
    else:
        if len(bits) + _spanning_tree_length(ways) > HORIZON:
            return None
        order = _improved_order(ways, _greedy_order(ways))
    return _actions_along(places[order])


def _actions_along(places: np.ndarray) -> np.ndarray:
    """The moves from each of ``places`` (x and y) to the next, and a toggle at each but the first."""
    actions: list[int] = []
    for (x, y), (next_x, next_y) in zip(places.tolist(), places[1:].tolist()):
        while (x, y) != (next_x, next_y):
            step = [np.sign(next_x - x), np.sign(next_y - y)]
            actions.append(int(np.flatnonzero((step == MOVES).all(axis=1))[0]))
            x, y = x + step[0], y + step[1]
        actions.append(TOGGLE)
    return np.array(actions, np.int64)


@njit(cache=True)
def _shortest_order(ways):
    """Order of the shortest path from place 0 over all others, by dynamic programming over the sets visited."""
    count = ways.shape[0] - 1
    lengths = np.full((1 << count, count), _FAR, np.int64)
    parents = np.zeros((1 << count, count), np.int64)
    for last in range(count):
        lengths[1 << last, last] = ways[0, last + 1]
    for visited in range(1, 1 << count):
        for last in range(count):
            so_far = lengths[visited, last]
            if so_far == _FAR:
                continue
            for following in range(count):
                if visited >> following & 1:
                    continue
                reached = visited | 1 << following
                length = so_far + ways[last + 1, following + 1]
                if length < lengths[reached, following]:
                    lengths[reached, following] = length
                    parents[reached, following] = last
    order = np.zeros(count + 1, np.int64)
    visited = (1 << count) - 1
    last = np.argmin(lengths[visited])
    for position in range(count, 0, -1):
        order[position] = last + 1
        visited, last = visited & ~(1 << last), parents[visited, last]
    return order


@njit(cache=True)
def _greedy_order(ways):
    """Order of a path from place 0 that always goes to the closest place left."""
    count = ways.shape[0]
    order = np.zeros(count, np.int64)
    left = np.ones(count, np.bool_)
    left[0] = False
    for position in range(1, count):
        closest = 0
        for place in range(count):
            if left[place] and (closest == 0 or ways[order[position - 1], place] < ways[order[position - 1], closest]):
                closest = place
        order[position] = closest
        left[closest] = False
    return order


@njit(cache=True)
def _improved_order(ways, order):
    """``order`` with stretches reversed (2-opt) and places put elsewhere, as long as that shortens it."""
    length = _length(ways, order)
    improved = True
    while improved:
        improved = False
        for begin in range(1, len(order)):
            for end in range(1, len(order)):
                trial = order.copy()
                if begin < end:
                    trial[begin : end + 1] = order[begin : end + 1][::-1]
                    trial_length = _length(ways, trial)
                    if trial_length < length:
                        order, length, improved = trial, trial_length, True
                trial = order.copy()
                _move_place(trial, begin, end)
                trial_length = _length(ways, trial)
                if trial_length < length:
                    order, length, improved = trial, trial_length, True
    return order


@njit(cache=True)
def _move_place(order, begin, end):
    """Move the place at position ``begin`` to position ``end``, in place."""
    place = order[begin]
    step = 1 if begin < end else -1
    for position in range(begin, end, step):
        order[position] = order[position + step]
    order[end] = place


@njit(cache=True)
def _length(ways, order):
    length = 0
    for position in range(1, len(order)):
        length += ways[order[position - 1], order[position]]
    return length


@njit(cache=True)
def _spanning_tree_length(ways):
    """Length of the minimum spanning tree (Prim's algorithm): no path over all places is shorter."""
    count = ways.shape[0]
    nearest = ways[0].copy()
    inside = np.zeros(count, np.bool_)
    inside[0] = True
    length = 0
    for _ in range(count - 1):
        added = -1
        for place in range(count):
            if not inside[place] and (added == -1 or nearest[place] < nearest[added]):
                added = place
        inside[added] = True
        length += nearest[added]
        nearest = np.minimum(nearest, ways[added])
    return length
