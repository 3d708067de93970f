"""CompositionalMiniGrid's rows: their tasks, whoever plays them, and the compiled rules' arrays."""

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from procgen_bench.block_simulation import BlockSimulation
from procgen_bench.envs.compositional_minigrid import kernel
from procgen_bench.envs.compositional_minigrid.cells import EMPTY_CELL, WALL_CELL
from procgen_bench.envs.compositional_minigrid.observations import BLOCK_SIZE, parts
from procgen_bench.tasks.compositional_minigrid.subtasks import NUM_SUBTASKS, NUM_THINGS
from procgen_bench.tasks.compositional_minigrid.task import COLOURED, CompositionalMiniGridTask


class RoomSimulation(BlockSimulation):
    """N rooms; how they are played is left to the backends, which draw the same tasks.

    Attributes:
        observation_rows: uint8 (N, 168), every row's observation as one block.
        observations: The same memory by name; see :mod:`procgen_bench.envs.compositional_minigrid.observations`.
    """

    def __init__(self, num_rows: int, max_episode_steps: int | None):
        super().__init__(num_rows, max_episode_steps, (BLOCK_SIZE,), np.uint8)
        self._tasks = _task_arrays(num_rows)
        self.use_tasks(())

    @staticmethod
    def by_name(rows: np.ndarray) -> dict[str, np.ndarray]:
        """Observations (N, 168) as views by name."""
        return parts(rows)

    def use_tasks(self, tasks: Sequence[CompositionalMiniGridTask]) -> None:
        """Draw from ``tasks`` when a row resets without a task; none: a uniform design, everything within reach."""
        self._bank = _task_arrays(len(tasks))
        for place, task in enumerate(tasks):
            _put(self._bank, place, task)

    def load(self, row: int, task: CompositionalMiniGridTask) -> None:
        """Put ``task`` into ``row``."""
        _put(self._tasks, row, task)

    def task(self, row: int) -> CompositionalMiniGridTask:
        """The task in ``row``."""
        return CompositionalMiniGridTask(*(array[row] for array in self._tasks))

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``."""
        kernel.draw_tasks(rows & fresh, self.streams, self._bank, self._tasks)
        self._begin(rows)

    @abstractmethod
    def _begin(self, rows: np.ndarray) -> None:
        """Begin an episode of the row's task in every row of ``rows``."""

    def state_arrays(self) -> dict[str, np.ndarray]:
        """The arrays that together decide the future."""
        names = ("subtasks", "agent", "places", "colours")
        return super().state_arrays() | {"observation_rows": self.observation_rows} | dict(zip(names, self._tasks))


class CompiledSimulation(RoomSimulation):
    """N rooms played by the compiled rules.

    Attributes:
        cells: uint8 (N, 20, 20), [y, x]: the maps as the kernel keeps them, numbers of
            :mod:`procgen_bench.envs.compositional_minigrid.cells`.
        poses: int64 (N, 3), the agents' x, y and direction.
        hands: uint8 (N,), what the agents carry.
        missing: int64 (N,), how many asked subtasks are still to be done.
        shares: float64 (N,), what a subtask earns.
    """

    def __init__(self, num_rows: int, max_episode_steps: int | None):
        super().__init__(num_rows, max_episode_steps)
        self.cells = np.full((num_rows, kernel.CELLS_SIDE, kernel.CELLS_SIDE), WALL_CELL, np.uint8)
        self.poses = np.zeros((num_rows, 3), np.int64)
        self.hands = np.full(num_rows, EMPTY_CELL, np.uint8)
        self.missing = np.zeros(num_rows, np.int64)
        self.shares = np.zeros(num_rows, np.float64)
        self._changed = np.zeros(num_rows, np.bool_)

    def _begin(self, rows: np.ndarray) -> None:
        kernel.start_rows(rows, self._tasks, *self._room, self.outcomes)

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every active row by one action."""
        kernel.step_rows(actions, active, self.max_episode_steps, self._changed, *self._room, self.outcomes)

    @property
    def _room(self) -> tuple[np.ndarray, ...]:
        """What the kernels work on."""
        blocks = self.observation_rows
        return self.cells, self.poses, self.hands, self.missing, self.shares, blocks, blocks.view(np.uint64)

    def state_arrays(self) -> dict[str, np.ndarray]:
        """The arrays that together decide the future."""
        return super().state_arrays() | {
            "cells": self.cells,
            "poses": self.poses,
            "hands": self.hands,
            "missing": self.missing,
            "shares": self.shares,
        }


TaskArrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _task_arrays(count: int) -> TaskArrays:
    """Room for ``count`` tasks: subtasks, agents, places, colours."""
    return (
        np.zeros((count, NUM_SUBTASKS), np.int8),
        np.zeros((count, 3), np.int8),
        np.zeros((count, NUM_THINGS, 2), np.int8),
        np.zeros((count, len(COLOURED)), np.int8),
    )


def _put(arrays: TaskArrays, place: int, task: CompositionalMiniGridTask) -> None:
    for array, value in zip(arrays, (task.subtasks, task.agent, task.places, task.colours)):
        array[place] = value
