"""Ants on a plain that walk through chains of subgoals, as stable-baselines3's VecEnv."""

from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from procgen_bench.core.compiled import njit
from procgen_bench.envs.ant_maze.controller import NUM_FEATURES, UP_FEATURE, write_features, write_torques
from procgen_bench.envs.ant_maze.environment import MAX_SUBGOAL
from procgen_bench.envs.ant_maze.model import NUM_JOINTS, STEP_SECONDS, plain_model
from procgen_bench.envs.ant_maze.physics import AntBodies
from procgen_bench.tasks.ant_maze import SUBGOAL_STEPS


class SubgoalWalk(VecEnv):
    """N ants; every 20 steps each gets the next subgoal of its chain, of which it is told the direction and distance.

    A step earns the speed of the approach to the subgoal (units a second), which is the paper's distance to the subgoal
    paid as it shrinks, less penalties. An episode ends with ``episode_steps``, or when an ant lies on its back.

    Args:
        num_envs: Number of ants, N.
        episode_steps: Steps of an episode.
        fall_penalty: What falling on the back takes from the step's reward.
        tilt_penalty: What lying on the side takes from every step's reward; leaning costs a part of it.
        seed: Of the subgoals and the first poses.
    """

    def __init__(self, num_envs: int, episode_steps: int, fall_penalty: float, tilt_penalty: float, seed: int):
        super().__init__(
            num_envs,
            spaces.Box(-np.inf, np.inf, (NUM_FEATURES,), np.float32),
            spaces.Box(-1.0, 1.0, (NUM_JOINTS,), np.float32),
        )
        self._rng = np.random.default_rng(seed)
        self._bodies = AntBodies(num_envs, plain_model)
        self._episode_steps = episode_steps
        self._fall_penalty, self._tilt_penalty = fall_penalty, tilt_penalty
        self._elapsed = np.zeros(num_envs, np.int64)
        self._targets = np.zeros((num_envs, 2))
        self._features = np.zeros((num_envs, NUM_FEATURES), np.float32)
        self._quarters = np.zeros(num_envs, np.int64)
        self._torques = np.zeros((num_envs, NUM_JOINTS))
        self._returns = np.zeros(num_envs)
        self._every_row = np.ones(num_envs, np.bool_)
        self._actions = np.empty(0)

    def reset(self) -> np.ndarray:
        """Place every ant anew; the ants begin at different moments of an episode, so that they do not end at once."""
        for row in range(self.num_envs):
            self._begin(row)
        self._elapsed[:] = self._rng.integers(self._episode_steps // SUBGOAL_STEPS, size=self.num_envs) * SUBGOAL_STEPS
        return self._look()

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions (float32 (N, 8) in [-1, 1]) for :meth:`step_wait`."""
        self._actions = actions

    def step_wait(self):
        """Advance every ant by 0.1 s."""
        bodies = self._bodies
        before = self._distances()
        _write_all_torques(self._actions, self._quarters, self._torques)
        bodies.push(self._every_row, self._torques)
        rewards = (before - self._distances()) / STEP_SECONDS
        self._elapsed += 1
        self._draw_subgoals(self._elapsed % SUBGOAL_STEPS == 0)
        seen = self._look()
        upright = seen[:, UP_FEATURE]
        fallen = upright < 0
        rewards -= self._tilt_penalty * (1 - upright) + self._fall_penalty * fallen
        self._returns += rewards
        ended = fallen | (self._elapsed >= self._episode_steps)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(ended):
            infos[row] = {
                "terminal_observation": seen[row].copy(),
                "TimeLimit.truncated": not fallen[row],
                "episode": {"r": self._returns[row], "l": int(self._elapsed[row]), "t": 0.0},
            }
            self._begin(row)
        if ended.any():
            seen = self._look()
        return seen, rewards.astype(np.float32), ended, infos

    def _begin(self, row: int) -> None:
        bodies = self._bodies
        bodies.place(row, np.zeros(2))
        angle = self._rng.uniform(-np.pi, np.pi)
        bodies.positions[row, 3], bodies.positions[row, 6] = np.cos(angle / 2), np.sin(angle / 2)
        bodies.positions[row, 7:] += self._rng.uniform(-0.15, 0.15, NUM_JOINTS)
        bodies.velocities[row] = 0.1 * self._rng.standard_normal(bodies.velocities.shape[1])
        self._elapsed[row], self._returns[row] = 0, 0.0
        self._draw_subgoals(np.arange(self.num_envs) == row)

    def _draw_subgoals(self, rows: np.ndarray) -> None:
        count = int(rows.sum())
        if count:
            places = self._bodies.positions[rows, :2]
            self._targets[rows] = places + self._rng.uniform(-MAX_SUBGOAL, MAX_SUBGOAL, (count, 2))

    def _distances(self) -> np.ndarray:
        return np.hypot(*(self._targets - self._bodies.positions[:, :2]).T)

    def _look(self) -> np.ndarray:
        _write_all_features(
            self._bodies.positions, self._bodies.velocities, self._targets, self._features, self._quarters
        )
        return self._features.copy()

    def close(self) -> None:
        """Nothing is open."""

    def get_attr(self, attr_name: str, indices=None) -> list[Any]:
        """The attribute, once per row."""
        return [getattr(self, attr_name, None) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices=None) -> None:
        """Set an attribute, which all rows share."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args, indices=None, **method_kwargs) -> list[Any]:
        """Call a method, which all rows share."""
        result = getattr(self, method_name)(*method_args, **method_kwargs)
        return [result for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class, indices=None) -> list[bool]:
        """No row is wrapped."""
        return [False for _ in self._get_indices(indices)]


@njit
def _write_all_features(positions, velocities, targets, features, quarters):
    for i in range(positions.shape[0]):
        quarters[i] = write_features(positions[i], velocities[i], targets[i], features[i])


@njit
def _write_all_torques(efforts, quarters, torques):
    for i in range(efforts.shape[0]):
        write_torques(efforts[i], quarters[i], torques[i])
