"""WorkerRows: some rows of a vector environment, in a worker process."""

import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from procgen_bench.core.own_code import exits_are_errors
from procgen_bench.engine.row_environments import Beginning, Infos, RowEnvironments
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.serving import Failure, loaded
from procgen_bench.engine.shared_arrays import Layout, mapped_arrays
from procgen_bench.engine.task_env import TaskEnv


@dataclass(frozen=True)
class WorkerSetup:
    """What a worker is given first.

    Attributes:
        env_type: The single environment's class.
        tasks: Its argument of this name.
        keywords: Its further arguments, pickled: rows share none of them.
        rows: Which rows of the vector environment it holds.
        max_episode_steps: The time limit; ``None``: none.
        layout, memory: The shared arrays, and their descriptor.
        environments: The rows' environments, pickled; ``None``: they are made.
    """

    env_type: Callable[..., TaskEnv]
    tasks: Any
    keywords: bytes
    rows: range
    max_episode_steps: int | None
    layout: Layout
    memory: int
    environments: list[bytes] | None


class WorkerRows:
    """The environments of a worker: the host of :func:`~procgen_bench.engine.serving.serve`.

    Requests that play write what happened into the shared arrays, and return the rest of the infos.
    """

    def __init__(self, setup: WorkerSetup):
        self._numbers = setup.rows
        self._arrays = mapped_arrays(setup.layout, setup.memory)
        os.close(setup.memory)
        self._kept: dict[int, bytes] = {}
        if setup.environments is not None:
            environments = [pickle.loads(content) for content in setup.environments]
        else:
            environments = [setup.env_type(tasks=setup.tasks, **loaded(setup.keywords)) for _ in setup.rows]
        limit = setup.max_episode_steps
        self._rows = RowEnvironments(environments, self._arrays, setup.rows.start, limit)

    def start(self, beginnings: dict[int, Beginning]) -> Infos | Failure:
        """Begin an episode in these rows, which :meth:`take_back` undoes."""
        # A reset takes many times as long as this copy: what it may refuse needn't be known beforehand.
        self._kept = {}
        self._kept = {row: self._pickled(row) for row in beginnings}
        return self._in_rows(list(beginnings), lambda row: self._rows.begin(row, beginnings[row]))

    def take_back(self) -> None:
        """Let the environments be as they were before the last :meth:`start`."""
        for row, content in self._kept.items():
            self._rows[row] = pickle.loads(content)

    def restart(self) -> Infos | Failure:
        """Begin an episode in the active rows, whose random generators continue and draw the tasks."""
        return self._in_rows(self._active(), lambda row: self._rows.begin(row, Beginning(None, None)))

    def step(self) -> Infos | Failure:
        """Advance the active rows by their actions."""
        return self._in_rows(self._active(), self._rows.advance)

    def tasks(self) -> list:
        """The rows' tasks."""
        return [env.task for env in self._rows.environments]

    def save_states(self, rows: list[int]) -> dict[int, SavedState]:
        """By row, the episodes of these rows as they are."""
        return {row: self._rows[row].save_state() for row in rows}

    def frames(self) -> list:
        """The rows' states as their render mode asks."""
        return [env.render() for env in self._rows.environments]

    def environments(self) -> list[bytes]:
        """The rows' environments, pickled."""
        return [self._pickled(row) for row in self._numbers]

    def close(self) -> None:
        """Close the environments."""
        for env in self._rows.environments:
            env.close()

    def _pickled(self, row: int) -> bytes:
        return pickle.dumps(self._rows[row], pickle.HIGHEST_PROTOCOL)

    def _active(self) -> Iterator[int]:
        return (row for row in self._numbers if self._arrays["active"][row])

    def _in_rows(self, rows: Iterable[int], play: Callable[[int], dict[str, Any]]) -> Infos | Failure:
        """Play in every row, also when it fails in one; the infos, or the first failure."""
        infos, failure = {}, None
        for row in rows:
            try:
                with exits_are_errors:
                    info = play(row)
            except Exception as error:
                failure = failure or Failure.of(error, row)
                continue
            if info:
                infos[row] = info
        return failure or infos
