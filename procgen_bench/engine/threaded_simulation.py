"""ThreadedSimulation: N single environments of this process, stepped by threads."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from procgen_bench.core.errors import ClosedEnvironmentError
from procgen_bench.core.task import Task
from procgen_bench.engine.hosted_simulation import HostedSimulation
from procgen_bench.engine.row_environments import Beginning, RowEnvironments, rows_layout
from procgen_bench.engine.row_thread_pool import RowThreadPool, first_failure
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.task_env import TaskEnv

_ANY = Beginning(None, None)


class ThreadedSimulation(HostedSimulation):
    """N rows in this process; whichever thread is free plays the next row.

    Copies and pickles have threads of their own and continue exactly as this one does.

    Attributes:
        num_threads: Number of threads.

    Args:
        make_env: Makes a row's environment.
        single: One of them, for its spaces.
        num_rows: Number of rows, N.
        num_threads: Number of threads, at most N.
        max_episode_steps: Steps after which an episode is truncated; ``None``: never.
    """

    def __init__(
        self,
        make_env: Callable[[], TaskEnv],
        single: TaskEnv,
        num_rows: int,
        num_threads: int,
        max_episode_steps: int | None,
    ):
        super().__init__(num_rows, max_episode_steps)
        self.num_threads = num_threads
        self._make_env, self._pool, self._closed = make_env, RowThreadPool(num_threads), False
        self._begun: set[int] = set()
        self._use_arrays({name: np.zeros(*of_array) for name, of_array in rows_layout(single, num_rows).items()})
        self._rows = RowEnvironments([make_env() for _ in range(num_rows)], self._arrays, 0, max_episode_steps)

    def start(self, beginnings: dict[int, Beginning]) -> None:
        """Begin an episode in these rows, and write its first observation; when one fails, all are as they were."""
        self._check_open()
        states, arrays = self.save_states(sorted(self._begun & beginnings.keys())), self._copied_arrays()
        try:
            self._in_rows(list(beginnings), lambda row: self._rows.begin(row, beginnings[row]))
        except Exception:
            for row in beginnings:
                self._put_back(row, states.get(row))
            self._write_arrays(arrays)
            raise
        self._begun |= beginnings.keys()

    def _put_back(self, row: int, state: SavedState | None) -> None:
        if state is None:
            self._rows[row] = self._make_env()
        else:
            self._rows[row].reset(options={"state": state})

    def _play(self, request: str, active: np.ndarray) -> None:
        self._check_open()
        rows = np.flatnonzero(active).tolist()
        if request == "step":
            self._in_rows(rows, self._rows.advance)
        else:
            self._in_rows(rows, lambda row: self._rows.begin(row, _ANY))

    def _in_rows(self, rows: list[int], play: Callable[[int], dict[str, Any]]) -> None:
        infos, failed = self._pool.each(rows, play)
        self._note_infos(rows, [{row: info for row, info in infos.items() if info}])
        if failed:
            raise first_failure(failed)

    def task(self, row: int) -> Task:
        """The task in ``row``."""
        self._check_open()
        return self._rows[row].task

    def tasks(self) -> tuple[Task, ...]:
        """The rows' tasks."""
        self._check_open()
        return tuple(env.task for env in self._rows.environments)

    def frames(self) -> tuple:
        """The rows' states as their render mode asks."""
        self._check_open()
        return tuple(env.render() for env in self._rows.environments)

    def save_states(self, rows: Sequence[int]) -> dict[int, SavedState]:
        """By row, the episodes of these rows as they are."""
        self._check_open()
        return {row: self._rows[row].save_state() for row in rows}

    def close(self) -> None:
        """End the threads and close the environments; again without effect. The arrays stay."""
        self._closed = True
        self._pool.close()
        for env in self._rows.environments:
            env.close()

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError
