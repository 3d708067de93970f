"""GridWorld's rows: the arrays that the compiled rules work on."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from procgen_bench.core.task_space import TaskSpace
from procgen_bench.engine.block_simulation import BlockSimulation
from procgen_bench.engine.simulation import TaskArray
from procgen_bench.envs.grid_world import kernel
from procgen_bench.tasks.grid_world.task import WALL, GridWorldLargeTask, GridWorldTask


def _task_arrays(task_type: type[GridWorldTask]) -> Mapping[str, TaskArray]:
    side, num_objects = task_type.side, 1 + 2 * task_type.num_pairs
    return MappingProxyType(
        {"tiles": TaskArray((side, side), np.int8), "objects": TaskArray((num_objects, 2), np.int8)}
    )


class GridWorldSimulation(BlockSimulation[GridWorldTask]):
    """N grid worlds. Shapes are those of GridWorld-v0; of GridWorldLarge-v0 with 13 objects and a map of 18 x 18 tiles.

    Attributes:
        observation_rows: float32 (N, 61), every row's observation as one vector: position (2), view (49), objects (10).
        observations: The same memory as a dict of ``position`` (N, 2), ``view`` (N, 7, 7) and ``objects`` (N, 10).
        cells: int8 (N, 16, 16), the maps as the kernel keeps them.
        positions: int8 (N, 2), the agents' x and y.
        places: float32 (N, 20), x and y of the five objects, then 1 for each of these numbers whose object is present.
    """

    task_type: type[GridWorldTask] = GridWorldTask
    task_arrays = _task_arrays(GridWorldTask)
    state_names = ("observation_rows", "cells", "positions", "places")

    def __init__(self, num_rows: int, max_episode_steps: int | None):
        num_objects, cells_side = 1 + 2 * self.task_type.num_pairs, self.task_type.side + 2 + 2 * kernel.MARGIN
        super().__init__(num_rows, max_episode_steps, (kernel.OBJECTS_START + 2 * num_objects,))
        self.cells = np.full((num_rows, cells_side, cells_side), WALL, np.int8)
        self.positions = np.zeros((num_rows, 2), np.int8)
        self.places = np.zeros((num_rows, 4 * num_objects), np.float32)
        #: What a step works on, gathered once: a single row's step takes about as long as gathering it.
        self._played = (
            self.max_episode_steps,
            self.cells,
            self.positions,
            self.places,
            self.observation_rows,
            self.outcomes,
        )

    @staticmethod
    def by_name(rows: np.ndarray) -> dict[str, np.ndarray]:
        """Observations, float32 (N, 51 + 2 * objects), as views by name."""
        view = rows[:, kernel.VIEW_START : kernel.OBJECTS_START]
        return {
            "objects": rows[:, kernel.OBJECTS_START :],
            "position": rows[:, : kernel.VIEW_START],
            "view": view.reshape(len(rows), kernel.VIEW_SIDE, kernel.VIEW_SIDE, copy=False),
        }

    def draw_solvable(self, rows: np.ndarray, space: TaskSpace[GridWorldTask]) -> None:
        """As :meth:`NativeSimulation.draw_solvable`, compiled."""
        kernel.draw_solvable_rows(rows, self.streams, self.task_type.horizon, *self.task_rows)

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``; those that are ``fresh`` draw their task first; both bool (N,)."""
        kernel.start_rows(
            rows,
            fresh,
            self.streams,
            *self.bank,
            *self.task_rows,
            self.cells,
            self.positions,
            self.places,
            self.observation_rows,
            self.outcomes,
        )

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every row of ``active`` (bool (N,)) by its action of ``actions`` (int64 (N,))."""
        kernel.step_rows(actions, active, *self._played)


class GridWorldLargeSimulation(GridWorldSimulation):
    """N large grid worlds."""

    task_type = GridWorldLargeTask
    task_arrays = _task_arrays(GridWorldLargeTask)
