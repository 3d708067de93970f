"""SparsePointMaze's rows: the arrays that the compiled rules work on."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.envs.point_maze import kernel
from procgen_bench.simulation import NativeSimulation
from procgen_bench.tasks.point_maze.mazes import default_maze
from procgen_bench.tasks.point_maze.task import PointMazeTask
from procgen_bench.tasks.point_maze.walls import PADDED_SIDE, cell_bits, walls_of


class PointMazeSimulation(NativeSimulation):
    """N point mazes.

    Attributes:
        observation_rows: float32 (N, 6), every row's observation as one vector: achieved goal (2), desired goal (2),
            position (2).
        observations: The same memory as a dict of ``observation``, ``achieved_goal`` and ``desired_goal``, (N, 2) each.
        cells: uint8 (N, 12, 12), the walled sides of the cells that the agents move in (:func:`.walls.cell_bits`).
        positions: float64 (N, 2), the agents' x and y.
        starts, goals: float64 (N, 2), of the rows' tasks.

    Args:
        num_rows: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated; ``None``: never.
        distance_step: Number of the step that is rewarded by minus the distance when it fails; 0: none is.
    """

    def __init__(self, num_rows: int, max_episode_steps: int | None, distance_step: int = 0):
        super().__init__(num_rows, max_episode_steps)
        self.distance_step = distance_step
        self.observation_rows = np.zeros((num_rows, kernel.OBSERVATION_SIZE), np.float32)
        self.observations = _split(self.observation_rows)
        maze = default_maze()
        self._default_cells = cell_bits(maze.walls)
        self._start_region, self._goal_region = np.stack(maze.start_region()), np.stack(maze.goal_region())
        self.cells = np.repeat(self._default_cells[np.newaxis], num_rows, axis=0)
        self._task_cells = self.cells.copy()
        self.positions = np.zeros((num_rows, 2), np.float64)
        self.starts = np.zeros((num_rows, 2), np.float64)
        self.goals = np.zeros((num_rows, 2), np.float64)
        self.use_tasks(())

    def __setstate__(self, state: dict):
        # A copy's views must look at the copy's own rows.
        self.__dict__.update(state)
        self.observations = _split(self.observation_rows)

    def copy_observations(self) -> dict[str, np.ndarray]:
        """A copy of ``observations``, made as one block."""
        return _split(self.observation_rows.copy())

    def use_tasks(self, tasks: Sequence[PointMazeTask]) -> None:
        """Draw from ``tasks`` when a row resets without a task; none: starts and goals in the default maze."""
        cells = [cell_bits(task.walls) for task in tasks]
        self._bank_cells = np.array(cells, np.uint8).reshape(-1, PADDED_SIDE, PADDED_SIDE)
        self._bank_starts = np.array([task.start for task in tasks], np.float64).reshape(-1, 2)
        self._bank_goals = np.array([task.goal for task in tasks], np.float64).reshape(-1, 2)

    def load(self, row: int, task: PointMazeTask) -> None:
        """Put ``task`` into ``row``."""
        self._task_cells[row] = cell_bits(task.walls)
        self.starts[row] = task.start
        self.goals[row] = task.goal

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
            self.rewards,
            self.terminations,
            self.truncations,
            self.successes,
            self.elapsed,
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
            self.rewards,
            self.terminations,
            self.truncations,
            self.successes,
            self.elapsed,
        )

    def state_arrays(self) -> dict[str, np.ndarray]:
        """The arrays that together decide the future."""
        return super().state_arrays() | {
            "observation_rows": self.observation_rows,
            "cells": self.cells,
            "positions": self.positions,
            "starts": self.starts,
            "goals": self.goals,
            "task_cells": self._task_cells,
        }


def _split(rows: np.ndarray) -> dict[str, np.ndarray]:
    """Observations (N, 6) as views by name."""
    return {
        "achieved_goal": rows[:, kernel.ACHIEVED_START : kernel.DESIRED_START],
        "desired_goal": rows[:, kernel.DESIRED_START : kernel.POSITION_START],
        "observation": rows[:, kernel.POSITION_START :],
    }
