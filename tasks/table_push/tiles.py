"""Pushes counted on tiles: every can stands on one, and a push moves it to the next. A guess, in microseconds.

What physics makes of a plan, and whether another one is shorter there, takes the simulator.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.table_push.table import (
    BLOCK_SIDE,
    DIRECTIONS,
    FLAT,
    GOAL_RADIUS,
    HORIZON,
    NUM_ACTIONS,
    NUM_DIRECTIONS,
    NUM_OBJECTS,
    TARGET,
    tile_centres,
)
from procgen_bench.tasks.table_push.task import TablePushTask

_UNSEEN = -1


def tile_plan(task: TablePushTask) -> np.ndarray | None:
    """The fewest pushes (int64 (K,), actions) that bring the target to the goal if cans go from tile to tile.

    Cans go to flat tiles without a can, and stand there as far from the middle as they did. Static obstacles do not
    count. ``None``: there is no target, or the horizon of 15 pushes is too short.
    """
    if not task.present[TARGET]:
        return None
    rows, columns = task.blocks.shape
    nowhere = rows * columns
    cells = np.floor(np.where(task.present[:, None], task.objects, 0.0) / BLOCK_SIDE).astype(np.int64)
    tiles = np.where(task.present, cells @ (columns, 1), nowhere)
    centres = tile_centres(rows, columns)
    stands = centres + task.objects[TARGET] - centres[tiles[TARGET]]
    on_goal = np.hypot(*(stands - task.goal).T) <= GOAL_RADIUS
    plan = _search(task.blocks == FLAT, on_goal, tiles)
    return plan if len(plan) else None


@njit
def _search(flat, on_goal, start):
    """The shortest plan from the tiles ``start`` (3,), of which an absent can's is behind the last; empty: none.

    Args:
        flat: bool (rows, columns).
        on_goal: bool (tiles,): where the target is on the goal.
        start: int64 (3,).
    """
    rows, columns = flat.shape
    places = rows * columns + 1
    before = np.full(places**NUM_OBJECTS, _UNSEEN, np.int64)
    pushed = np.empty(places**NUM_OBJECTS, np.int8)
    depth = np.empty(places**NUM_OBJECTS, np.int8)
    queue = np.empty(places**NUM_OBJECTS, np.int64)
    first = (start[0] * places + start[1]) * places + start[2]
    queue[0], before[first], depth[first] = first, first, 0
    head, tail = 0, 1
    cans = np.empty(NUM_OBJECTS, np.int64)
    while head < tail:
        state = queue[head]
        head += 1
        if depth[state] == HORIZON:
            break
        for action in range(NUM_ACTIONS):
            cans[0], cans[1], cans[2] = state // places**2, state // places % places, state % places
            can, direction = action // NUM_DIRECTIONS, action % NUM_DIRECTIONS
            here = cans[can]
            if here == places - 1:
                continue
            row, column = here // columns + DIRECTIONS[direction, 0], here % columns + DIRECTIONS[direction, 1]
            if not (0 <= row < rows and 0 <= column < columns) or not flat[row, column]:
                continue
            there = row * columns + column
            if cans[0] == there or cans[1] == there or cans[2] == there:
                continue
            cans[can] = there
            reached = (cans[0] * places + cans[1]) * places + cans[2]
            if can == TARGET and on_goal[there] and not on_goal[here]:
                before[reached], pushed[reached] = state, action
                return _traced(before, pushed, reached, depth[state] + 1)
            if before[reached] == _UNSEEN:
                before[reached], pushed[reached], depth[reached] = state, action, depth[state] + 1
                queue[tail] = reached
                tail += 1
    return np.empty(0, np.int64)


@njit
def _traced(before, pushed, state, length):
    """The actions on the way to a state that is ``length`` pushes away."""
    plan = np.empty(length, np.int64)
    for step in range(length - 1, -1, -1):
        plan[step] = pushed[state]
        state = before[state]
    return plan
