"""Solver of point mazes: the way by cells (networkx), and the actions that take it (breadth-first search)."""

from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.search_tree import nodes_on_way
from procgen_bench.tasks.point_maze.distance import goal_distance
from procgen_bench.tasks.point_maze.motion import padded_index, slide
from procgen_bench.tasks.point_maze.reach import ROUNDING, may_reach
from procgen_bench.tasks.point_maze.task import (
    GOAL_RADIUS,
    HORIZON,
    MAX_STEP,
    WALL_GAP,
    PointMazeTask,
)
from procgen_bench.tasks.point_maze.walls import LOW, SIDE, cell_bits, cell_of, free_region

if TYPE_CHECKING:
    from networkx import Graph

#: Points per unit between which the search moves; the fine ones are tried when the coarse ones fail without a proof.
_COARSE, _FINE = 10, 20
#: Actions are float32, so a landing may miss its point by this much.
_LANDING_ERROR = 1e-6
_UNSEEN = -1


class UnprovenTaskError(ProcgenBenchError):
    """Neither a solution within the horizon nor a proof that there is none has been found."""

    def __init__(self):
        super().__init__(
            f"no way of at most {HORIZON} steps to the goal was found, and none was ruled out; the goal is about as "
            "far as an episode reaches: use a start or a goal that is closer"
        )


def cell_graph(task: PointMazeTask) -> "Graph":
    """The cells (column, row), joined where no wall is between them."""
    from networkx import grid_2d_graph

    graph = grid_2d_graph(SIDE, SIDE)
    for row, column in np.argwhere(task.vertical_walls).tolist():
        graph.remove_edge((column, row), (column + 1, row))
    for row, column in np.argwhere(task.horizontal_walls).tolist():
        graph.remove_edge((column, row), (column, row + 1))
    return graph


def path_length(task: PointMazeTask) -> int | None:
    """Length of the shortest path from the start's cell to the goal's, in moves between cells; ``None``: no path."""
    from networkx import NetworkXNoPath, shortest_path_length

    try:
        return shortest_path_length(cell_graph(task), cell_of(task.start), cell_of(task.goal))
    except NetworkXNoPath:
        return None


def solve(task: PointMazeTask) -> np.ndarray | None:
    """Actions (float32 (steps, 2)) that reach the goal within the horizon of 50 steps, or ``None``: there are none.

    The number of steps is the least for positions on a lattice of ten (else twenty) points per unit, which is close
    to the least of all. A goal close to a wall counts as reached on the other side of it, too. ``None`` is proven: the
    goal is behind walls, or fifty steps are too few for any motion, even one that cuts corners.

    Raises:
        UnprovenTaskError: No solution was found, and no proof that there is none.
    """
    bits = cell_bits(task.walls)
    ends = _closest_points(task, bits)
    actions = _search(bits, task.start, task.goal, ends, _COARSE)
    if 0 < len(actions) <= HORIZON:
        return actions
    if not may_reach(bits, task.start, task.goal):
        return None
    actions = _search(bits, task.start, task.goal, ends, _FINE)
    if 0 < len(actions) <= HORIZON:
        return actions
    raise UnprovenTaskError


def _closest_points(task: PointMazeTask, bits: np.ndarray) -> np.ndarray:
    """float64 (n, 2): the point closest to the goal, of every connected cell in which the goal counts as reached."""
    from networkx import node_connected_component

    cells = sorted(node_connected_component(cell_graph(task), cell_of(task.start)))
    points = np.array([np.clip(task.goal, *free_region(bits, cell, WALL_GAP)) for cell in cells])
    return points[goal_distance(points, task.goal) <= GOAL_RADIUS - ROUNDING]


@njit
def _search(bits, start, goal, ends, fineness):
    """Breadth-first search over the lattice's points and ``ends``; the actions (empty: none found), float32 (n, 2).

    Every point is kept as the place where the actions towards it truly land.
    """
    lattice_side = SIDE * fineness
    start_node = lattice_side * lattice_side + len(ends)
    x, y = np.empty(start_node + 1), np.empty(start_node + 1)
    actions = np.empty((start_node + 1, 2), np.float32)
    parents = np.full(start_node + 1, _UNSEEN)
    queue = np.empty(start_node + 1, np.int64)
    x[start_node], y[start_node] = start
    parents[start_node], queue[0] = start_node, start_node
    goal_x, goal_y = np.float64(np.float32(goal[0])), np.float64(np.float32(goal[1]))
    reach = MAX_STEP * fineness
    head, tail = 0, 1
    while head < tail:
        node = queue[head]
        head += 1
        column, row = padded_index(x[node]), padded_index(y[node])
        lattice_x, lattice_y = (x[node] - LOW) * fineness - 0.5, (y[node] - LOW) * fineness - 0.5
        left, right = max(np.ceil(lattice_x - reach), 0), min(np.floor(lattice_x + reach), lattice_side - 1)
        down, up = max(np.ceil(lattice_y - reach), 0), min(np.floor(lattice_y + reach), lattice_side - 1)
        width = np.int64(right - left) + 1
        for k in range(len(ends) + width * (np.int64(up - down) + 1)):
            if k < len(ends):
                candidate = lattice_side * lattice_side + k
                target_x, target_y = ends[k]
            else:
                across, along = divmod(k - len(ends), width)
                lattice_column, lattice_row = np.int64(left) + along, np.int64(down) + across
                candidate = lattice_row * lattice_side + lattice_column
                target_x = LOW + (lattice_column + 0.5) / fineness
                target_y = LOW + (lattice_row + 0.5) / fineness
            if parents[candidate] != _UNSEEN:
                continue
            action_x, action_y = np.float32(target_x - x[node]), np.float32(target_y - y[node])
            if max(abs(action_x), abs(action_y)) > MAX_STEP:
                continue
            aim_x, aim_y = x[node] + action_x, y[node] + action_y
            to_column, to_row = padded_index(aim_x), padded_index(aim_y)
            landed_x, landed_y = slide(
                x[node],
                y[node],
                aim_x,
                aim_y,
                column,
                row,
                to_column,
                to_row,
                bits[row, column],
                bits[row, to_column],
                bits[to_row, column],
                bits[to_row, to_column],
            )
            if max(abs(landed_x - target_x), abs(landed_y - target_y)) > _LANDING_ERROR:
                continue
            x[candidate], y[candidate] = landed_x, landed_y
            actions[candidate] = action_x, action_y
            parents[candidate] = node
            off_x = np.float64(np.float32(landed_x)) - goal_x
            off_y = np.float64(np.float32(landed_y)) - goal_y
            if np.sqrt(off_x * off_x + off_y * off_y) <= GOAL_RADIUS:
                return actions[nodes_on_way(parents, start_node, candidate)]
            queue[tail] = candidate
            tail += 1
    return np.empty((0, 2), np.float32)
