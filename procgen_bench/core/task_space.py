"""TaskSpace: a family's space of tasks, between a teacher's raw parameters and the tasks that they decode to."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Generic, Self

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import InvalidTaskError, UndrawnTasksError, UnknownNameError, UnsolvedTaskError
from procgen_bench.core.marks import is_among
from procgen_bench.core.parameter_leaves import checked_leaf, sample_leaf
from procgen_bench.core.suites import NO_SUITES, FamilySuites
from procgen_bench.core.task import Task, TaskT
from procgen_bench.core.task_batch import TaskBatch
from procgen_bench.core.task_count import TaskCount
from procgen_bench.core.task_suite import TaskSuite

Parameters = dict[str, np.ndarray]
#: What :meth:`TaskSpace.solve` does where it takes a simulator: a valid task -> actions, or ``None``.
Solver = Callable[[TaskT], np.ndarray | None]

#: What holds a random generator.
_WITH_GENERATORS = frozenset({"space", "flat_space"})


class _OwnSpace:
    """A ``space`` that a class declares, of which each instance has a copy as soon as it is asked for it."""

    def __init__(self, declared: spaces.Dict):
        self.declared = declared

    def __get__(self, instance: object, owner: type) -> spaces.Dict:
        if instance is None:
            return self.declared
        return vars(instance).setdefault("space", deepcopy(self.declared))


class TaskSpace(ABC, Generic[TaskT]):
    """A parameterised space of tasks: the papers' black-box procedural generation module M(w).

    A family implements ``space``, ``decode``, ``encode``, ``mutate`` and ``validate``, declares its ``suites``, and
    implements ``solve`` where tasks alone tell how they are solved. A solver that plays in a simulator is handed over:
    :func:`procgen_bench.make_task_space` knows each family's.

    Args:
        solver: Solves valid tasks in this space's stead.
    """

    #: Class of the tasks that :meth:`decode` returns.
    task_type: type[TaskT]
    #: The family's suites.
    suites: FamilySuites[TaskT] = NO_SUITES
    #: Parameters whose last axis holds the logits of one choice each: the greatest decides.
    choices: frozenset[str] = frozenset()
    #: Whether some tasks cannot be solved, and it takes less than a millisecond to draw one that can.
    draws_solvable_quickly: bool = False
    #: Whether :meth:`wander` and :meth:`lengthen` take less than a millisecond for a hundred mutations.
    searches_quickly: bool = False
    #: Share of all marks (:meth:`hold_out_marks`) that is kept for fresh tasks, so that training cannot meet them. 0
    #: where there are so many tasks that hardly any is drawn twice.
    fresh_share: ClassVar[float] = 0.0
    #: How many tasks there are; ``None``: nobody has counted them.
    task_count: TaskCount | None = None
    #: What tells the space's tasks apart (its marks), in words.
    told_apart_by: str = "all that a task holds"
    #: Which scored or fresh tasks training meets nevertheless, in a sentence; empty: none, or one of very many.
    met_in_training: str = ""

    def __init__(self, solver: Solver[TaskT] | None = None):
        self._solver = solver

    def __init_subclass__(cls, **keywords: Any):
        super().__init_subclass__(**keywords)
        declared = vars(cls).get("space")
        if isinstance(declared, spaces.Dict):
            cls.space = _OwnSpace(declared)  # type: ignore[assignment,method-assign]  # of each instance a copy

    def own(self) -> Self:
        """This space with a ``space`` of its own, whose random generator nobody else seeds; all else is shared."""
        own = object.__new__(type(self))
        vars(own).update({name: value for name, value in vars(self).items() if name not in _WITH_GENERATORS})
        return own

    @property
    @abstractmethod
    def space(self) -> spaces.Dict:
        """The raw parameters that a teacher emits: logits, coordinates, indices."""

    @abstractmethod
    def _decode(self, params: Parameters) -> TaskT:
        """The task of parameters that :meth:`decode` has found to lie in the space."""

    @abstractmethod
    def encode(self, task: TaskT) -> Parameters:
        """Parameters, of ``space``'s shapes and dtypes, that decode to ``task``: ``decode(encode(task)) == task``.

        Raises:
            InvalidTaskError: A valid task has none, where the family documents such tasks.
        """

    @abstractmethod
    def mutate(self, task: TaskT, rng: np.random.Generator) -> TaskT:
        """A neighbour of ``task``: one of its parameters drawn again."""

    def validate(self, task: TaskT) -> None:
        """Raise :class:`InvalidTaskError` unless ``task`` is one that :meth:`decode` could return.

        The task's own :meth:`~procgen_bench.core.task.Task.validate` decides, unless it depends on the space's options.
        """
        task.validate()

    def with_parts(self, task: TaskT, parts: Mapping[str, Any]) -> TaskT:
        """``task`` with the fields of ``parts`` in place of its own, validated; ``task`` itself when there are none."""
        if not parts:
            return task
        changed = replace(task, **parts)
        self.validate(changed)
        return changed

    def solve(self, task: TaskT) -> np.ndarray | None:
        """Actions (steps, ...), of the action space's dtype, that solve ``task``; ``None``: it is proven unsolvable.

        Raises:
            NotImplementedError: The family has no solver, or this space was not handed it.
            UnsolvedTaskError: A scripted player did not solve it; another player might.
        """
        if self._solver is None:
            raise NotImplementedError(f"{type(self).__name__} has no solver")
        self.validate(task)
        return self._solver(task)

    def is_solvable(self, task: TaskT) -> bool:
        """Whether :meth:`solve` finds a solution within the family's horizon."""
        try:
            return self.solve(task) is not None
        except UnsolvedTaskError:
            return False

    def may_be_solvable(self, task: TaskT) -> bool:
        """Whether what is found in less than a millisecond leaves open that a valid task can be solved.

        :meth:`is_solvable` where that is so quick; elsewhere a family says what rules a task out at a glance.
        """
        return not self.draws_solvable_quickly or self.is_solvable(task)

    def sample(self, rng: np.random.Generator) -> Parameters:
        """Parameters drawn uniformly from ``space`` (all of whose leaves are bounded).

        They are arrays and numbers of NumPy. :meth:`to_json` writes them as JSON, :meth:`decode` makes their task, and
        ``reset(options={"task": ...})`` takes them as they are.
        """
        return {name: sample_leaf(leaf, rng) for name, leaf in self.space.items()}

    def to_json(self, params: Mapping[str, np.ndarray]) -> str:
        """Parameters as one line of JSON, an object of lists and numbers; :meth:`from_json` gives them back exactly.

        Raises:
            InvalidTaskError: As :meth:`decode`.
        """
        return json.dumps(self.plain(self._checked(params)))

    def from_json(self, text: str) -> Parameters:
        """The parameters of JSON that :meth:`to_json` wrote, or a person: arrays of ``space``'s shapes and dtypes.

        Raises:
            InvalidTaskError: It is no JSON, or as :meth:`decode`.
        """
        try:
            read = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidTaskError(
                "parameters", text, f"a JSON object with the keys {list(self.space)}: {error}"
            ) from None
        return self._checked(read)

    def validate_batch(self, tasks: TaskBatch[TaskT]) -> None:
        """As :meth:`validate`, of every one."""
        for task in tasks:
            self.validate(task)

    def draw_solvable(self, rng: np.random.Generator, count: int) -> Sequence[TaskT]:
        """``count`` solvable tasks, distributed as those of :meth:`sample`'s parameters are among the solvable ones."""
        solvable: list[TaskT] = []
        while len(solvable) < count:
            task = self.decode(self.sample(rng))
            if self.is_solvable(task):
                solvable.append(task)
        return solvable

    def wander(self, task: TaskT, rng: np.random.Generator, mutations: int, shortest: int, longest: int) -> TaskT:
        """Where a random walk from ``task`` arrives that steps only on tasks of certain lengths.

        Args:
            task: Where it begins, whatever its own length.
            rng: Generator of the mutations.
            mutations: How many are tried; those that lead elsewhere, and unsolved ones, are not stepped on.
            shortest, longest: Steps of the solutions that :meth:`solve` finds, both included.
        """
        for _ in range(mutations):
            mutant = self.mutate(task, rng)
            if shortest <= self.solution_length(mutant) <= longest:
                task = mutant
        return task

    def lengthen(self, task: TaskT, rng: np.random.Generator, longest: int, patience: int) -> TaskT:
        """Where a random walk from ``task`` arrives that never steps on a task of a shorter solution.

        Args:
            task: Where it begins. One that is not solved, or has ``longest`` steps or more, comes back as it is.
            rng: Generator of the mutations.
            longest: Steps of the longest solution that is stepped on; where it is reached, the walk ends.
            patience: Mutations in a row that do not lengthen the task before the walk ends, too.
        """
        reached, stale = self.solution_length(task), 0
        while 0 < reached < longest and stale < patience:
            mutant = self.mutate(task, rng)
            found = self.solution_length(mutant)
            stale = 0 if reached < found <= longest else stale + 1
            if reached <= found <= longest:
                task, reached = mutant, found
        return task

    def solution_length(self, task: TaskT) -> int:
        """Steps of the solution that :meth:`solve` finds; 0: it finds none, or the task begins solved."""
        try:
            solution = self.solve(task)
        except UnsolvedTaskError:
            return 0
        return 0 if solution is None else len(solution)

    def shares(self, tasks: Sequence[TaskT], targets: Collection[TaskT]) -> dict[str, float]:
        """What tells how much proposed tasks are like the targets: shares by name, NaN where there are no tasks.

        The names do not depend on the tasks; a family that has nothing to tell has none.
        """
        return {}

    def groups(self, tasks: Sequence[TaskT]) -> dict[str, np.ndarray]:
        """Which tasks are of each kind that evaluations in training report by itself, bool (n,) by the group's name.

        Groups without tasks are left out; a family that tells no kinds apart has none.
        """
        return {}

    def decode(self, params: Mapping[str, np.ndarray]) -> TaskT:
        """The task of raw parameters: numbers of ``space``'s shapes, of any dtype (whole ones where ``space``'s are).

        Raises:
            InvalidTaskError: A parameter is missing, unknown, of the wrong shape, not finite, or out of range.
        """
        return self._decode(self._checked(params))

    @cached_property
    def flat_space(self) -> spaces.Box:
        """The parameters as one vector (numbers,), in a dtype that holds them all."""
        flat = spaces.flatten_space(self.space)
        assert isinstance(flat, spaces.Box)  # since all leaves are arrays or numbers
        return flat

    def flatten(self, params: Mapping[str, np.ndarray]) -> np.ndarray:
        """Parameters of ``space``'s shapes -> vector of ``flat_space``'s shape and dtype."""
        return np.asarray(spaces.flatten(self.space, dict(params)))

    def unflatten(self, vector: np.ndarray) -> Parameters:
        """Vector of ``flat_space``'s shape -> parameters of ``space``'s; else :class:`InvalidTaskError`."""
        if np.shape(vector) != self.flat_space.shape:
            raise InvalidTaskError("flat parameters' shape", np.shape(vector), str(self.flat_space.shape))
        params: Any = spaces.unflatten(self.space, np.asarray(vector, self.flat_space.dtype))
        return dict(params)

    @property
    def suite_names(self) -> tuple[str, ...]:
        """Names of the family's suites, in the order in which they are listed."""
        return self.suites.names

    def suite(self, name: str) -> TaskSuite[TaskT]:
        """The family's suite ``name`` (read once in a process, then kept)."""
        return self.suites.kept(name)

    def draw_like(self, suite_name: str, place: int, rng: np.random.Generator) -> TaskT:
        """A task drawn by the rules by which the suite's at ``place`` was: of its length, design or group, say.

        It may be the suite's, or one to train on; :meth:`procgen_bench.core.benchmark.Benchmark.draw` draws again then.

        Raises:
            UnknownNameError: There is no such suite.
            UndrawnTasksError: The suite's tasks were written, not drawn.
            MissingExtraError: Its rules ask for a solution in a simulator that is not installed.
        """
        draw = self.suites[suite_name].draw_like
        if draw is None:
            raise UndrawnTasksError(
                f"the tasks of suite {suite_name!r} were written, not drawn; give its SuiteDescriptor a draw_like"
            )
        return draw(self, self.suite(suite_name), place, rng)

    def hold_out_marks(self, task: TaskT) -> frozenset[str]:
        """What decides ``task``, which no task that is trained on may share with a scored one: here its fingerprint."""
        return frozenset((task.fingerprint(),))

    def symmetry_marks(self, task: TaskT) -> frozenset[str]:
        """The :meth:`hold_out_marks` of ``task`` up to the space's symmetries.

        They are equal for two tasks of which one is the other rotated, reflected, recoloured, or with parts that are
        alike in another order. Here, where no symmetry is known, they are the task's own.
        """
        return self.hold_out_marks(task)

    @property
    def holds_out_by_fingerprint(self) -> bool:
        """Whether fingerprints, and nothing else, decide what is held out."""
        return type(self).hold_out_marks is TaskSpace.hold_out_marks and not self.fresh_share

    def suite_marks(self, suite_name: str) -> frozenset[str]:
        """The :meth:`hold_out_marks` of all tasks of a suite."""
        return frozenset().union(*map(self.hold_out_marks, self.suite(suite_name)))

    def is_kept_fresh(self, task: TaskT) -> bool:
        """Whether ``task`` is of the :attr:`fresh_share`: a hash of its marks decides that, for everybody and always.

        Without suites, nothing is scored, and nothing kept.
        """
        if not (self.fresh_share and self.suite_names):
            return False
        return any(is_among(mark, self.fresh_share) for mark in self.hold_out_marks(task))

    def may_be_trained_on(self, task: TaskT) -> bool:
        """Whether ``task`` is for training: it shares no mark with any suite's, and is not kept fresh.

        It is what environments draw under ``tasks="training"``. A benchmark may allow more: a target itself, or what is
        in a suite that it does not score (:meth:`procgen_bench.core.benchmark.Benchmark.holds_out`).
        """
        return self._marks_of_suites.isdisjoint(self.hold_out_marks(task)) and not self.is_kept_fresh(task)

    @cached_property
    def _marks_of_suites(self) -> frozenset[str]:
        kind = type(self), self.suites
        if kind not in _MARKS_OF_SUITES:  # rows of a vector environment may have a space each
            _MARKS_OF_SUITES[kind] = frozenset().union(*map(self.suite_marks, self.suite_names))
        return _MARKS_OF_SUITES[kind]

    def resolve(self, task: Task | Mapping[str, np.ndarray] | str) -> TaskT:
        """A task from a task, raw parameters (see :meth:`decode`), or a name like ``"targets/A"``, as ``reset`` takes
        them; else :class:`InvalidTaskError`, or :class:`UnknownNameError` for a name."""
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

    def resolve_many(self, tasks: str | Task | list | tuple) -> tuple[TaskT, ...]:
        """Tasks from a suite's name (all of it), one task or name, or a list, not empty; errors as :meth:`resolve`."""
        if isinstance(tasks, str) and tasks in self.suite_names:
            return tuple(self.suite(tasks))
        if isinstance(tasks, list | tuple | TaskSuite):
            if not len(tasks):
                raise InvalidTaskError("tasks", tasks, "at least one task")
            return tuple(self.resolve(task) for task in tasks)
        return (self.resolve(tasks),)

    def plain(self, task: TaskT | Mapping[str, np.ndarray] | str) -> str | dict[str, Any]:
        """The same task in words and numbers that JSON holds, which :meth:`resolve` and ``reset`` take again.

        That is a name, or parameters as lists and numbers. :meth:`to_json` writes parameters alone.

        Raises:
            InvalidTaskError: The task has neither.
        """
        if isinstance(task, str):
            return task
        if isinstance(task, Mapping):
            return {name: np.asarray(value).tolist() for name, value in task.items()}
        try:
            return self.plain(self.encode(task))
        except InvalidTaskError:
            return self._name_of(task)

    def plain_many(self, tasks: str | TaskT | list | tuple) -> str | dict[str, Any] | list[str | dict[str, Any]]:
        """As :meth:`plain`, for whatever :meth:`resolve_many` takes."""
        if isinstance(tasks, list | tuple | TaskSuite):
            return [self.plain(task) for task in tasks]
        return self.plain(tasks)

    def _name_of(self, task: TaskT) -> str:
        for suite_name, suite in self._all():
            for name, known in zip(suite.task_names, suite):
                if known == task:
                    return f"{suite_name}/{name}"
        raise InvalidTaskError("task", task, "one that has parameters, or is in a suite")

    def _named(self, name: str) -> TaskT:
        suite, separator, task_name = name.partition("/")
        if not separator or suite not in self.suite_names:
            raise UnknownNameError(
                "task", name, [f"{suite}/{'...' if len(s) > 5 else '|'.join(s.task_names)}" for suite, s in self._all()]
            )
        return self.suite(suite)[task_name]

    def _all(self) -> list[tuple[str, TaskSuite[TaskT]]]:
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
        return {name: checked_leaf(name, params[name], leaf) for name, leaf in self.space.items()}


#: The marks of all suites, by space and suites.
_MARKS_OF_SUITES: dict[tuple[type[TaskSpace], FamilySuites[Any]], frozenset[str]] = {}
