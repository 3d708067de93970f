"""HostedSimulation: N single environments that write into one set of arrays, in this process or others."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from procgen_bench.core.task import Task
from procgen_bench.engine.row_environments import OBSERVATION, Beginning, Infos
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.simulation import ObservedRows


class HostedSimulation(ObservedRows):
    """N rows that are single environments.

    Attributes:
        num_rows: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated; ``None``: never.
        observations, rewards, terminations, truncations, successes, elapsed: As
            :class:`procgen_bench.engine.simulation.NativeSimulation` has them.
        further_infos: By row, what the row's last info held beside ``success``, where it held more.
    """

    def __init__(self, num_rows: int, max_episode_steps: int | None):
        self.num_rows, self.max_episode_steps = num_rows, max_episode_steps
        self.further_infos: Infos = {}

    @abstractmethod
    def start(self, beginnings: dict[int, Beginning]) -> None:
        """Begin an episode in these rows, and write its first observation; when one fails, all are as they were."""

    def restart(self, rows: np.ndarray) -> None:
        """Begin an episode with a drawn task in every row of ``rows`` (bool (N,))."""
        self._play("restart", rows)

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every row of ``active`` (bool (N,)) by one action; the other rows' arrays stay as they are.

        When a row's environment raises an error, the other rows have advanced nevertheless.
        """
        self._arrays["actions"][...] = actions
        self._play("step", active)

    @abstractmethod
    def _play(self, request: str, active: np.ndarray) -> None:
        """Do what is requested, a ``"restart"`` or a ``"step"``, in these rows."""

    def task(self, row: int) -> Task:
        """The task in ``row``."""
        return self.tasks()[row]

    @abstractmethod
    def tasks(self) -> tuple[Task, ...]:
        """The rows' tasks."""

    @abstractmethod
    def frames(self) -> tuple:
        """The rows' states as their render mode asks."""

    @abstractmethod
    def save_states(self, rows: Sequence[int]) -> dict[int, SavedState]:
        """By row, the episodes of these rows as they are."""

    @abstractmethod
    def close(self) -> None:
        """Release the environments; again without effect. The arrays stay."""

    def _use_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        self._arrays = arrays
        self.rewards, self.successes, self.elapsed = arrays["rewards"], arrays["successes"], arrays["elapsed"]
        self.terminations, self.truncations = arrays["terminations"], arrays["truncations"]
        parts = {name: array for name, array in arrays.items() if name.partition(".")[0] == OBSERVATION}
        self.observations = {name.partition(".")[2]: array for name, array in parts.items()}
        if OBSERVATION in parts:
            self.observations = parts[OBSERVATION]

    def _note_infos(self, rows: Sequence[int], infos: Sequence[Infos]) -> None:
        if self.further_infos:
            for row in rows:
                self.further_infos.pop(int(row), None)
        for some in infos:
            self.further_infos.update(some)

    def _copied_arrays(self) -> dict[str, Any]:
        return {name: array.copy() for name, array in self._arrays.items()}

    def _write_arrays(self, content: dict[str, np.ndarray]) -> None:
        for name, array in content.items():
            self._arrays[name][...] = array
