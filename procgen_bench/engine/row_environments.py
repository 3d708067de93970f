"""RowEnvironments: single environments as rows of a vector environment, which write into its arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from procgen_bench.core.success import OF_EVERY_ROW
from procgen_bench.engine.shared_arrays import Layout
from procgen_bench.engine.task_env import TaskEnv

#: By row: what its info holds beside its success, where it holds more.
Infos = dict[int, dict[str, Any]]
#: What a row's observation is called among the arrays: this, or this and the key of its part.
OBSERVATION = "observation"
#: What rows write beside observations and actions, one number each.
OUTCOMES = {
    "rewards": np.float64,
    "terminations": np.bool_,
    "truncations": np.bool_,
    "successes": np.bool_,
    "elapsed": np.int64,
    "active": np.bool_,
}


@dataclass(frozen=True)
class Beginning:
    """How a row begins: the arguments of the single environment's ``reset``."""

    seed: int | None
    options: dict[str, Any] | None


class RowEnvironments:
    """Some rows of a vector environment, one after the other, each a single environment.

    Args:
        environments: Theirs.
        arrays: The arrays of all rows by name, of the shapes and dtypes of :func:`rows_layout`.
        first: The number of the first.
        max_episode_steps: The time limit; ``None``: none.
    """

    def __init__(
        self, environments: list[TaskEnv], arrays: dict[str, np.ndarray], first: int, max_episode_steps: int | None
    ):
        self.environments, self._first = environments, first
        self._max_episode_steps = np.inf if max_episode_steps is None else max_episode_steps
        self._actions, self._elapsed = arrays["actions"], arrays["elapsed"]
        self._outcomes = arrays["rewards"], arrays["terminations"], arrays["truncations"], arrays["successes"]
        parts = {name: array for name, array in arrays.items() if name.partition(".")[0] == OBSERVATION}
        self._observations = parts.get(OBSERVATION)
        self._parts = {name.partition(".")[2]: array for name, array in parts.items()}

    def __getitem__(self, row: int) -> TaskEnv:
        return self.environments[row - self._first]

    def __setitem__(self, row: int, env: TaskEnv) -> None:
        self.environments[row - self._first] = env

    def begin(self, row: int, beginning: Beginning) -> dict[str, Any]:
        """Begin an episode in ``row``; returns what its info holds beside its success."""
        observation, info = self[row].reset(seed=beginning.seed, options=beginning.options)
        goes_on = (beginning.options or {}).get("state") is not None
        self._elapsed[row] = self[row].elapsed if goes_on else 0
        return self._write(row, observation, 0.0, False, False, info)

    def advance(self, row: int) -> dict[str, Any]:
        """Advance ``row`` by its action; returns what its info holds beside its success.

        A row whose step fails keeps its observation; nothing is to be seen of its last one's outcome.
        """
        rewards, terminations, truncations, _ = self._outcomes
        rewards[row] = 0.0
        terminations[row] = truncations[row] = False
        # The action is a copy: what an environment keeps of it must not change with the next one.
        observation, reward, terminated, truncated, info = self[row].step(self._actions[row].copy())
        self._elapsed[row] += 1
        truncated |= bool(self._elapsed[row] >= self._max_episode_steps)
        return self._write(row, observation, reward, terminated, truncated, info)

    def _write(self, row: int, observation, reward, terminated, truncated, info: dict[str, Any]) -> dict[str, Any]:
        if self._observations is not None:
            self._observations[row] = observation
        else:
            for key, array in self._parts.items():
                array[row] = observation[key]
        for array, outcome in zip(self._outcomes, (reward, terminated, truncated, info["success"])):
            array[row] = outcome
        return {name: value for name, value in info.items() if name not in OF_EVERY_ROW}


def rows_layout(single: TaskEnv, num_rows: int) -> Layout:
    """The arrays of ``num_rows`` such environments.

    Raises:
        TypeError: Observations or actions are no arrays, nor observations a flat ``Dict`` of arrays.
    """
    observed, acted = batch_space(single.observation_space, num_rows), batch_space(single.action_space, num_rows)
    parts = {OBSERVATION: observed}
    if isinstance(observed, spaces.Dict):
        parts = {f"{OBSERVATION}.{key}": part for key, part in observed.items()}
    for name, space in (parts | {"actions": acted}).items():
        if not isinstance(space, spaces.Box | spaces.MultiDiscrete | spaces.MultiBinary):
            raise TypeError(
                f"{name} is of a {type(space).__name__} space, expected arrays, or observations a flat Dict"
            )
    layout = {name: (space.shape or (), np.dtype(space.dtype)) for name, space in (parts | {"actions": acted}).items()}
    return layout | {name: ((num_rows,), np.dtype(dtype)) for name, dtype in OUTCOMES.items()}
