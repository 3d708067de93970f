"""TablePush's solver: a search over pushes in the simulator, for the fewest that reach the goal."""

import heapq
import itertools
import math

import numpy as np

from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.envs.table_push.remembered import RememberedPushes
from procgen_bench.envs.table_push.scene import Scene
from procgen_bench.tasks.table_push import HORIZON, TablePushTask
from procgen_bench.tasks.table_push.table import GOAL_RADIUS, NUM_ACTIONS, NUM_DIRECTIONS, TARGET

#: States whose cans all stand in the same squares of this side (metres) are taken for one.
STATE_GRID = 0.01
#: A push moves a can by no more than this (metres).
GREATEST_MOVE = 0.17


class UndecidedTaskError(ProcgenBenchError):
    """The search was given too few pushes to find a plan or to try everything."""


def solve(task: TablePushTask, max_pushes: int | None = None) -> np.ndarray | None:
    """The fewest pushes (int64 (K,), actions) that bring the target to the goal, found with the tool alone.

    ``None`` when the search has tried all that can be reached within the horizon of 15 pushes, without success.
    States within the same cells of a grid of 1 cm count as one: what only the other of two such states could reach is
    not found, and another order of pushes may leave a can a millimetre from where it would have to be.

    Args:
        task: A valid task.
        max_pushes: Most pushes to simulate; ``None``: as many as it takes.

    Raises:
        UndecidedTaskError: After so many pushes the search was not at its end.
    """
    scene = Scene()
    try:
        return _search(task, RememberedPushes(scene), max_pushes)
    finally:
        scene.close()


def _search(task: TablePushTask, pushed: RememberedPushes, max_pushes: int | None) -> np.ndarray | None:
    """A* from the task's start; what it finds first is shortest, as no push gains more than is assumed."""
    if not task.present[TARGET]:
        return None
    numbers = itertools.count()
    frontier: list[tuple[int, int, np.ndarray, tuple[int, ...]]] = [
        (_pushes_needed(task, task.objects), next(numbers), task.objects, ())
    ]
    fewest = {_cell(task.objects): 0}
    while frontier:
        _, _, positions, plan = heapq.heappop(frontier)
        if fewest[_cell(positions)] < len(plan):
            continue
        distance = _distance(task, positions)
        for action in range(NUM_ACTIONS):
            outcome = pushed(task, positions, *divmod(action, NUM_DIRECTIONS))
            if max_pushes is not None and pushed.simulated > max_pushes:
                raise UndecidedTaskError("the pushes that the search was given are used up; give it more")
            if outcome.fallen or outcome.collided:
                continue
            longer = (*plan, action)
            if distance > GOAL_RADIUS >= _distance(task, outcome.positions):
                return np.array(longer, np.int64)
            needed = len(longer) + _pushes_needed(task, outcome.positions)
            cell = _cell(outcome.positions)
            if needed <= HORIZON and len(longer) < fewest.get(cell, HORIZON):
                fewest[cell] = len(longer)
                heapq.heappush(frontier, (needed, next(numbers), outcome.positions, longer))
    return None


def _cell(positions: np.ndarray) -> bytes:
    return np.round(positions / STATE_GRID).tobytes()


def _distance(task: TablePushTask, positions: np.ndarray) -> float:
    return math.dist(positions[TARGET], task.goal)


def _pushes_needed(task: TablePushTask, positions: np.ndarray) -> int:
    """No fewer pushes bring the target to the goal, whatever is in the way."""
    x, y = abs(positions[TARGET] - task.goal)
    pushes = 0
    while True:
        for along_x in range(pushes + 1):
            left_x = max(x - along_x * GREATEST_MOVE, 0.0)
            left_y = max(y - (pushes - along_x) * GREATEST_MOVE, 0.0)
            if math.hypot(left_x, left_y) <= GOAL_RADIUS:
                return pushes
        pushes += 1
