"""GridWorld's rows: the arrays that the compiled rules work on."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.block_simulation import BlockSimulation
from procgen_bench.envs.grid_world import kernel
from procgen_bench.tasks.grid_world.task import NUM_OBJECTS, SIDE, WALL, GridWorldTask


class GridWorldSimulation(BlockSimulation):
    """N grid worlds.

    Attributes:
        observation_rows: float32 (N, 61), every row's observation as one vector: position (2), view (49), objects (10).
        observations: The same memory as a dict of ``position`` (N, 2), ``view`` (N, 7, 7) and ``objects`` (N, 10).
        cells: int8 (N, 16, 16), the maps as the kernel keeps them.
        positions: int8 (N, 2), the agents' x and y.
        places: float32 (N, 20), x and y of the five objects, then 1 for each of these numbers whose object is present.
    """

    def __init__(self, num_rows: int, max_episode_steps: int | None):
        super().__init__(num_rows, max_episode_steps, (kernel.OBSERVATION_SIZE,))
        self.cells = np.full((num_rows, kernel.CELLS_SIDE, kernel.CELLS_SIDE), WALL, np.int8)
        self.positions = np.zeros((num_rows, 2), np.int8)
        self.places = np.zeros((num_rows, 4 * NUM_OBJECTS), np.float32)
        self._tiles = np.zeros((num_rows, SIDE, SIDE), np.int8)
        self._objects = np.zeros((num_rows, NUM_OBJECTS, 2), np.int8)
        self.use_tasks(())

    @staticmethod
    def by_name(rows: np.ndarray) -> dict[str, np.ndarray]:
        """Observations (N, 61) as views by name."""
        view = rows[:, kernel.VIEW_START : kernel.OBJECTS_START]
        return {
            "objects": rows[:, kernel.OBJECTS_START :],
            "position": rows[:, : kernel.VIEW_START],
            "view": view.reshape(len(rows), kernel.VIEW_SIDE, kernel.VIEW_SIDE, copy=False),
        }

    def use_tasks(self, tasks: Sequence[GridWorldTask]) -> None:
        """Draw from ``tasks`` when a row resets without a task; none: from the whole space."""
        self._bank_tiles = np.array([task.tiles for task in tasks], np.int8).reshape(-1, SIDE, SIDE)
        self._bank_objects = np.array([task.objects for task in tasks], np.int8).reshape(-1, NUM_OBJECTS, 2)

    def load(self, row: int, task: GridWorldTask) -> None:
        """Put ``task`` into ``row``."""
        self._tiles[row] = task.tiles
        self._objects[row] = task.objects

    def task(self, row: int) -> GridWorldTask:
        """The task in ``row``."""
        return GridWorldTask(self._tiles[row], self._objects[row])

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``."""
        kernel.start_rows(
            rows,
            fresh,
            self.streams,
            self._bank_tiles,
            self._bank_objects,
            self._tiles,
            self._objects,
            self.cells,
            self.positions,
            self.places,
            self.observation_rows,
            self.outcomes,
        )

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every active row by one action."""
        kernel.step_rows(
            actions,
            active,
            self.max_episode_steps,
            self.cells,
            self.positions,
            self.places,
            self.observation_rows,
            self.outcomes,
        )

    def state_arrays(self) -> dict[str, np.ndarray]:
        """The arrays that together decide the future."""
        return super().state_arrays() | {
            "observation_rows": self.observation_rows,
            "cells": self.cells,
            "positions": self.positions,
            "places": self.places,
            "tiles": self._tiles,
            "objects": self._objects,
        }
