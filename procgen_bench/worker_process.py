"""What runs in a worker process: some rows of a vector environment, and the loop that does as the parent asks."""

import os
import pickle
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from procgen_bench.errors import InvalidOptionError
from procgen_bench.shared_arrays import Layout, mapped_arrays
from procgen_bench.task_env import TaskEnv

#: By row: what its info holds beside ``success``, where it holds more.
Infos = dict[int, dict[str, Any]]
#: What a row's observation is called among the shared arrays: this, or this and the key of its part.
OBSERVATION = "observation"


@dataclass(frozen=True)
class Failure:
    """An exception on its way to another process.

    Attributes:
        row: The row that it came from, or ``None``.
        error_type, arguments, attributes: What the error is made of. (One whose constructor takes something else than
            its ``args`` cannot be pickled.)
        trace: The traceback as text.
    """

    row: int | None
    error_type: type[Exception]
    arguments: tuple
    attributes: dict[str, Any]
    trace: str

    @classmethod
    def of(cls, error: Exception, row: int | None = None) -> "Failure":
        """The failure that tells of ``error``; where that cannot be sent, of a RuntimeError with its words."""
        trace = "".join(traceback.format_exception(error))
        failure = cls(row, type(error), error.args, vars(error), trace)
        try:
            pickle.loads(pickle.dumps(failure))
        except Exception:
            return cls(row, RuntimeError, (f"{type(error).__name__}: {error}",), {}, trace)
        return failure

    def error(self) -> Exception:
        """The error anew."""
        error = self.error_type.__new__(self.error_type, *self.arguments)
        error.args = self.arguments
        vars(error).update(self.attributes)
        return error


@dataclass(frozen=True)
class Beginning:
    """How a row begins: the arguments of the single environment's ``reset``."""

    seed: int | None
    options: dict[str, Any] | None


@dataclass(frozen=True)
class Assignment:
    """What a worker is told first.

    Attributes:
        env_type: The single environment's class.
        tasks: Its argument of this name.
        keywords: Its further arguments, pickled: rows share none of them.
        rows: Which rows of the vector environment it holds.
        max_episode_steps: The time limit; ``None``: none.
        layout, memory: The shared arrays, and their descriptor.
        environments: The rows' environments, pickled; ``None``: they are made.
    """

    env_type: type[TaskEnv]
    tasks: Any
    keywords: bytes
    rows: range
    max_episode_steps: int | None
    layout: Layout
    memory: int
    environments: list[bytes] | None


class HostedRows:
    """The environments of a worker. Public methods are the requests that :func:`serve` answers.

    Those that play write what happened into the shared arrays, and return the rest of the infos.
    """

    def __init__(self, assignment: Assignment):
        self._numbers = assignment.rows
        self._max_episode_steps = assignment.max_episode_steps
        self._arrays = mapped_arrays(assignment.layout, assignment.memory)
        os.close(assignment.memory)
        self._kept: dict[int, bytes] = {}
        if assignment.environments is not None:
            self._environments = [pickle.loads(content) for content in assignment.environments]
            return
        self._environments = [
            assignment.env_type(tasks=assignment.tasks, **_loaded(assignment.keywords)) for _ in assignment.rows
        ]

    def start(self, beginnings: dict[int, Beginning]) -> Infos | Failure:
        """Begin an episode in these rows, which :meth:`take_back` undoes."""
        # A reset takes many times as long as this copy: what it may refuse needn't be known beforehand.
        self._kept = {}
        self._kept = {row: self._pickled(row) for row in beginnings}
        return self._in_rows(list(beginnings), lambda row: self._begin(row, beginnings[row]))

    def take_back(self) -> None:
        """Let the environments be as they were before the last :meth:`start`."""
        for row, content in self._kept.items():
            self._environments[row - self._numbers.start] = pickle.loads(content)

    def restart(self) -> Infos | Failure:
        """Begin an episode in the active rows, whose chance goes on and draws the task."""
        return self._in_rows(self._active(), lambda row: self._begin(row, Beginning(None, None)))

    def step(self) -> Infos | Failure:
        """Advance the active rows by their actions."""
        # A row whose step fails keeps its observation; nothing is to be seen of its last one's outcome.
        for row in self._active():
            self._arrays["rewards"][row] = 0.0
            self._arrays["terminations"][row] = self._arrays["truncations"][row] = False
        return self._in_rows(self._active(), self._advance)

    def tasks(self) -> list:
        """The rows' tasks."""
        return [env.task for env in self._environments]

    def frames(self) -> list:
        """The rows' states as their render mode asks."""
        return [env.render() for env in self._environments]

    def environments(self) -> list[bytes]:
        """The rows' environments, pickled."""
        return [self._pickled(row) for row in self._numbers]

    def close(self) -> None:
        """Close the environments."""
        for env in self._environments:
            env.close()

    def _pickled(self, row: int) -> bytes:
        return pickle.dumps(self._environments[row - self._numbers.start], pickle.HIGHEST_PROTOCOL)

    def _active(self) -> Iterator[int]:
        return (row for row in self._numbers if self._arrays["active"][row])

    def _in_rows(self, rows: Iterable[int], play: Callable[[int], dict[str, Any]]) -> Infos | Failure:
        """Play in every row, also when it fails in one; the infos, or the first failure."""
        infos, failure = {}, None
        for row in rows:
            try:
                info = play(row)
            except Exception as error:
                failure = failure or Failure.of(error, row)
                continue
            if len(info) > 1:
                infos[row] = {name: value for name, value in info.items() if name != "success"}
        return failure or infos

    def _begin(self, row: int, beginning: Beginning) -> dict[str, Any]:
        env = self._environments[row - self._numbers.start]
        observation, info = env.reset(seed=beginning.seed, options=beginning.options)
        self._arrays["elapsed"][row] = 0
        self._write(row, observation, 0.0, False, False, info)
        return info

    def _advance(self, row: int) -> dict[str, Any]:
        # The action is a copy: what an environment keeps of it must not change with the next one.
        action = self._arrays["actions"][row].copy()
        observation, reward, terminated, truncated, info = self._environments[row - self._numbers.start].step(action)
        elapsed = self._arrays["elapsed"]
        elapsed[row] += 1
        if self._max_episode_steps is not None and elapsed[row] >= self._max_episode_steps:
            truncated = True
        self._write(row, observation, reward, terminated, truncated, info)
        return info

    def _write(self, row: int, observation, reward, terminated, truncated, info: dict[str, Any]) -> None:
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


def serve(descriptor: int) -> None:
    """Take the assignment, then answer requests, until the parent hangs up; ends the process.

    Args:
        descriptor: This end of the connection.
    """
    rows = None
    with Connection(descriptor) as connection:
        try:
            rows = _assigned(connection)
            while rows is not None:
                name, *arguments = pickle.loads(connection.recv_bytes())
                connection.send_bytes(_answer(rows, name, arguments))
        except (EOFError, OSError):  # the parent hung up, or is gone
            pass
    if rows is not None:
        rows.close()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # the interpreter would spend 0.1 to 0.3 s on taking down what has been imported


def _assigned(connection: Connection) -> HostedRows | None:
    """The rows; ``None`` where they could not be made, of which the parent has been told."""
    content = connection.recv_bytes()
    try:
        rows = HostedRows(*_loaded(content))
    except Exception as error:
        connection.send_bytes(pickle.dumps(Failure.of(error)))
        return None
    connection.send_bytes(pickle.dumps(None))
    return rows


def _loaded(content: bytes) -> list:
    try:
        return pickle.loads(content)
    except Exception as error:
        raise InvalidOptionError(
            f"a worker process cannot load the environment's class or arguments ({error}); "
            "what they are made of must be defined in modules, not in the program itself"
        ) from error


def _answer(rows: HostedRows, name: str, arguments: list) -> bytes:
    try:
        return pickle.dumps(getattr(rows, name)(*arguments), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        return pickle.dumps(Failure.of(error))
