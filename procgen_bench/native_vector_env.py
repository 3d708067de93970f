"""NativeVectorEnv: N tasks stepped by one compiled call into preallocated arrays."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, ClassVar

import numpy as np
from gymnasium.vector import AutoresetMode

from procgen_bench.checks import check_count
from procgen_bench.native_env import NativeEnv
from procgen_bench.seeding import stream_from_seed
from procgen_bench.simulation import NativeSimulation
from procgen_bench.task import Task
from procgen_bench.task_vector_env import TaskVectorEnv, checked_autoreset_mode


class NativeVectorEnv(TaskVectorEnv):
    """A vector environment over a compiled simulation; row ``k`` equals the single environment with its task and seed.

    A family sets ``single_env_type``, whose spaces, metadata, task space and simulation it shares, and whose own
    keyword arguments it takes.

    The time limit is inside: ``truncations`` are those that Gymnasium's ``TimeLimit`` would give.

    Args:
        num_envs: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated (``make_vec`` passes the registered limit);
            ``None`` for no limit.
        tasks: What rows that reset without a task draw from; see :class:`NativeEnv`.
        autoreset_mode: ``NEXT_STEP`` (Gymnasium's default), ``SAME_STEP`` (the last observation and info are then in
            ``infos["final_obs"]`` and ``infos["final_info"]``), or ``DISABLED`` (the caller resets rows with
            ``reset(options={"reset_mask": ...})``, and may hand each a task).
        copy: Whether ``reset`` and ``step`` return copies. ``False`` returns the simulation's own arrays, which the
            next call overwrites: nothing is then allocated for observations.
        render_mode: ``None``, ``"rgb_array"`` or ``"ansi"``; ``render`` returns one frame per row.
        **family_options: The single environment's further keyword arguments.

    ``reset``'s options: ``task`` (a task, a name or raw parameters for every row that resets; or a list with one entry
    per row, ``None`` where the row draws its own) and ``reset_mask`` (bool (N,): only these rows reset).
    """

    single_env_type: ClassVar[type[NativeEnv]]
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
        check_count("num_envs", num_envs)
        if max_episode_steps is not None:
            check_count("max_episode_steps", max_episode_steps)
        super().__init__(self.single_env_type(**family_options), num_envs, autoreset_mode, copy, render_mode)
        self.simulation = self.single.make_simulation(self.num_envs, max_episode_steps)
        if tasks is not None:
            self.simulation.use_tasks(self.task_space.resolve_many(tasks))

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The rows' current tasks."""
        return tuple(self.simulation.task(row) for row in range(self.num_envs))

    def close_extras(self, **kwargs) -> None:
        """Let go of what the simulation holds; called by :meth:`close`."""
        self.simulation.close()
        self.single.close()

    def _begin(
        self,
        rows: np.ndarray,
        seeds: Sequence[int | None],
        requested: dict[int, Task],
        further: dict[int, dict[str, Any]],
    ) -> None:
        fresh = rows.copy()
        fresh[list(requested)] = False
        with self.simulation.restored_on_error() if further else nullcontext():
            for row in np.flatnonzero(rows):
                if seeds[row] is not None or not self._started[row]:
                    self.simulation.streams[row] = stream_from_seed(seeds[row])
            for row, task in requested.items():
                self.simulation.load(row, task)
            self.simulation.start(rows, fresh)
            self._replace_parts({row: self.single.requested_parts(further[row]) for row in further if fresh[row]})

    def _restart(self, rows: np.ndarray) -> None:
        self.simulation.start(rows, rows)

    def _frames(self) -> tuple[np.ndarray, ...] | tuple[str, ...]:
        draw = self.single.render_text if self.render_mode == "ansi" else self.single.render_frame
        return tuple(draw(self.simulation, row) for row in range(self.num_envs))

    def _replace_parts(self, parts: dict[int, dict[str, Any]]) -> None:
        """Begin rows that have just drawn a task anew, with some of its fields replaced."""
        rows = np.zeros(self.num_envs, np.bool_)
        for row, fields in parts.items():
            self.simulation.load(row, self.task_space.with_parts(self.simulation.task(row), fields))
            rows[row] = True
        if parts:
            self.simulation.start(rows, ~self._every_row)
