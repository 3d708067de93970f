"""SparsePointMaze's rows: the arrays that the compiled rules work on."""

from types import MappingProxyType

import numpy as np

from procgen_bench.engine.simulation import TaskArray
from procgen_bench.envs.point_maze import kernel
from procgen_bench.envs.point_maze.point_simulation import PointSimulation
from procgen_bench.tasks.point_maze.mazes import default_maze
from procgen_bench.tasks.point_maze.task import PointMazeTask
from procgen_bench.tasks.point_maze.walls import PADDED_SIDE, cell_bits, walls_of


class PointMazeSimulation(PointSimulation):
    """N point mazes; see :class:`PointSimulation` for the arguments and the other attributes.

    Attributes:
        cells: uint8 (N, 13, 13), the walled sides of the cells that the agents move in (:func:`.walls.cell_bits`).
    """

    task_type = PointMazeTask
    task_arrays = MappingProxyType(
        {"cells": TaskArray((PADDED_SIDE, PADDED_SIDE), np.uint8)} | PointSimulation.task_arrays
    )
    state_names = (*PointSimulation.state_names, "cells")

    def __init__(self, num_rows: int, max_episode_steps: int | None, distance_step: int = 0):
        super().__init__(num_rows, max_episode_steps, distance_step)
        maze = default_maze()
        self._default_cells = cell_bits(maze.walls)
        self._start_region, self._goal_region = np.stack(maze.start_region()), np.stack(maze.goal_region())
        self.cells = np.repeat(self._default_cells[np.newaxis], num_rows, axis=0)
        self.task_rows[0][:] = self.cells

    def write_task(self, task: PointMazeTask, place: int, arrays: tuple[np.ndarray, ...]) -> None:
        """Put ``task`` into a place of ``arrays`` (N, ...), as of :meth:`empty_tasks`."""
        for array, value in zip(arrays, (cell_bits(task.walls), task.start, task.goal)):
            array[place] = value

    def read_task(self, place: int, arrays: tuple[np.ndarray, ...]) -> PointMazeTask:
        """The task in a place of ``arrays`` (N, ...), as of :meth:`empty_tasks`."""
        cells, start, goal = (array[place] for array in arrays)
        return PointMazeTask(*walls_of(cells), start, goal)

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``; those that are ``fresh`` draw their task first; both bool (N,)."""
        kernel.start_rows(
            rows,
            fresh,
            self.streams,
            *self.bank,
            self._default_cells,
            self._start_region,
            self._goal_region,
            *self.task_rows,
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
