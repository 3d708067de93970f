"""AntWalk-v0: SparseAntMaze's ant on a plain, where its low-level controller learns to walk."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from procgen_bench.core.streams import advance, output
from procgen_bench.engine.outcomes import count_steps
from procgen_bench.envs.ant_maze import kernel
from procgen_bench.envs.ant_maze.environment import MAX_SUBGOAL, SparseAntMazeEnv, SparseAntMazeVectorEnv
from procgen_bench.envs.ant_maze.model import MAX_TORQUE, NUM_JOINTS, STEP_SECONDS, plain_model
from procgen_bench.envs.ant_maze.physics import AntBodies
from procgen_bench.envs.ant_maze.simulation import AntMazeSimulation
from procgen_bench.tasks.ant_maze import SUBGOAL_STEPS

#: The environment's id; importing this module registers it, for training alone: no benchmark is of it.
ANT_WALK = "AntWalk-v0"


class AntWalkSimulation(AntMazeSimulation):
    """Ants on a plain; see :class:`AntWalkEnv`."""

    def __init__(self, num_rows: int, max_episode_steps: int | None, fall_penalty: float, tilt_penalty: float):
        super().__init__(num_rows, max_episode_steps)
        self.bodies = AntBodies(num_rows, plain_model)
        self._fall_penalty, self._tilt_penalty = fall_penalty, tilt_penalty

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``, in a random pose, moving a little."""
        super().start(rows, fresh)
        for row in np.flatnonzero(rows).tolist():
            rng, position = self._rng(row), self.bodies.positions[row]
            half = rng.uniform(-np.pi, np.pi) / 2
            position[3], position[6] = np.cos(half), np.sin(half)
            position[7:] += rng.uniform(-0.15, 0.15, NUM_JOINTS)
            self.bodies.velocities[row] = 0.1 * rng.standard_normal(self.bodies.velocities.shape[1])
        self._observe(rows)

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every active row by 0.1 s."""
        bodies, subgoals, before = self.bodies, self.observations["desired_goal"], self._distances()
        bodies.push(active, MAX_TORQUE * actions.clip(-1, 1))
        count_steps(self.outcomes, active, self.max_episode_steps)
        self._observe(active)
        approaches = (before - self._distances()) / STEP_SECONDS
        for row in np.flatnonzero(active & (self.elapsed % SUBGOAL_STEPS == 0)).tolist():
            subgoals[row] = bodies.positions[row, :2] + self._rng(row).uniform(-MAX_SUBGOAL, MAX_SUBGOAL, 2)
        _, x, y, _ = bodies.positions[:, 3:7].T
        upright = 1 - 2 * (x * x + y * y)
        fallen = upright < 0
        rewards = approaches - self._tilt_penalty * (1 - upright) - self._fall_penalty * fallen
        self.rewards[active] = rewards[active]
        self.terminations[active], self.successes[active] = fallen[active], ~fallen[active]

    def _observe(self, rows: np.ndarray) -> None:
        positions, velocities = self.bodies.positions, self.bodies.velocities
        kernel.observe_rows(rows, 0, positions, velocities, self.elapsed, self.horizon, self.observation_rows)

    def _distances(self) -> np.ndarray:
        return np.hypot(*(self.observations["desired_goal"] - self.bodies.positions[:, :2]).T)

    def _rng(self, row: int) -> np.random.Generator:
        self.streams[row] = advance(self.streams[row])
        return np.random.default_rng(int(output(self.streams[row])))


class AntWalkEnv(SparseAntMazeEnv):
    """SparseAntMaze's ant on a plain: every 20 steps it gets another subgoal, uniform up to (5, 5) away.

    The first subgoal is the task's goal. Actions are torques as shares of the greatest, cut to [-1, 1]. A step earns
    the speed of the approach to the subgoal (units a second), which is the paper's distance to the subgoal paid as it
    shrinks, less penalties. An episode ends with 200 steps, ten subgoals, or when the ant lies on its back;
    ``success``: it does not.

    Args:
        tasks: What resets without a task draw from; see :class:`SparseAntMazeEnv`.
        fall_penalty: What falling on the back takes from the step's reward.
        tilt_penalty: What lying on the side takes from every step's reward; leaning costs a part of it.
    """

    def __init__(self, tasks: Any = None, fall_penalty: float = 10.0, tilt_penalty: float = 1.0):
        self._penalties = fall_penalty, tilt_penalty
        super().__init__(tasks)
        self.action_space = spaces.Box(-np.inf, np.inf, (NUM_JOINTS,), np.float32)

    def make_simulation(self, num_rows: int, max_episode_steps: int | None, num_threads: int = 1) -> AntWalkSimulation:
        """A simulation of ``num_rows`` ants that are rewarded as this environment's is."""
        return AntWalkSimulation(num_rows, max_episode_steps, *self._penalties)


class AntWalkVectorEnv(SparseAntMazeVectorEnv):
    """N ants; see :class:`AntWalkEnv`."""

    single_env_type = AntWalkEnv  # type: ignore[assignment]  # it takes other options


gymnasium.register(
    ANT_WALK,
    entry_point=AntWalkEnv,  # type: ignore[arg-type]  # it is called by keywords
    vector_entry_point=AntWalkVectorEnv,
    max_episode_steps=10 * SUBGOAL_STEPS,
    disable_env_checker=True,  # it cannot bear a first reset that is refused
)
