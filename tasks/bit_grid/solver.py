"""Solver of BitGrid: the shortest tour over the goal's bits, each toggled once.

Moves reach the eight neighbours, so the way between two cells takes the greater of their distances in x and y, and a
solution takes the tour's length plus one step per bit.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.bit_grid.task import HORIZON, MOVES, TOGGLE, BitGridTask

#: Up to this many bits the sets of bits that were toggled are few enough to be gone through.
MAX_BITS_IN_SETS = 12

_FAR = np.iinfo(np.int64).max // 2


def solve(task: BitGridTask) -> np.ndarray | None:
    """The fewest actions, int64 (steps,), that set exactly the goal's bits; ``None``: more than 50 are needed, which is
    proven."""
    bits = np.argwhere(task.goal)[:, ::-1]
    places = np.concatenate([task.start[np.newaxis], bits]).astype(np.int64)
    ways = abs(places[:, np.newaxis] - places).max(axis=-1)
    if len(bits) + _spanning_tree_length(ways) > HORIZON:
        return None
    if len(bits) <= MAX_BITS_IN_SETS:
        order = _order_by_sets(ways)
    else:
        from procgen_bench.tasks.bit_grid.tours import shortest_order  # SciPy's optimizers, for few tasks alone

        order = shortest_order(ways)
    if len(bits) + ways[order[:-1], order[1:]].sum() > HORIZON:
        return None
    return _actions_along(places[order])


def _actions_along(places: np.ndarray) -> np.ndarray:
    """The moves from each of ``places`` (x and y) to the next, and a toggle at each but the first."""
    actions: list[int] = []
    for (x, y), (next_x, next_y) in zip(places.tolist(), places[1:].tolist()):
        while (x, y) != (next_x, next_y):
            step = [np.sign(next_x - x), np.sign(next_y - y)]
            actions.append(int(np.flatnonzero(np.all(np.equal(step, MOVES), axis=1))[0]))
            x, y = x + step[0], y + step[1]
        actions.append(TOGGLE)
    return np.array(actions, np.int64)


@njit
def _order_by_sets(ways):
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


@njit
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
