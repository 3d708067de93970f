"""TaskSpace: a family's space of tasks, between a teacher's raw parameters and the tasks that they decode to."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces

from procgen_bench.errors import InvalidTaskError, UnknownNameError
from procgen_bench.task import Task
from procgen_bench.task_suite import TaskSuite

Parameters = dict[str, np.ndarray]


class TaskSpace(ABC):
    """A parameterised space of tasks: the papers' black-box procedural generation module M(w).

    A family implements ``space``, ``decode``, ``encode``, ``mutate``, ``validate``, ``suite_names`` and ``load_suite``,
    and ``solve`` where an exact or scripted solver exists.
    """

    #: Class of the tasks that :meth:`decode` returns.
    task_type: type[Task]
    #: Names of the family's suites, in the order in which they are listed.
    suite_names: tuple[str, ...]

    @property
    @abstractmethod
    def space(self) -> spaces.Dict:
        """The raw parameters that a teacher emits: logits, coordinates, indices."""

    @abstractmethod
    def _decode(self, params: Parameters) -> Task:
        """The task of parameters that :meth:`decode` has found to lie in the space."""

    @abstractmethod
    def encode(self, task: Task) -> Parameters:
        """Parameters that decode to ``task``: ``decode(encode(task)) == task``.

        Raises:
            InvalidTaskError: A valid task has none, where the family documents such tasks.
        """

    @abstractmethod
    def mutate(self, task: Task, rng: np.random.Generator) -> Task:
        """A neighbour of ``task``: one of its parameters drawn anew."""

    @abstractmethod
    def validate(self, task: Task) -> None:
        """Raise :class:`InvalidTaskError` unless ``task`` is one that :meth:`decode` could return."""

    @abstractmethod
    def _load_suite(self, name: str) -> TaskSuite:
        """Read the suite ``name``, one of ``suite_names``."""

    def with_parts(self, task: Task, parts: Mapping[str, Any]) -> Task:
        """``task`` with the fields of ``parts`` in place of its own, validated; ``task`` itself when there are none."""
        if not parts:
            return task
        changed = replace(task, **parts)
        self.validate(changed)
        return changed

    def solve(self, task: Task) -> np.ndarray | None:
        """Actions that solve ``task`` from its start, or ``None`` when it is proven unsolvable.

        Raises:
            NotImplementedError: The family has no solver.
        """
        raise NotImplementedError(f"{type(self).__name__} has no solver")

    def is_solvable(self, task: Task) -> bool:
        """Whether :meth:`solve` finds a solution within the family's horizon."""
        return self.solve(task) is not None

    def sample(self, rng: np.random.Generator) -> Parameters:
        """Parameters drawn uniformly from ``space`` (all of whose leaves are bounded)."""
        return {name: _sample_leaf(leaf, rng) for name, leaf in self.space.items()}

    def sample_solvable(self, rng: np.random.Generator, count: int) -> list[Parameters]:
        """``count`` parameters of solvable tasks, distributed as :meth:`sample`'s are among the solvable ones."""
        solvable: list[Parameters] = []
        while len(solvable) < count:
            params = self.sample(rng)
            if self.is_solvable(self.decode(params)):
                solvable.append(params)
        return solvable

    def decode(self, params: Mapping[str, np.ndarray]) -> Task:
        """The task of raw parameters.

        Raises:
            InvalidTaskError: A parameter is missing, unknown, of the wrong shape, not finite, or out of range.
        """
        return self._decode(self._checked(params))

    @cached_property
    def flat_space(self) -> spaces.Box:
        """The parameters as one vector, for teachers that think in vectors."""
        return spaces.flatten_space(self.space)

    def flatten(self, params: Mapping[str, np.ndarray]) -> np.ndarray:
        """Parameters -> vector in ``flat_space``."""
        return spaces.flatten(self.space, dict(params))

    def unflatten(self, vector: np.ndarray) -> Parameters:
        """Vector in ``flat_space`` -> parameters."""
        if np.shape(vector) != self.flat_space.shape:
            raise InvalidTaskError("flat parameters' shape", np.shape(vector), str(self.flat_space.shape))
        return dict(spaces.unflatten(self.space, np.asarray(vector, self.flat_space.dtype)))

    def __getstate__(self) -> dict[str, Any]:
        # Copies read their suites anew: tasks that are built on demand cannot be pickled.
        return {name: value for name, value in vars(self).items() if name != "_suites"}

    @cached_property
    def _suites(self) -> dict[str, TaskSuite]:
        return {}

    def suite(self, name: str) -> TaskSuite:
        """The family's suite ``name`` (read once, then kept)."""
        if name not in self.suite_names:
            raise UnknownNameError("suite", name, list(self.suite_names))
        if name not in self._suites:
            self._suites[name] = self._load_suite(name)
        return self._suites[name]

    def resolve(self, task: Task | Mapping[str, np.ndarray] | str) -> Task:
        """A task from what a user may hand to ``reset``: a task, raw parameters, or a name like ``"targets/A"``."""
        if isinstance(task, str):
            return self._named(task)
        if isinstance(task, Task):
            if not isinstance(task, self.task_type):
                raise InvalidTaskError("task", type(task).__name__, f"a {self.task_type.__name__}")
            self.validate(task)
            return task
        if isinstance(task, Mapping):
            return self.decode(task)
        forms = [f"a {self.task_type.__name__}", "a dict of raw parameters", *self._example_names()]
        raise InvalidTaskError("task", task, f"{', '.join(forms[:-1])}, or {forms[-1]}")

    def resolve_many(self, tasks: str | Task | list | tuple) -> tuple[Task, ...]:
        """Tasks from a suite's name (all of it), one task or name, or a list of them."""
        if isinstance(tasks, str) and tasks in self.suite_names:
            return tuple(self.suite(tasks))
        if isinstance(tasks, list | tuple | TaskSuite):
            if not len(tasks):
                raise InvalidTaskError("tasks", tasks, "at least one task")
            return tuple(self.resolve(task) for task in tasks)
        return (self.resolve(tasks),)

    def _named(self, name: str) -> Task:
        suite, separator, task_name = name.partition("/")
        if not separator or suite not in self.suite_names:
            raise UnknownNameError(
                "task", name, [f"{suite}/{'...' if len(s) > 5 else '|'.join(s.task_names)}" for suite, s in self._all()]
            )
        return self.suite(suite)[task_name]

    def _all(self) -> list[tuple[str, TaskSuite]]:
        return [(name, self.suite(name)) for name in self.suite_names]

    def _example_names(self) -> list[str]:
        return [f"a name like '{name}/{self.suite(name).task_names[0]}'" for name in self.suite_names[:1]]

    def _checked(self, params: Mapping[str, np.ndarray]) -> Parameters:
        known = list(self.space)
        if not isinstance(params, Mapping):
            raise InvalidTaskError("parameters", params, f"a dict with the keys {known}")
        for name in params:
            if name not in self.space.spaces:
                raise InvalidTaskError("parameter name", name, f"one of {known}")
        for name in known:
            if name not in params:
                raise InvalidTaskError("parameter name", f"{name} (missing)", f"all of {known}")
        return {name: _checked_leaf(name, params[name], leaf) for name, leaf in self.space.items()}


def _sample_leaf(leaf: spaces.Space, rng: np.random.Generator) -> np.ndarray:
    match leaf:
        case spaces.Box() if np.issubdtype(leaf.dtype, np.floating):
            return rng.uniform(leaf.low, leaf.high).astype(leaf.dtype)
        case spaces.Box():
            return rng.integers(leaf.low, leaf.high, endpoint=True, dtype=leaf.dtype)
        case spaces.MultiDiscrete():
            return rng.integers(leaf.start, leaf.start + leaf.nvec, dtype=leaf.dtype)
        case spaces.Discrete():
            return leaf.dtype.type(rng.integers(leaf.start, leaf.start + leaf.n))
        case _:
            raise TypeError(f"task parameters are Box, MultiDiscrete or Discrete spaces, not {type(leaf).__name__}")


def _checked_leaf(name: str, value: object, leaf: spaces.Space) -> np.ndarray:
    try:
        array = np.asarray(value)
    except ValueError:
        raise InvalidTaskError(name, value, f"an array of shape {leaf.shape}") from None
    if array.dtype.kind not in "fiu":
        raise InvalidTaskError(f"{name}'s dtype", str(array.dtype), f"numbers ({leaf.dtype})")
    if array.shape != leaf.shape:
        raise InvalidTaskError(f"{name}'s shape", array.shape, str(leaf.shape))
    if not np.issubdtype(leaf.dtype, np.floating) and array.dtype.kind == "f":
        raise InvalidTaskError(f"{name}'s dtype", str(array.dtype), f"integers ({leaf.dtype})")
    low, high = _bounds(leaf)
    outside = ~((array >= low) & (array <= high))  # also true for NaN
    if outside.any():
        index = tuple(int(i) for i in np.argwhere(outside)[0])
        place = f"[{', '.join(map(str, index))}]" if index else ""
        span = f"a number in [{np.broadcast_to(low, array.shape)[index]}, {np.broadcast_to(high, array.shape)[index]}]"
        raise InvalidTaskError(f"{name}{place}", array[index].item(), span)
    return array.astype(leaf.dtype)


def _bounds(leaf: spaces.Space) -> tuple[np.ndarray, np.ndarray]:
    match leaf:
        case spaces.Box():
            return leaf.low, leaf.high
        case spaces.MultiDiscrete():
            return leaf.start, leaf.start + leaf.nvec - 1
        case spaces.Discrete():
            return leaf.start, leaf.start + leaf.n - 1
        case _:
            raise TypeError(f"task parameters are Box, MultiDiscrete or Discrete spaces, not {type(leaf).__name__}")
