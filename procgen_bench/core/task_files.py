"""Files of a task, or of a list of tasks, as people and other programs write them: a task is its parameters as JSON, or
its name or text."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from procgen_bench.core.atomic import write_text
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.task import TaskT
from procgen_bench.core.task_space import TaskSpace

_SUFFIX = ".json"


class TaskFileError(ProcgenBenchError, ValueError):
    """A file holds no task of the family that it is read for, or cannot be read."""

    def __init__(self, name: str, reason: object):
        super().__init__(f"{name} is no task file: {reason}")


def is_task_file(name: str) -> bool:
    """Whether a task is named by a file, ``level.json`` say, and not as one of a suite."""
    return name.endswith(_SUFFIX)


def read_task(space: TaskSpace[TaskT], path: Path) -> TaskT:
    """The task that a file holds.

    Raises:
        TaskFileError: There is no such file, or it holds no task of this family.
    """
    return parse_task(space, _text_of(path), str(path))


def read_tasks(space: TaskSpace[TaskT], path: Path) -> tuple[TaskT, ...]:
    """The tasks that a file holds: a JSON list of at least one, or a single task.

    Raises:
        TaskFileError: There is no such file, or it holds no tasks of this family.
    """
    text = _text_of(path)
    if not text.lstrip().startswith("["):
        return (parse_task(space, text, str(path)),)
    try:
        entries = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise TaskFileError(str(path), f"it is no JSON: {error}") from None
    if not entries:
        raise TaskFileError(str(path), "its list is empty, expected at least one task")
    tasks = []
    for number, entry in enumerate(entries):
        try:
            tasks.append(space.resolve(_as_given(space, entry)))
        except ProcgenBenchError as error:
            raise TaskFileError(str(path), f"entry {number} of its list: {error}") from None
    return tuple(tasks)


def _as_given(space: TaskSpace[TaskT], entry: Any) -> Any:
    """A list's entry as :meth:`TaskSpace.resolve` takes it."""
    return space.from_json(json.dumps(entry)) if isinstance(entry, dict) else entry


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskFileError(str(path), getattr(error, "strerror", None) or "it is not UTF-8") from None


def parse_task(space: TaskSpace[TaskT], text: str, name: str) -> TaskT:
    """The task of a file's text.

    Args:
        space: The family's space of tasks.
        text: What the file holds.
        name: What errors call it.

    Raises:
        TaskFileError: It is no task of this family.
    """
    try:
        if text.lstrip().startswith('"'):
            return space.resolve(json.loads(text))
        return space.decode(space.from_json(text))
    except json.JSONDecodeError as error:
        raise TaskFileError(name, f"it is no JSON: {error}") from None
    except ProcgenBenchError as error:
        raise TaskFileError(name, error) from None


def write_task(space: TaskSpace[TaskT], task: TaskT, path: Path) -> None:
    """Write a task as a file that :func:`read_task` reads; ``json.load`` makes of it what ``reset`` takes.

    Raises:
        InvalidTaskError: The task has no parameters, and no name stands for it.
        UnwritablePathError: No file can be written there.
    """
    write_text(path, json.dumps(space.plain(task)) + "\n")


def write_tasks(space: TaskSpace[TaskT], tasks: Sequence[TaskT], path: Path) -> None:
    """Write tasks as a file that :func:`read_tasks` reads, a line each; raises as :func:`write_task`."""
    lines = ",\n".join(json.dumps(space.plain(task), ensure_ascii=False) for task in tasks)
    write_text(path, f"[\n{lines}\n]\n")
