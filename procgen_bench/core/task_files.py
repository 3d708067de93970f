"""Files of one task each, as people and other programs write them: its parameters as JSON, or its name or text."""

import json
from pathlib import Path

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
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskFileError(str(path), getattr(error, "strerror", None) or "it is not UTF-8") from None
    return parse_task(space, text, str(path))


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
