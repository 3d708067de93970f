"""TaskVecEnv: a vector environment as stable-baselines3's VecEnv."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from procgen_bench.engine.task_vector_env import TaskVectorEnv


class TaskVecEnv(VecEnv):
    """Rows that end are reset within the step, as stable-baselines3 expects, and draw their next task.

    Observations are copied once, out of the simulation's arrays.

    Args:
        environment_id: A registered environment.
        num_envs: Number of rows.
        tasks: As the environment's argument of this name.
        **environment_options: The environment's further keyword arguments.

    Attributes:
        rows: The vector environment, whose rows are reset by hand.
    """

    def __init__(self, environment_id: str, num_envs: int, tasks=None, **environment_options):
        rows = gymnasium.make_vec(
            environment_id,
            num_envs=num_envs,
            vectorization_mode="vector_entry_point",
            autoreset_mode=AutoresetMode.DISABLED,
            copy=False,
            tasks=tasks,
            **environment_options,
        )
        assert isinstance(rows, TaskVectorEnv)  # as every registered one is
        self.rows = rows
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._actions = np.empty(0)
        super().__init__(num_envs, self.rows.single_observation_space, self.rows.single_action_space)

    def reset(self):
        """Begin an episode in every row; seeds given to :meth:`seed` are used once."""
        every_row = np.ones(self.num_envs, np.bool_)
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        self._start(every_row, seeds)
        self._reset_seeds()
        self._reset_options()
        return self.rows.observe()

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions for :meth:`step_wait`."""
        self._actions = actions

    def step_wait(self):
        """Advance every row; rows that ended hold their next episode's first observation."""
        _, rewards, terminations, truncations, infos = self.rows.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        ended = terminations | truncations
        row_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if ended.any():
            for row in np.flatnonzero(ended):
                row_infos[row] = {
                    "terminal_observation": self.rows.observe_row(row),
                    "TimeLimit.truncated": bool(truncations[row] and not terminations[row]),
                    "episode": {"r": float(self._returns[row]), "l": int(self._lengths[row]), "t": 0.0},
                    "is_success": bool(infos["success"][row]),
                }
            self._start(ended, None)
        return self.rows.observe(), rewards.astype(np.float32), ended, row_infos

    def _start(self, rows: np.ndarray, seeds: Sequence[int | None] | None) -> None:
        options: dict[str, Any] = {"reset_mask": rows}
        self.rows.reset(seed=seeds, options=options)
        self._returns[rows] = 0.0
        self._lengths[rows] = 0

    def close(self) -> None:
        """Close the environment."""
        self.rows.close()

    def get_attr(self, attr_name: str, indices=None) -> list[Any]:
        """The environment's attribute, once per row."""
        return [getattr(self.rows, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices=None) -> None:
        """Set an attribute of the environment, which all rows share."""
        setattr(self.rows, attr_name, value)

    def env_method(self, method_name: str, *method_args, indices=None, **method_kwargs) -> list[Any]:
        """Call a method of the environment, which all rows share."""
        result = getattr(self.rows, method_name)(*method_args, **method_kwargs)
        return [result for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class, indices=None) -> list[bool]:
        """No row is wrapped."""
        return [False for _ in self._get_indices(indices)]
