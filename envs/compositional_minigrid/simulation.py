"""CompositionalMiniGrid's rows: their tasks, for either backend, and the compiled rules' arrays."""

from abc import abstractmethod
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from procgen_bench.engine.block_simulation import BlockSimulation
from procgen_bench.engine.simulation import TaskArray
from procgen_bench.envs.compositional_minigrid import kernel
from procgen_bench.envs.compositional_minigrid.cells import EMPTY_CELL, WALL_CELL
from procgen_bench.envs.compositional_minigrid.observations import BLOCK_SIZE, parts
from procgen_bench.tasks.compositional_minigrid.subtasks import NUM_SUBTASKS, NUM_THINGS
from procgen_bench.tasks.compositional_minigrid.task import COLOURED, CompositionalMiniGridTask


class RoomSimulation(BlockSimulation[CompositionalMiniGridTask]):
    """N rooms; how they are played is left to the backends, which draw the same tasks.

    Args:
        num_rows: N.
        max_episode_steps: Steps after which an episode is truncated.
        goal_alone: Whether subtasks earn nothing, and the goal 1.

    Attributes:
        observation_rows: uint8 (N, 168), every row's observation as one block.
        observations: The same memory by name; see :mod:`procgen_bench.envs.compositional_minigrid.observations`.
    """

    task_type = CompositionalMiniGridTask
    task_arrays = MappingProxyType(
        {
            "subtasks": TaskArray((NUM_SUBTASKS,), np.int8),
            "agent": TaskArray((3,), np.int8),
            "places": TaskArray((NUM_THINGS, 2), np.int8),
            "colours": TaskArray((len(COLOURED),), np.int8),
        }
    )
    state_names: ClassVar[tuple[str, ...]] = ("observation_rows",)

    def __init__(self, num_rows: int, max_episode_steps: int | None, goal_alone: bool = False):
        super().__init__(num_rows, max_episode_steps, (BLOCK_SIZE,), np.uint8)
        self.goal_alone = goal_alone

    @staticmethod
    def by_name(rows: np.ndarray) -> dict[str, np.ndarray]:
        """Observations, uint8 (N, 168), as views by name."""
        return parts(rows)

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``; those that are ``fresh`` draw their task first; both bool (N,)."""
        kernel.draw_tasks(rows & fresh, self.streams, self.bank, self.task_rows)
        self._begin(rows)

    @abstractmethod
    def _begin(self, rows: np.ndarray) -> None:
        """Begin an episode of the row's task in every row of ``rows``."""


class CompiledSimulation(RoomSimulation):
    """N rooms played by the compiled rules.

    Attributes:
        cells: uint8 (N, 20, 20), [y, x]: the maps as the kernel keeps them, numbers of
            :mod:`procgen_bench.envs.compositional_minigrid.cells`.
        poses: int64 (N, 3), the agents' x, y and direction.
        hands: uint8 (N,), what the agents carry.
        missing: int64 (N,), how many asked subtasks are still to be done.
        shares: float64 (N,), what a subtask earns; 0 where the goal alone earns 1.
    """

    state_names = (*RoomSimulation.state_names, "cells", "poses", "hands", "missing", "shares")

    def __init__(self, num_rows: int, max_episode_steps: int | None, goal_alone: bool = False):
        super().__init__(num_rows, max_episode_steps, goal_alone)
        self.cells = np.full((num_rows, kernel.CELLS_SIDE, kernel.CELLS_SIDE), WALL_CELL, np.uint8)
        self.poses = np.zeros((num_rows, 3), np.int64)
        self.hands = np.full(num_rows, EMPTY_CELL, np.uint8)
        self.missing = np.zeros(num_rows, np.int64)
        self.shares = np.zeros(num_rows, np.float64)
        self._changed = np.zeros(num_rows, np.bool_)

    def _begin(self, rows: np.ndarray) -> None:
        kernel.start_rows(rows, self.goal_alone, self.task_rows, *self._room, self.outcomes)

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every row of ``active`` (bool (N,)) by its action of ``actions`` (int64 (N,))."""
        kernel.step_rows(actions, active, self.max_episode_steps, self._changed, *self._room, self.outcomes)

    @property
    def _room(self) -> tuple[np.ndarray, ...]:
        """What the kernels work on."""
        blocks = self.observation_rows
        return self.cells, self.poses, self.hands, self.missing, self.shares, blocks, blocks.view(np.uint64)
