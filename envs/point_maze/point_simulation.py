"""PointSimulation: rows of agents in the plane, whatever world they are in."""

from types import MappingProxyType
from typing import ClassVar

import numpy as np

from procgen_bench.core.task import TaskT
from procgen_bench.engine.block_simulation import BlockSimulation
from procgen_bench.engine.goal_simulation import GoalSimulation
from procgen_bench.engine.simulation import TaskArray
from procgen_bench.envs.point_maze import point_kernel

#: x and y.
POINT = TaskArray((2,), np.float64)


class PointSimulation(GoalSimulation[TaskT], BlockSimulation[TaskT]):
    """N agents in the plane, each with a start and a goal. A world adds its rules, and what else its tasks have.

    Attributes:
        observation_rows: float32 (N, 6), every row's observation as one vector: achieved goal (2), desired goal (2),
            position (2).
        observations: The same memory as a dict of ``observation``, ``achieved_goal`` and ``desired_goal``, (N, 2) each.
        positions: float64 (N, 2), the agents' x and y.
        distances: float64 (N,), from the goals, as observed after the last step.
        starts, goals: float64 (N, 2), of the rows' tasks.

    Args:
        num_rows: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated; ``None``: never.
        distance_step: Number of the step that is rewarded by minus the distance when it fails; 0: none is.
    """

    task_arrays = MappingProxyType({"start": POINT, "goal": POINT})
    state_names: ClassVar[tuple[str, ...]] = ("observation_rows", "positions", "distances")

    def __init__(self, num_rows: int, max_episode_steps: int | None, distance_step: int = 0):
        super().__init__(
            num_rows,
            max_episode_steps,
            distance_step,
            block_shape=(point_kernel.OBSERVATION_SIZE,),
        )
        self.positions = np.zeros((num_rows, 2), np.float64)
        self.distances = np.zeros(num_rows, np.float64)

    @staticmethod
    def by_name(rows: np.ndarray) -> dict[str, np.ndarray]:
        """Observations, float32 (N, 6), as views by name."""
        return {
            "achieved_goal": rows[:, point_kernel.ACHIEVED_START : point_kernel.DESIRED_START],
            "desired_goal": rows[:, point_kernel.DESIRED_START : point_kernel.POSITION_START],
            "observation": rows[:, point_kernel.POSITION_START :],
        }
