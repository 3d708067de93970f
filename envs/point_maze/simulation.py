"""SparsePointMaze's rows: the arrays that the compiled rules work on."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.envs.point_maze import kernel
from procgen_bench.envs.point_maze.point_simulation import PointSimulation
from procgen_bench.tasks.point_maze.mazes import default_maze
from procgen_bench.tasks.point_maze.task import PointMazeTask
from procgen_bench.tasks.point_maze.walls import PADDED_SIDE, cell_bits, walls_of


class PointMazeSimulation(PointSimulation):
    """N point mazes; see :class:`PointSimulation` for the arguments and the other attributes.

    Attributes:
        cells: uint8 (N, 12, 12), the walled sides of the cells that the agents move in (:func:`.walls.cell_bits`).
    """

    def __init__(self, num_rows: int, max_episode_steps: int | None, distance_step: int = 0):
        super().__init__(num_rows, max_episode_steps, distance_step)
        maze = default_maze()
        self._default_cells = cell_bits(maze.walls)
        self._start_region, self._goal_region = np.stack(maze.start_region()), np.stack(maze.goal_region())
        self.cells = np.repeat(self._default_cells[np.newaxis], num_rows, axis=0)
        self._task_cells = self.cells.copy()

    def use_tasks(self, tasks: Sequence[PointMazeTask]) -> None:
        """Draw from ``tasks`` when a row resets without a task; none: starts and goals in the default maze."""
        super().use_tasks(tasks)
        self._bank_cells = np.array([cell_bits(task.walls) for task in tasks], np.uint8)
        self._bank_cells = self._bank_cells.reshape(-1, PADDED_SIDE, PADDED_SIDE)

    def load(self, row: int, task: PointMazeTask) -> None:
        """Put ``task`` into ``row``."""
        super().load(row, task)
        self._task_cells[row] = cell_bits(task.walls)

    def task(self, row: int) -> PointMazeTask:
        """The task in ``row``."""
        return PointMazeTask(*walls_of(self._task_cells[row]), self.starts[row], self.goals[row])

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``."""
        kernel.start_rows(
            rows,
            fresh,
            self.streams,
            self._bank_cells,
            self._bank_starts,
            self._bank_goals,
            self._default_cells,
            self._start_region,
            self._goal_region,
            self._task_cells,
            self.starts,
            self.goals,
            self.cells,
            self.positions,
            self.observation_rows,
            self.outcomes,
        )

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every active row by one action (float32 (N, 2) in [-0.95, 0.95])."""
        kernel.step_rows(
            actions,
            active,
            self.max_episode_steps,
            self.distance_step,
            self.cells,
            self.positions,
            self.observation_rows,
            self.distances,
            self.outcomes,
        )

    def state_arrays(self) -> dict[str, np.ndarray]:
        """The arrays that together decide the future."""
        return super().state_arrays() | {"cells": self.cells, "task_cells": self._task_cells}
