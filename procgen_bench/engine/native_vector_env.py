"""NativeVectorEnv: N tasks stepped by one compiled call into preallocated arrays."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from procgen_bench.core.seeding import stream_from_seed
from procgen_bench.core.task_batch import TaskBatch
from procgen_bench.engine.native_env import NativeEnv
from procgen_bench.engine.row_requests import RowRequests
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.simulation import NativeSimulation
from procgen_bench.engine.task_vector_env import TaskVectorEnv


class NativeVectorEnv(TaskVectorEnv):
    """A vector environment over a compiled simulation; row ``k`` equals the single environment with its task and seed.

    A family's single environment says which simulation it is, too; see :class:`TaskVectorEnv` for the arguments.

    ``reset``'s options: ``task`` (a task, a name or raw parameters for every row that resets; or a list with one entry
    per row, ``None`` where the row draws its own), ``state`` (a saved state, or such a list) and ``reset_mask``
    (bool (N,): only these rows reset). ``step`` takes ``actions`` (N, ...) of ``action_space`` and returns observations
    (N, ...), rewards (float64 (N,)), terminations and truncations (bool (N,)), and infos, as Gymnasium's do.

    Raises:
        InvalidActionError: From ``step``: there are more or fewer actions than rows, or one is outside its space.
        InvalidTaskError, InvalidOptionError: From ``reset``: a task or another option cannot be used; no row is reset.
        ResetNeededError: From ``step``: a row has not begun an episode, or, under ``DISABLED``, none since its last
            end.
        ClosedEnvironmentError: From calls after :meth:`close`.
    """

    single_env_type: Callable[..., NativeEnv]
    single: NativeEnv
    simulation: NativeSimulation

    def _made_single(self, tasks: Any, options: dict[str, Any]) -> NativeEnv:
        return self.single_env_type(**options)  # the rows' simulation has the tasks

    def _make_rows(self, tasks: Any, options: dict[str, Any], max_episode_steps: int | None) -> None:
        self.simulation = self._simulated(max_episode_steps)
        self._flatten_rows(self.single.flattener)
        self.single.use_tasks(self.simulation, tasks)

    def begin_batch(self, rows: np.ndarray, tasks: TaskBatch) -> None:
        """As :meth:`TaskVectorEnv.begin_batch`; a family's arrays are filled as a whole where they are its fields."""
        if not (self._all_started and self.simulation.keeps_fields):
            super().begin_batch(rows, tasks)
            return
        self._check_open()
        self.task_space.validate_batch(tasks)
        for name, array in zip(self.simulation.task_arrays, self.simulation.task_rows, strict=True):
            array[rows] = tasks.arrays[name]
        self.simulation.begin(rows, ~self._every_row)
        self._forget_ends(rows)

    def _simulated(self, max_episode_steps: int | None) -> NativeSimulation:
        return self.single.make_simulation(self.num_envs, max_episode_steps)

    def _begin(self, requests: RowRequests) -> None:
        tasks, states = requests.tasks, requests.states
        parts = {row: self.single.requested_parts(own) for row, own in requests.further.items()}
        beginning, fresh = requests.rows.copy(), requests.rows.copy()
        beginning[list(states)] = False
        fresh[[*tasks, *states]] = False
        with self.simulation.restored_on_error() if requests.further else nullcontext():
            self._go_on(states, parts)
            for row in requests.row_numbers():
                if requests.seeds[row] is not None or not (self._started[row] or row in states):
                    self.simulation.streams[row] = stream_from_seed(requests.seeds[row])
            for row, task in tasks.items():
                self.simulation.load(row, task)
            self.simulation.begin(beginning, fresh)
            self._replace_parts({row: own for row, own in parts.items() if fresh[row]})

    def _go_on(self, states: dict[int, SavedState], parts: dict[int, dict[str, Any]]) -> None:
        """Continue in these rows from ``states``, under their tasks with the rows' ``parts`` replaced."""
        self.simulation.restore_rows(states)
        for row, state in states.items():
            if parts[row]:
                self.simulation.pursue(row, self.task_space.with_parts(state.task, parts[row]))

    def _saved_states(self, rows: list[int]) -> list[SavedState]:
        kind = self.single.state_kind
        return [self.simulation.save_row(row, kind, bool(self._ended[row])) for row in rows]

    def _restart(self, rows: np.ndarray) -> None:
        self.simulation.begin(rows, rows)

    def _frames(self) -> tuple[np.ndarray, ...] | tuple[str, ...]:
        draw: Callable[..., Any] = self.single.render_text if self.render_mode == "ansi" else self.single.render_frame
        return tuple(draw(self.simulation, row) for row in range(self.num_envs))

    def _replace_parts(self, parts: dict[int, dict[str, Any]]) -> None:
        """Begin rows that have just drawn a task again, with some of its fields replaced."""
        rows = np.zeros(self.num_envs, np.bool_)
        for row, fields in parts.items():
            self.simulation.load(row, self.task_space.with_parts(self.simulation.task(row), fields))
            rows[row] = True
        if parts:
            self.simulation.start(rows, ~self._every_row)
