"""The 42 hand-authored tasks (4.3, tables 7 and 8), each a YAML file here that people read and write.

A file has a ``title``, a ``description``, the ``game`` (a line for every player's goal), the ``world`` in the form of
:mod:`procgen_bench.tasks.xland.worlds.text`, and where they apply ``co_players`` (a list of names) and ``solvable:
true``: the claim that a scripted player is rewarded in it.
"""

import importlib.resources
from functools import cache
from importlib.resources.abc import Traversable
from typing import NamedTuple

import yaml

from procgen_bench.core.errors import InvalidTaskError, UnknownNameError
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.world import World

#: What every file has, and what it may have; with the type of each.
_NEEDED = {"title": str, "description": str, "game": str, "world": str}
_OPTIONAL = {"co_players": list, "solvable": bool}


class HandAuthoredTask(NamedTuple):
    """A task and what its author says of it.

    Attributes:
        title: As in table 7.
        description: What is to be done.
        task: The task.
        solvable: Whether a scripted player is claimed to be rewarded in it; claimed of tasks of one player, or against
            one that does nothing.
    """

    title: str
    description: str
    task: XLandTask
    solvable: bool


@cache
def task_names() -> tuple[str, ...]:
    """Names of all hand-authored tasks, in alphabetical order: the files' names without ``.yaml``."""
    files = (file.name for file in importlib.resources.files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in files if name.endswith(".yaml")))


def hand_authored_task(name: str) -> HandAuthoredTask:
    """The hand-authored task ``name``, such as ``"find_cube"``; :class:`UnknownNameError` if there is none."""
    if name not in task_names():
        raise UnknownNameError("hand-authored task", name, list(task_names()))
    return read_task(importlib.resources.files(__package__) / f"{name}.yaml")


def read_task(file: Traversable) -> HandAuthoredTask:
    """The task of a file of this form.

    Raises:
        InvalidTaskError: The file is no YAML, has other keys or types, or describes no valid task; names the file.
    """
    try:
        fields = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidTaskError(f"{file.name}", " ".join(str(error).split()), "YAML") from None
    _check_fields(file.name, fields)
    try:
        world, game = World.from_text(fields["world"]), parse_game(fields["game"])
        task = XLandTask(world, game, tuple(fields.get("co_players", ())))
        task.validate()
    except InvalidTaskError as error:
        raise InvalidTaskError(f"{file.name}: {error.parameter}", error.value, error.expected) from None
    return HandAuthoredTask(fields["title"], fields["description"].strip(), task, fields.get("solvable", False))


def _check_fields(name: str, fields: object) -> None:
    """Raise :class:`InvalidTaskError` unless ``fields`` are those of a task, by name and type."""
    known = _NEEDED | _OPTIONAL
    if not isinstance(fields, dict):
        raise InvalidTaskError(name, type(fields).__name__, f"a mapping of {', '.join(known)}")
    for key in [*(key for key in fields if key not in known), *(key for key in _NEEDED if key not in fields)]:
        state = "unknown" if key in fields else "missing"
        raise InvalidTaskError(f"{name}: {key}", state, f"{', '.join(_NEEDED)}, and perhaps {', '.join(_OPTIONAL)}")
    for key, value in fields.items():
        if not isinstance(value, known[key]):
            raise InvalidTaskError(f"{name}: {key}", value, f"a {known[key].__name__}")
