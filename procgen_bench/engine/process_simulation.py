"""ProcessSimulation: N single environments in worker processes, which write into arrays that all share."""

import os
import pickle
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from procgen_bench.core.errors import ClosedEnvironmentError, InvalidOptionError, ProcgenBenchError, WorkerDiedError
from procgen_bench.core.task import Task
from procgen_bench.engine.hosted_simulation import HostedSimulation
from procgen_bench.engine.interruption import interruption_deferred
from procgen_bench.engine.row_environments import OUTCOMES, Beginning, rows_layout
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.serving import Failure
from procgen_bench.engine.shared_arrays import mapped_arrays, new_memory
from procgen_bench.engine.task_env import TaskEnv
from procgen_bench.engine.worker import Worker, stop
from procgen_bench.engine.worker_rows import WorkerRows, WorkerSetup


class ProcessSimulation(HostedSimulation):
    """N rows in blocks, each held by a worker process that steps its rows one after the other.

    A request is one small message to each worker concerned, and so is its answer; actions, observations and outcomes
    lie in shared memory. Like a compiled step, a request is not interrupted by Ctrl-C, which counts when all workers
    have answered. (A second Ctrl-C does interrupt it. The rows can then only be closed.)

    Copies and pickles have workers of their own and continue exactly as this one does.

    Args:
        env_type: The single environment's class.
        tasks: Its argument of this name.
        keywords: Its further arguments.
        single: One of them, for its spaces.
        num_rows: Number of rows, N.
        num_workers: Number of processes, at most N.
        max_episode_steps: Steps after which an episode is truncated; ``None``: never.
    """

    def __init__(
        self,
        env_type: Callable[..., TaskEnv],
        tasks: Any,
        keywords: dict[str, Any],
        single: TaskEnv,
        num_rows: int,
        num_workers: int,
        max_episode_steps: int | None,
    ):
        super().__init__(num_rows, max_episode_steps)
        self.num_workers = num_workers
        self._env_type, self._tasks, self._keywords = env_type, tasks, _sendable(keywords)
        self._layout = rows_layout(single, num_rows)
        self._open(None)

    def _open(self, environments: list[bytes] | None) -> None:
        """Start the workers, with environments of their own or those that are given."""
        self._closed = False
        self._broken_by: ProcgenBenchError | None = None
        self._workers: list[Worker] = []
        self._stop = weakref.finalize(self, stop, self._workers, os.getpid())
        memory = new_memory(self._layout)
        try:
            self._arrays = arrays = mapped_arrays(self._layout, memory)
            for number, rows in enumerate(np.array_split(np.arange(self.num_rows), self.num_workers)):
                self._workers.append(Worker(number, range(int(rows[0]), int(rows[-1]) + 1), [memory]))
            self._ask_all({worker: (WorkerRows, self._setup(worker, memory, environments)) for worker in self._workers})
        except BaseException:
            self.close()
            raise
        finally:
            os.close(memory)
        self._use_arrays(arrays)

    def _setup(self, worker: Worker, memory: int, environments: list[bytes] | None) -> WorkerSetup:
        own = None if environments is None else environments[worker.rows.start : worker.rows.stop]
        return WorkerSetup(
            self._env_type,
            self._tasks,
            self._keywords,
            worker.rows,
            self.max_episode_steps,
            self._layout,
            memory,
            own,
        )

    def start(self, beginnings: dict[int, Beginning]) -> None:
        """Begin an episode in these rows, and write its first observation; when one fails, all are as they were."""
        requests = {}
        for worker in self._workers:
            own = {row: beginnings[row] for row in worker.rows if row in beginnings}
            if own:
                requests[worker] = ("start", own)
        before = self._copied_arrays()
        try:
            infos = self._ask_all(requests)
        except BaseException:
            if self._broken_by is None and not self._closed:
                self._ask_all(dict.fromkeys(requests, ("take_back",)))
                self._write_arrays(before)
            raise
        self._note_infos(list(beginnings), infos)

    def tasks(self) -> tuple[Task, ...]:
        """The rows' tasks."""
        return self._of_every_row("tasks")

    def frames(self) -> tuple:
        """The rows' states as their render mode asks."""
        return self._of_every_row("frames")

    def save_states(self, rows: Sequence[int]) -> dict[int, SavedState]:
        """By row, the episodes of these rows as they are."""
        own = {worker: [row for row in rows if row in worker.rows] for worker in self._workers}
        saved = self._ask_all({worker: ("save_states", some) for worker, some in own.items() if some})
        return {row: state for of_worker in saved for row, state in of_worker.items()}

    def close(self) -> None:
        """End the workers; again without effect. The arrays stay."""
        self._closed = True
        self._stop()

    def _play(self, request: str, active: np.ndarray) -> None:
        self._arrays["active"][...] = active
        concerned = [worker for worker in self._workers if active[worker.rows.start : worker.rows.stop].any()]
        infos = self._ask_all(dict.fromkeys(concerned, (request,)))
        self._note_infos(np.flatnonzero(active).tolist(), infos)

    def _of_every_row(self, request: str) -> tuple:
        return tuple(value for values in self._ask_all(dict.fromkeys(self._workers, (request,))) for value in values)

    def _ask_all(self, requests: dict[Worker, tuple]) -> list:
        """Send the requests; the answers, when there is one from each. Raises the first error that there was."""
        if self._closed:
            raise ClosedEnvironmentError
        if self._broken_by is not None:
            raise self._broken_by.with_traceback(None)
        with interruption_deferred():
            try:
                for worker, request in requests.items():
                    worker.send(*request)
                answers = {worker: worker.receive() for worker in requests}
            except BaseException as error:
                self._break(error)
                raise
        for worker, answer in answers.items():
            if isinstance(answer, Failure):
                raise worker.error_of(answer)
        return list(answers.values())

    def _break(self, error: BaseException) -> None:
        """Give up: the workers' answers don't belong to requests any more."""
        if not isinstance(error, WorkerDiedError):
            error = ProcgenBenchError("a call of the vector environment was interrupted; close it and make a new one")
        self._broken_by = error
        for worker in self._workers:
            worker.kill()

    def __getstate__(self) -> dict[str, Any]:
        own = ("_arrays", "_workers", "_stop", "observations", *OUTCOMES)
        state = {name: value for name, value in vars(self).items() if name not in own}
        environments = list(self._of_every_row("environments"))
        return state | {"environments": environments, "arrays": self._copied_arrays()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        environments, arrays = state.pop("environments"), state.pop("arrays")
        vars(self).update(state)
        self._open(environments)
        self._write_arrays(arrays)


def _sendable(keywords: dict[str, Any]) -> bytes:
    """Arguments, pickled."""
    try:
        return pickle.dumps(keywords)
    except Exception as error:  # pickle raises several
        raise InvalidOptionError(f"the arguments {keywords} cannot be sent to worker processes: {error}") from error
