"""BitGrid's rows: the arrays that the compiled rules work on."""

import numpy as np

from procgen_bench.engine.block_simulation import BlockSimulation
from procgen_bench.engine.goal_simulation import GoalSimulation
from procgen_bench.engine.simulation import TaskArray
from procgen_bench.envs.bit_grid import kernel
from procgen_bench.tasks.bit_grid.task import BitGridTask


class BitGridSimulation(GoalSimulation[BitGridTask], BlockSimulation[BitGridTask]):
    """N grids of bits.

    Attributes:
        observation_rows: float32 (N, 3, side, side), 0 or 1: every row's bits, place of the agent (one-hot) and goal.
        observations: The same memory as a dict of ``observation`` (N, side, side, 2: bits, place), ``achieved_goal``
            (N, side, side: bits) and ``desired_goal`` (N, side, side).
        places: int8 (N, 2), the agents' x and y.
        distances: int64 (N,), how many bits differ from the goal's.
        starts, goals: int8 (N, 2), (N, side, side), of the rows' tasks.

    Args:
        num_rows: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated; ``None``: never.
        distance_step: Number of the step that is rewarded by minus the distance when it fails; 0: none is.
        side: Side of the grid.
    """

    task_type = BitGridTask
    state_names = ("observation_rows", "places", "distances")

    def __init__(self, num_rows: int, max_episode_steps: int | None, distance_step: int, side: int):
        self.task_arrays = {"start": TaskArray((2,), np.int8), "goal": TaskArray((side, side), np.int8)}
        super().__init__(num_rows, max_episode_steps, distance_step, block_shape=(kernel.NUM_PLANES, side, side))
        self.places = np.zeros((num_rows, 2), np.int8)
        self.distances = np.zeros(num_rows, np.int64)

    @staticmethod
    def by_name(rows: np.ndarray) -> dict[str, np.ndarray]:
        """Planes, float32 (N, 3, side, side), as views by name."""
        return {
            "achieved_goal": rows[:, kernel.BITS],
            "desired_goal": rows[:, kernel.GOAL],
            "observation": np.moveaxis(rows[:, kernel.BITS : kernel.PLACE + 1], 1, -1),
        }

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``; those that are ``fresh`` draw their task first; both bool (N,)."""
        kernel.start_rows(
            rows,
            fresh,
            self.streams,
            *self.bank,
            *self.task_rows,
            self.observation_rows,
            self.places,
            self.distances,
            self.outcomes,
        )

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every row of ``active`` (bool (N,)) by its action of ``actions`` (int64 (N,))."""
        kernel.step_rows(
            actions,
            active,
            self.max_episode_steps,
            self.distance_step,
            self.observation_rows,
            self.places,
            self.distances,
            self.outcomes,
        )

    def pursue(self, row: int, task: BitGridTask) -> None:
        """Continue in ``row`` under another goal."""
        super().pursue(row, task)
        self.distances[row] = np.count_nonzero(self.observations["achieved_goal"][row] != self.goals[row])
