"""HostedVectorEnv: a vector environment whose rows are single environments, stepped by threads or processes."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from procgen_bench.core.task import Task
from procgen_bench.engine.hosted_simulation import HostedSimulation
from procgen_bench.engine.row_environments import Beginning
from procgen_bench.engine.row_requests import RowRequests
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.task_vector_env import TaskVectorEnv


class HostedVectorEnv(TaskVectorEnv):
    """N single environments as rows; row ``k`` equals the single environment with its task and seed.

    It behaves as :class:`NativeVectorEnv` does, however the rows are spread over workers; see :class:`TaskVectorEnv`
    for the arguments. The single environment can be pickled; its observations are arrays or a flat dict of them.

    ``reset``'s options: ``task`` (a task, a name or raw parameters for every row that resets; or a list with one entry
    per row, ``None`` where the row draws its own), ``reset_mask`` (bool (N,): only these rows reset), and the single
    environment's further ones (a list with one entry per row, ``None`` where there is nothing to say; anything else, a
    tuple too, is for every row). A reset that fails leaves all rows as they were.

    ``step`` takes ``actions`` (N, ...) of ``action_space`` and returns observations (N, ...), rewards (float64 (N,)),
    terminations and truncations (bool (N,)), and infos, as Gymnasium's do.

    Infos hold ``success`` (bool (N,)), and what else the rows' infos hold as Gymnasium's vector environments give it:
    an array, and under its name with a leading underscore the mask of the rows that have it.

    Raises:
        ClosedEnvironmentError: From calls after :meth:`close`.
        InvalidActionError: From ``step``: there are more or fewer actions than rows, or one is outside its space.
        ResetNeededError: From ``step``: a row has not begun an episode, or, under ``DISABLED``, none since its last
            end.

    An error in a row's environment is raised with its own type and a note of where it was. In ``step`` the other rows
    have advanced by then; those that ended begin again in the next step, in mode ``DISABLED`` they wait for a reset.
    """

    simulation: HostedSimulation

    def _make_rows(self, tasks: Any, options: dict[str, Any], max_episode_steps: int | None) -> None:
        self.simulation = self._hosted(tasks, {"render_mode": self.render_mode, **options}, max_episode_steps)

    @abstractmethod
    def _hosted(self, tasks: Any, keywords: dict[str, Any], max_episode_steps: int | None) -> HostedSimulation:
        """The rows: environments with these ``tasks`` and further arguments."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The rows' current tasks."""
        return self.simulation.tasks()

    def step(self, actions: np.ndarray):
        """As :meth:`TaskVectorEnv.step`, of actions (N, ...); see the class for shapes and errors."""
        try:
            return super().step(actions)
        except BaseException:
            # Rows that advanced before the error may have ended.
            np.logical_or(self.simulation.terminations, self.simulation.truncations, out=self._ended)
            self._any_ended = bool(self._ended.any())
            raise

    def _begin(self, requests: RowRequests) -> None:
        beginnings = {}
        for row in requests.row_numbers():
            given = {"task": requests.tasks[row]} if row in requests.tasks else {}
            beginnings[row] = Beginning(requests.seeds[row], given | requests.further.get(row, {}))
        self.simulation.start(beginnings)

    def _saved_states(self, rows: list[int]) -> list[SavedState]:
        # A row's own environment knows nothing of the time limit.
        states = self.simulation.save_states(rows)
        return [replace(states[row], ended=states[row].ended or bool(self._ended[row])) for row in rows]

    def _restart(self, rows: np.ndarray) -> None:
        self.simulation.restart(rows)

    def _frames(self) -> tuple[np.ndarray, ...] | tuple[str, ...]:
        return self.simulation.frames()

    def _infos(self, rows: np.ndarray) -> dict[str, Any]:
        infos = super()._infos(rows)
        for row, info in self.simulation.further_infos.items():
            if rows[row]:
                self._add_info(infos, info, row)
        return infos
