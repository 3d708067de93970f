"""RowEnvironments: single environments as rows of a vector environment, which write into its arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from procgen_bench.engine.shared_arrays import Layout
from procgen_bench.engine.task_env import TaskEnv

#: By row: what its info holds beside ``success``, where it holds more.
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
        arrays: The arrays of all rows, as :func:`rows_layout` has them.
        first: The number of the first.
        max_episode_steps: The time limit; ``None``: none.
    """

    def __init__(
        self, environments: list[TaskEnv], arrays: dict[str, np.ndarray], first: int, max_episode_steps: int | None
    ):
        self.environments, self._arrays, self._first = environments, arrays, first
        self._max_episode_steps = max_episode_steps

    def __getitem__(self, row: int) -> TaskEnv:
        return self.environments[row - self._first]

    def __setitem__(self, row: int, env: TaskEnv) -> None:
        self.environments[row - self._first] = env

    def begin(self, row: int, beginning: Beginning) -> dict[str, Any]:
        """Begin an episode in ``row``; returns what its info holds beside ``success``."""
        observation, info = self[row].reset(seed=beginning.seed, options=beginning.options)
        goes_on = (beginning.options or {}).get("state") is not None
        self._arrays["elapsed"][row] = self[row].elapsed if goes_on else 0
        return self._write(row, observation, 0.0, False, False, info)

    def advance(self, row: int) -> dict[str, Any]:
        """Advance ``row`` by its action; returns what its info holds beside ``success``.

        A row whose step fails keeps its observation; nothing is to be seen of its last one's outcome.
        """
        arrays = self._arrays
        arrays["rewards"][row] = 0.0
        arrays["terminations"][row] = arrays["truncations"][row] = False
        # The action is a copy: what an environment keeps of it must not change with the next one.
        observation, reward, terminated, truncated, info = self[row].step(arrays["actions"][row].copy())
        elapsed = arrays["elapsed"]
        elapsed[row] += 1
        if self._max_episode_steps is not None and elapsed[row] >= self._max_episode_steps:
            truncated = True
        return self._write(row, observation, reward, terminated, truncated, info)

    def _write(self, row: int, observation, reward, terminated, truncated, info: dict[str, Any]) -> dict[str, Any]:
        arrays = self._arrays
        if isinstance(observation, dict):
            for key, part in observation.items():
                arrays[f"{OBSERVATION}.{key}"][row] = part
        else:
            arrays[OBSERVATION][row] = observation
        arrays["rewards"][row] = reward
        arrays["terminations"][row] = terminated
        arrays["truncations"][row] = truncated
        arrays["successes"][row] = info["success"]
        return {name: value for name, value in info.items() if name != "success"} if len(info) > 1 else {}


def rows_layout(single: TaskEnv, num_rows: int) -> Layout:
    """The arrays of ``num_rows`` such environments."""
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
