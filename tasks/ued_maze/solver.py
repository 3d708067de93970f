"""Exact solver of UEDMaze: breadth-first search over where the agent stands and which way it faces."""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.copying import copy
from procgen_bench.core.search_tree import nodes_on_way
from procgen_bench.tasks.ued_maze.layout import draw_level, edit_level
from procgen_bench.tasks.ued_maze.task import DIRECTIONS, NUM_TILES, SIDE, UEDMazeTask

#: Actions that do something.
LEFT, RIGHT, FORWARD = range(3)
#: x and y steps of the four directions: right, down, left, up.
STEPS = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]], np.int64)

_NUM_DIRECTIONS = len(DIRECTIONS)
_UNSEEN = -1


def solve(task: UEDMazeTask) -> np.ndarray | None:
    """The first of the shortest action sequences, int64 (steps,), that reach the goal; ``None`` when there is none.

    There is one wherever the goal is connected to the start. A shortest way takes no tile beside an earlier one but the
    last, so at most some two thirds of the 169 tiles, and turns at most once on each: that fits into 250 steps.
    """
    actions = _search(task.walls, task.goal, task.agent)
    return actions if len(actions) else None


def shortest_length(task: UEDMazeTask) -> int:
    """Steps of the shortest way to the goal, turns among them; 0: there is none."""
    return len(_search(task.walls, task.goal, task.agent))


@njit
def draw_solvable_levels(stream, num_walls, walls, goals, agents):
    """Fill walls (n, 13, 13), goals (n, 2) and agents (n, 3) with levels, each drawn again until it is solvable.

    Returns:
        The stream's state after the draws.
    """
    for i in range(walls.shape[0]):
        solvable = False
        while not solvable:
            stream = draw_level(stream, num_walls, walls[i], goals[i], agents[i])
            solvable = len(_search(walls[i], goals[i], agents[i])) > 0
    return stream


@njit
def lengthen(rng, walls, goal, agent, longest, patience):
    """Edit a level until its shortest solution has ``longest`` steps; what shortens or overshoots it is not kept.

    Args:
        rng: ``numpy.random.Generator``.
        walls, goal: As in the task, changed in place.
        agent: As in the task.
        longest: Steps at which it ends.
        patience: Edits in a row that do not lengthen it before it ends, too.
    """
    new_walls, new_goal = walls.copy(), goal.copy()
    reached, stale = len(_search(walls, goal, agent)), 0
    while 0 < reached < longest and stale < patience:
        copy(walls, new_walls)
        copy(goal, new_goal)
        edit_level(rng, new_walls, new_goal, agent)
        found = len(_search(new_walls, new_goal, agent))
        stale = 0 if reached < found <= longest else stale + 1
        if reached <= found <= longest:
            copy(new_walls, walls)
            copy(new_goal, goal)
            reached = found


@njit
def wander(rng, walls, goal, agent, mutations, shortest, longest):
    """A random walk over levels whose shortest solutions have so many steps; others are not stepped on.

    Args:
        rng: ``numpy.random.Generator``.
        walls, goal: As in the task, changed in place.
        agent: As in the task.
        mutations: How many edits are tried.
        shortest, longest: Steps, both included.
    """
    new_walls, new_goal = walls.copy(), goal.copy()
    for _ in range(mutations):
        copy(walls, new_walls)
        copy(goal, new_goal)
        edit_level(rng, new_walls, new_goal, agent)
        if shortest <= len(_search(new_walls, new_goal, agent)) <= longest:
            copy(new_walls, walls)
            copy(new_goal, goal)


@njit
def _search(walls, goal, agent):
    """Shortest actions from the start to the goal; empty when there are none."""
    parents = np.full(_NUM_DIRECTIONS * NUM_TILES, _UNSEEN, np.int16)
    arrivals = np.empty(_NUM_DIRECTIONS * NUM_TILES, np.int8)
    queue = np.empty(_NUM_DIRECTIONS * NUM_TILES, np.int16)
    end = SIDE * goal[1] + goal[0]
    start = _NUM_DIRECTIONS * (SIDE * np.int64(agent[1]) + agent[0]) + agent[2]
    parents[start] = start
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        pose = np.int64(queue[head])
        head += 1
        tile, direction = pose // _NUM_DIRECTIONS, pose % _NUM_DIRECTIONS
        for action in range(3):
            if action == LEFT:
                reached = _NUM_DIRECTIONS * tile + (direction + 3) % _NUM_DIRECTIONS
            elif action == RIGHT:
                reached = _NUM_DIRECTIONS * tile + (direction + 1) % _NUM_DIRECTIONS
            else:
                x, y = tile % SIDE + STEPS[direction, 0], tile // SIDE + STEPS[direction, 1]
                if not (0 <= x < SIDE and 0 <= y < SIDE) or walls[y, x]:
                    continue
                reached = _NUM_DIRECTIONS * (SIDE * y + x) + direction
            if parents[reached] != _UNSEEN:
                continue
            parents[reached], arrivals[reached] = pose, action
            if action == FORWARD and reached // _NUM_DIRECTIONS == end:
                return arrivals[nodes_on_way(parents, start, reached)].astype(np.int64)
            queue[tail] = reached
            tail += 1
    return np.empty(0, np.int64)
