"""SerialVectorEnv: single environments as the rows of a vector environment, stepped in turn in this process."""

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array

from procgen_bench.engine.action_rule import ActionRule
from procgen_bench.engine.environment_options import make_environment


class SerialVectorEnv(VectorEnv):
    """A vector environment for families without one, and for processes that are one of many already.

    Rows are reset by hand (autoreset mode ``DISABLED``) and can each be given a task.

    Args:
        environment_id: A registered environment.
        num_envs: Number of rows, N.
        environment_options: Arguments of the environments' constructor, by name.
        wrapper: Wraps every row's environment.

    Raises:
        InvalidOptionError: The environment does not take these options.
    """

    def __init__(
        self,
        environment_id: str,
        num_envs: int,
        environment_options: Mapping[str, Any] | None = None,
        wrapper: Callable[[gymnasium.Env], gymnasium.Env] | None = None,
    ):
        rows = [make_environment(environment_id, environment_options) for _ in range(num_envs)]
        self.envs = rows if wrapper is None else [wrapper(env) for env in rows]
        self.num_envs = num_envs
        self.metadata = {**self.envs[0].metadata, "autoreset_mode": AutoresetMode.DISABLED}
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._action_rule = ActionRule(self.single_action_space, num_envs)
        self.end_measures: tuple[str, ...] = self.envs[0].get_wrapper_attr("end_measures")
        self._observations: list[Any] = [None] * num_envs
        self._outcomes: dict[str, np.ndarray] = {}

    def reset(self, *, seed=None, options: dict[str, Any] | None = None):
        """Begin an episode in every row of ``options["reset_mask"]`` (bool (N,); all by default).

        Args:
            seed: One seed per row, or ``None``.
            options: Also ``task``: one task per row.
        """
        options = options or {}
        rows = options.get("reset_mask", np.ones(self.num_envs, np.bool_))
        for row in np.flatnonzero(rows).tolist():
            row_options = {"task": options["task"][row]} if "task" in options else None
            row_seed = None if seed is None else seed[row]
            self._observations[row], info = self.envs[row].reset(seed=row_seed, options=row_options)
            self._note(row, info)
        return self._batch(), self._infos()

    def step(self, actions: np.ndarray):
        """Advance every row by its action, (N, ...) in all.

        Returns:
            Observations (N, ...), rewards (float64 (N,)), terminations and truncations (bool (N,)), and infos.

        Raises:
            InvalidActionError: There are more or fewer actions than rows, or one is outside the action space.
        """
        actions = self._action_rule.checked(actions)
        rewards = np.zeros(self.num_envs)
        terminations, truncations = np.zeros((2, self.num_envs), np.bool_)
        for row, (env, action) in enumerate(zip(self.envs, actions)):
            self._observations[row], rewards[row], terminations[row], truncations[row], info = env.step(action)
            self._note(row, info)
        return self._batch(), rewards, terminations, truncations, self._infos()

    def _note(self, row: int, info: dict[str, Any]) -> None:
        for name in {"success", "settled", "stands", "is_success", *self.end_measures} & info.keys():
            kind = np.float64 if name in self.end_measures else np.bool_
            self._outcomes.setdefault(name, np.zeros(self.num_envs, kind))[row] = info[name]

    def _infos(self) -> dict[str, np.ndarray]:
        return {name: of_rows.copy() for name, of_rows in self._outcomes.items()}

    def close_extras(self, **kwargs) -> None:
        """Close the rows."""
        for env in self.envs:
            env.close()

    def _batch(self):
        """The rows' observations, in new arrays."""
        empty = create_empty_array(self.single_observation_space, self.num_envs)
        return concatenate(self.single_observation_space, self._observations, empty)
