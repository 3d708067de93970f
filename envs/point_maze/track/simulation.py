"""The track's rows: the arrays that its compiled rules work on."""

import numpy as np

from procgen_bench.envs.point_maze.point_simulation import PointSimulation
from procgen_bench.envs.point_maze.track import kernel
from procgen_bench.tasks.point_maze.track import TrackTask


class TrackSimulation(PointSimulation):
    """N agents on the track; see :class:`PointSimulation`.

    A row that resets without a task, with none to draw from, draws its start and its goal: each is where a motion
    leads, normally distributed with a deviation of 0.1 on each axis, from the middle of the track at 30 degrees (the
    start) and at 330 degrees (the goal).
    """

    task_type = TrackTask

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``; those that are ``fresh`` draw their task first; both bool (N,)."""
        kernel.start_rows(
            rows,
            fresh,
            self.streams,
            *self.bank,
            *self.task_rows,
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
            self.positions,
            self.observation_rows,
            self.distances,
            self.outcomes,
        )
