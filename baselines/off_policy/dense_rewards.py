"""DenseTaskVecEnv: rewards at every step for coming nearer to the goal."""

import numpy as np

from procgen_bench.baselines.sb3.vec_env import TaskVecEnv
from procgen_bench.core.policy import Observations
from procgen_bench.engine.goal_env import GoalVectorEnv


class DenseTaskVecEnv(TaskVecEnv):
    """A goal environment's rows whose step from s to s' is rewarded by d(s, g) - d(s', g), plus 1 if it reaches g.

    The paper says that DQN learned only "if the shaped reward was exposed at every time step", not in which form. This
    is its shaped reward (equation 2) as a difference of potentials: undiscounted, an episode's rewards add up to
    equation 2's terminal reward and the distance from its start, which no action changes. With the distance itself at
    every step a longer episode would cost more, so that what is shaped would not be the same task.
    """

    def step_wait(self):
        """As :class:`TaskVecEnv`'s; the infos' returns stay those of the environment's own rewards."""
        before = self._distances(self.rows.simulation.observations)
        observations, rewards, ended, infos = super().step_wait()
        after = self._distances(observations)
        for row in np.flatnonzero(ended):
            after[row] = self._distances(infos[row]["terminal_observation"])
        return observations, (rewards + before - after).astype(np.float32), ended, infos

    def _distances(self, observations: Observations) -> np.ndarray:
        assert isinstance(self.rows, GoalVectorEnv) and isinstance(observations, dict)  # distances are from goals
        return self.rows.distance(observations["achieved_goal"], observations["desired_goal"])
