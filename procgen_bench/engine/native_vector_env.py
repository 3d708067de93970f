"""NativeVectorEnv: N tasks stepped by one compiled call into preallocated arrays."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from procgen_bench.core.seeding import stream_from_seed
from procgen_bench.core.task_batch import TaskBatch
from procgen_bench.engine.native_env import NativeEnv
from procgen_bench.engine.row_requests import RowRequests, checked_autoreset_mode, checked_limit
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.simulation import NativeSimulation
from procgen_bench.engine.task_vector_env import TaskVectorEnv


class NativeVectorEnv(TaskVectorEnv):
    """A vector environment over a compiled simulation; row ``k`` equals the single environment with its task and seed.

    A family sets ``single_env_type``, whose spaces, metadata, task space and simulation it shares, and whose own
    keyword arguments it takes.

    The time limit is inside: ``truncations`` are those that Gymnasium's ``TimeLimit`` would give.

    Args:
        num_envs: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated; ``make_vec`` passes the registered limit, also in
            place of ``None``. -1, or ``None`` where there is no ``make_vec``: no limit.
        tasks: What rows that reset without a task draw from; see :class:`NativeEnv`.
        autoreset_mode: ``NEXT_STEP`` (Gymnasium's default), ``SAME_STEP`` (the last observation and info are then in
            ``infos["final_obs"]`` and ``infos["final_info"]``), or ``DISABLED`` (the caller resets rows with
            ``reset(options={"reset_mask": ...})``, and may hand each a task).
        copy: Whether ``reset`` and ``step`` return copies. ``False`` returns the simulation's own arrays, which the
            next call overwrites: nothing is then allocated for observations.
        render_mode: ``None``, ``"rgb_array"`` or ``"ansi"``; ``render`` returns one frame per row.
        **family_options: The single environment's further keyword arguments.

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

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        tasks=None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        **family_options,
    ):
        autoreset_mode = checked_autoreset_mode(autoreset_mode)
        max_episode_steps = checked_limit(num_envs, max_episode_steps)
        super().__init__(self.single_env_type(**family_options), num_envs, autoreset_mode, copy, render_mode)
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
