"""UEDMaze's rows: their tasks, for either backend, and the compiled rules' arrays."""

from abc import abstractmethod
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from procgen_bench.core.task_space import TaskSpace
from procgen_bench.engine.block_simulation import BlockSimulation
from procgen_bench.engine.simulation import TaskArray
from procgen_bench.envs.ued_maze import kernel
from procgen_bench.envs.ued_maze.observations import BLOCK_SIZE, parts
from procgen_bench.tasks.ued_maze.task import NUM_WALLS, SIDE, UEDMazeTask


class MazeSimulation(BlockSimulation[UEDMazeTask]):
    """N mazes; how they are played is left to the backends, which draw the same tasks.

    Args:
        num_rows: N.
        max_episode_steps: Steps after which an episode is truncated.
        num_walls: Walls of the levels that are drawn.

    Attributes:
        observation_rows: uint8 (N, 80), every row's observation as one block.
        observations: The same memory by name; see :mod:`procgen_bench.envs.ued_maze.observations`.
    """

    task_type = UEDMazeTask
    task_arrays = MappingProxyType(
        {
            "walls": TaskArray((SIDE, SIDE), np.int8),
            "goal": TaskArray((2,), np.int8),
            "agent": TaskArray((3,), np.int8),
        }
    )
    state_names: ClassVar[tuple[str, ...]] = ("observation_rows",)

    def __init__(self, num_rows: int, max_episode_steps: int | None, num_walls: int = NUM_WALLS):
        super().__init__(num_rows, max_episode_steps, (BLOCK_SIZE,), np.uint8)
        self.num_walls = num_walls

    @staticmethod
    def by_name(rows: np.ndarray) -> dict[str, np.ndarray]:
        """Observations, uint8 (N, 80), as views by name."""
        return parts(rows)

    def draw_solvable(self, rows: np.ndarray, space: TaskSpace[UEDMazeTask]) -> None:
        """As :meth:`NativeSimulation.draw_solvable`, compiled."""
        kernel.draw_solvable_rows(rows, self.streams, self.num_walls, *self.task_rows)

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``; those that are ``fresh`` draw their task first; both bool (N,)."""
        kernel.draw_rows(rows & fresh, self.streams, self.num_walls, self.bank, self.task_rows)
        self._begin(rows)

    @abstractmethod
    def _begin(self, rows: np.ndarray) -> None:
        """Begin an episode of the row's task in every row of ``rows``."""


class CompiledSimulation(MazeSimulation):
    """N mazes played by the compiled rules.

    Attributes:
        lines: uint32 (N, 2, 21), the walls as the kernel keeps them: bits of the rows of tiles, and of the columns.
        poses: int64 (N, 3), the agents' x, y and direction.
    """

    state_names = (*MazeSimulation.state_names, "lines", "poses")

    def __init__(self, num_rows: int, max_episode_steps: int | None, num_walls: int = NUM_WALLS):
        super().__init__(num_rows, max_episode_steps, num_walls)
        self.lines = np.zeros((num_rows, 2, kernel.LINES_SIDE), np.uint32)
        self.poses = np.zeros((num_rows, 3), np.int64)
        self._changed = np.zeros(num_rows, np.bool_)

    def _begin(self, rows: np.ndarray) -> None:
        blocks = self.observation_rows
        kernel.start_rows(rows, self.task_rows, self.lines, self.poses, blocks.view(np.uint64), blocks, self.outcomes)

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every row of ``active`` (bool (N,)) by its action of ``actions`` (int64 (N,))."""
        blocks, (_, goals, _) = self.observation_rows, self.task_rows
        kernel.step_rows(
            actions,
            active,
            self.max_episode_steps,
            self._changed,
            self.lines,
            self.poses,
            goals,
            blocks.view(np.uint64),
            blocks,
            self.outcomes,
        )
