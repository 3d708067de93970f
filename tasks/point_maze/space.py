"""PointMazeTaskSpace: 224 parameters (220 walls, a start, a goal) between a teacher and the tasks."""

from typing import ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.core.task_count import more_than
from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.tasks.point_maze.mazes import Maze
from procgen_bench.tasks.point_maze.solver import solve
from procgen_bench.tasks.point_maze.suites import SUITES
from procgen_bench.tasks.point_maze.task import WALL_GAP, PointMazeTask
from procgen_bench.tasks.point_maze.walls import (
    HIGH,
    HORIZONTAL_SHAPE,
    LOW,
    VERTICAL_SHAPE,
    Walls,
    cell_bits,
    cell_of,
    free_region,
)

_MAX_LOGIT = 10.0
_NUM_VERTICAL, _NUM_HORIZONTAL = int(np.prod(VERTICAL_SHAPE)), int(np.prod(HORIZONTAL_SHAPE))


class PointMazeTaskSpace(TaskSpace[PointMazeTask]):
    """SparsePointMaze's task space: any walls, a start and a goal.

    Raw parameters:

    - ``vertical_walls``: float32 (11, 10) in [-10, 10], [row, column]: a wall stands between cells (column, row) and
      (column + 1, row) where it is positive.
    - ``horizontal_walls``: float32 (10, 11) in [-10, 10], the same between cells (column, row) and (column, row + 1).
    - ``start``, ``goal``: float64 (2,) in [-0.5, 10.5], x and y; one closer than 0.005 to a wall of its cell is moved
      to the nearest point of the cell that is not. Float64, so that every task has parameters that decode to it.

    The goal need not be within reach of the start; ``solve`` finds out. Uniform parameters give a wall at every second
    place; an environment without tasks draws the default maze instead (:mod:`procgen_bench.tasks.point_maze.mazes`).
    """

    task_type = PointMazeTask
    task_count = more_than(40)  # places in float64, even in one maze
    suites = SUITES
    space: ClassVar[spaces.Dict] = spaces.Dict(
        {
            "goal": spaces.Box(LOW, HIGH, (2,), np.float64),
            "horizontal_walls": spaces.Box(-_MAX_LOGIT, _MAX_LOGIT, HORIZONTAL_SHAPE, np.float32),
            "start": spaces.Box(LOW, HIGH, (2,), np.float64),
            "vertical_walls": spaces.Box(-_MAX_LOGIT, _MAX_LOGIT, VERTICAL_SHAPE, np.float32),
        }
    )

    def _decode(self, params: Parameters) -> PointMazeTask:
        walls = Walls(params["vertical_walls"] > 0, params["horizontal_walls"] > 0)
        return _fitted(walls, params["start"], params["goal"])

    def encode(self, task: PointMazeTask) -> Parameters:
        """Logits 1 (wall) and -1, and the start and the goal as they are, in the class's shapes and dtypes."""
        return {
            "goal": task.goal.copy(),
            "horizontal_walls": np.where(task.horizontal_walls, 1, -1).astype(np.float32),
            "start": task.start.copy(),
            "vertical_walls": np.where(task.vertical_walls, 1, -1).astype(np.float32),
        }

    def mutate(self, task: PointMazeTask, rng: np.random.Generator) -> PointMazeTask:
        """One of the 220 walls put up or taken away, or the start or the goal redrawn, each equally likely.

        A start or goal that a new wall comes too close to is moved as by ``decode``.
        """
        vertical, horizontal = task.vertical_walls.copy(), task.horizontal_walls.copy()
        start, goal = task.start, task.goal
        changed = int(rng.integers(_NUM_VERTICAL + _NUM_HORIZONTAL + 2))
        if changed < _NUM_VERTICAL:
            vertical.flat[changed] ^= True
        elif changed < _NUM_VERTICAL + _NUM_HORIZONTAL:
            horizontal.flat[changed - _NUM_VERTICAL] ^= True
        elif changed == _NUM_VERTICAL + _NUM_HORIZONTAL:
            start = rng.uniform(LOW, HIGH, 2)
        else:
            goal = rng.uniform(LOW, HIGH, 2)
        return _fitted(Walls(vertical, horizontal), start, goal)

    def redrawn(self, task: PointMazeTask, rng: np.random.Generator) -> PointMazeTask:
        """The task's walls, with a start and a goal redrawn within the cells of the task's, as the suites' are."""
        maze = Maze(Walls(task.vertical_walls, task.horizontal_walls), cell_of(task.start), cell_of(task.goal))
        return maze.draw_task(rng)

    def solve(self, task: PointMazeTask) -> np.ndarray | None:
        """Actions (float32 (steps, 2)) that reach the goal within 50 steps; see :func:`.solver.solve`."""
        return solve(task)


def _fitted(walls: Walls, start: np.ndarray, goal: np.ndarray) -> PointMazeTask:
    """The task with start and goal moved, within their cells, to the nearest points off the walls."""
    bits = cell_bits(walls)
    points = (np.clip(point, *free_region(bits, cell_of(point), WALL_GAP)) for point in (start, goal))
    return PointMazeTask(*walls, *points)
