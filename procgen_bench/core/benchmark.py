"""Benchmark: what is scored, on which tasks, under which protocol."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np

from procgen_bench.core.errors import InvalidTaskError, UndrawnTasksError
from procgen_bench.core.registrations import find_spec, make_task_space
from procgen_bench.core.task import Task
from procgen_bench.core.task_batch import TaskBatch
from procgen_bench.core.task_space import TaskSpace
from procgen_bench.core.task_suite import TaskSuite

Metric = Literal["return", "success"]
#: What is new in a fresh episode; see :class:`Benchmark`.
Fresh = Literal["tasks", "seeds"]
#: Where levels to train on come from; see :class:`Benchmark`.
Levels = Literal["space", "suite"]


@dataclass(frozen=True)
class Benchmark:
    """An environment, a task suite, a protocol and a metric.

    Attributes:
        id: ``"track/name"``, e.g. ``"grid-world/graded"``.
        version: Raised whenever a score could change; scores of different versions are never compared.
        environment_id: Registered id of the environment.
        suite: Name of the family's task suite that is scored.
        task_names: Names of the suite's tasks that are scored; ``None``: all of them.
        episodes_per_task: Episodes played of every task.
        interaction_budget: Environment steps that the training of one run may take.
        training_tasks: What may be trained on, in words.
        metric: ``"success"`` (share of episodes that solve their task) or ``"return"`` (mean undiscounted return).
        minimum: Score of an episode that is missing or unfinished.
        maximum: Best possible score of an episode; 1 - score / maximum is its optimality gap.
        tolerance: Greatest difference between claimed and replayed metric; 0 for exact environments.
        description: One sentence.
        physics: Whether floating-point physics decides an episode, which may come out otherwise on another kind of
            machine or under other versions: records are then compared within a tolerance.
        held_out_suites: Suites of the family whose tasks may not be trained on; none named: the scored one.
        fresh: What is new in the episodes of a re-run. ``"tasks"``: they are of the suite's distribution, none of the
            suites that are held out, and none that may be trained on. ``"seeds"``: the suite is a fixed task, which
            may be trained on, and no distribution has it; so it is played again under other seeds. They change nothing
            but what a policy draws where the environment draws nothing, as GridWorld and TablePush once the task is
            given.
        num_fresh_episodes: Episodes of a re-run, each of a task that :meth:`draw` gives.
        levels: What a curriculum begins from: ``"space"``, any task of the family's, or ``"suite"``, what
            :meth:`draw_training` gives (other starts and goals in the one maze that is scored, say).
        plain_levels: What is trained on without a curriculum, by the same names. Goal environments draw like their
            suites by themselves, and of all bits or walls that their spaces hold few can be reached or passed.
        validation_suite: The suite that learning curves are drawn by, which is held out, too; ``None``: the scored one.
        level_options: Arguments of the task space (:func:`procgen_bench.make_task_space`) out of which levels are drawn
            where they are any of the family's: a library of primitives to train with, say.
        normaliser: Version of the published normaliser (:mod:`procgen_bench.leaderboards.xland.normalisers`) under
            which rows show percentiles of their normalised scores over games; ``None``: they show none.
    """

    id: str
    version: int
    environment_id: str
    suite: str
    task_names: tuple[str, ...] | None
    episodes_per_task: int
    interaction_budget: int
    training_tasks: str
    metric: Metric
    minimum: float
    maximum: float
    tolerance: float
    description: str
    physics: bool = False
    held_out_suites: tuple[str, ...] = ()
    fresh: Fresh = "tasks"
    num_fresh_episodes: int = 200
    levels: Levels = "space"
    plain_levels: Levels = "space"
    normaliser: int | None = None
    level_options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    validation_suite: str | None = None

    @property
    def track(self) -> str:
        """The part of the id before the slash."""
        return self.id.partition("/")[0]

    def task_suite(self) -> TaskSuite:
        """The tasks that are scored, in their fixed order."""
        suite = self._space.suite(self.suite)
        if self.task_names is None:
            return suite
        chosen = self._scored_places
        return TaskSuite(
            name=suite.name,
            tasks=tuple(suite.tasks[place] for place in chosen),
            task_names=self.task_names,
            records={name: values[chosen] for name, values in suite.records.items()},
        )

    def curve_suite(self) -> TaskSuite:
        """The tasks on which learners are evaluated while they are trained."""
        return self.task_suite() if self.validation_suite is None else self._space.suite(self.validation_suite)

    def task_groups(self, tasks: Sequence[Task]) -> dict[str, np.ndarray]:
        """Which of the environment's tasks are in each group, bool (n,) by name: see :meth:`.TaskSpace.groups`."""
        return self._space.groups(tasks)

    @property
    def max_episode_steps(self) -> int:
        """The environment's time limit."""
        steps = find_spec(self.environment_id).max_episode_steps
        assert steps is not None  # every benchmark's environment is registered with one
        return steps

    @property
    def num_episodes(self) -> int:
        """Episodes of one run: tasks x episodes per task."""
        return len(self.task_suite()) * self.episodes_per_task

    def draw(self, rng: np.random.Generator) -> Task:
        """A fresh task: drawn by the rules of a random one of the scored tasks, and in no suite that is held out.

        It shares no mark with what is scored (:meth:`.TaskSpace.hold_out_marks`), unless the suite's own designs are
        drawn again (:attr:`.SuiteDescriptor.repeats_marks`). It may not be trained on: where the task space keeps a
        share of its tasks fresh it is one of these, elsewhere there are so many that training hardly meets it. Where
        only seeds are fresh, it is a scored task itself.

        Raises:
            UndrawnTasksError: Nothing draws any; see :attr:`has_fresh_tasks`.
            MissingExtraError: Drawing takes a simulator that is not installed.
        """
        place = self._scored_place(rng)
        if self.fresh == "seeds":
            return self._space.suite(self.suite).tasks[place]
        while True:
            task = self._space.draw_like(self.suite, place, rng)
            if self._is_fresh(task):
                return task

    def draw_training(self, rng: np.random.Generator) -> Task:
        """A task that may be trained on, drawn by the rules of a random one of the scored tasks.

        Where only seeds are fresh, it is a scored task itself.

        Raises:
            UndrawnTasksError: Nothing draws any; see :attr:`has_training_tasks`.
            MissingExtraError: Drawing takes a simulator that is not installed.
        """
        if not self.has_training_tasks:
            raise UndrawnTasksError(f"no task that is drawn like those of {self.id} may be trained on")
        if self.fresh == "seeds":
            return self._space.suite(self.suite).tasks[self._scored_place(rng)]
        while True:
            task = self._space.draw_like(self.suite, self._scored_place(rng), rng)
            if not self.holds_out(task):
                return task

    def _scored_place(self, rng: np.random.Generator) -> int:
        """The place of a random scored task in the suite."""
        places = self._scored_places
        return places[int(rng.integers(len(places)))]

    def _is_fresh(self, task: Task) -> bool:
        space = self._space
        if task.fingerprint() in self.held_out_fingerprints:
            return False
        return space.suites[self.suite].repeats_marks or (
            self._scored_marks.isdisjoint(space.hold_out_marks(task))
            and (space.is_kept_fresh(task) or not space.fresh_share)
        )

    @property
    def has_fresh_tasks(self) -> bool:
        """Whether :meth:`draw` gives any: the suite is drawn by rules, or its own tasks are played again."""
        return self.fresh == "seeds" or self._space.suites[self.suite].draw_like is not None

    @property
    def has_training_tasks(self) -> bool:
        """Whether :meth:`draw_training` gives any: :meth:`draw` does, and not of the suite's own designs."""
        suite = self._space.suites[self.suite]
        return self.fresh == "seeds" or (suite.draw_like is not None and not suite.repeats_marks)

    def holds_out(self, task: Task) -> bool:
        """Whether the protocol forbids training on ``task``, a task of the benchmark's environment.

        Held out is what is in one of the suites, and what the family takes for the same (its task space's
        ``hold_out_marks``): the same goal from another start; sites of the same design; worlds and games of XLand that
        are the same but for colours, rotation or reflection. So is what the task space keeps for fresh tasks
        (:meth:`.TaskSpace.is_kept_fresh`).

        Raises:
            InvalidTaskError: It is a task of another environment.
        """
        space = self._space
        if not isinstance(task, space.task_type):
            raise InvalidTaskError("task", type(task).__name__, f"a {space.task_type.__name__} of {self.id}")
        is_held_out = not self._scored_marks.isdisjoint(space.hold_out_marks(task)) or space.is_kept_fresh(task)
        return is_held_out and task not in self.trainable_tasks

    def held_out_among(self, tasks: Sequence[Task]) -> np.ndarray:
        """bool (n,): whether :meth:`holds_out` each of these tasks; of a batch, by its fingerprints alone."""
        space = self._space
        if not (isinstance(tasks, TaskBatch) and tasks.task_type is space.task_type and space.holds_out_by_fingerprint):
            return np.fromiter(map(self.holds_out, tasks), np.bool_, len(tasks))
        marks = self._scored_marks
        suspects = np.fromiter((digest.hex() in marks for digest in tasks.digests), np.bool_, len(tasks))
        for place in np.flatnonzero(suspects).tolist():  # a target may be trained on nevertheless
            suspects[place] = self.holds_out(tasks[place])
        return suspects

    @property
    def held_out_fingerprints(self) -> frozenset[str]:
        """The fingerprints of all tasks of the held-out suites but of a target, which may be trained on.

        For a quick look at many tasks: one that is among them is held out, the others may be, too (:meth:`holds_out`).
        """
        return _fingerprints(self.environment_id, self._suites_held_out, self.trainable_tasks)

    @property
    def _scored_marks(self) -> frozenset[str]:
        """Those of the suites that are held out."""
        return _marks(self.environment_id, self._suites_held_out)

    @property
    def _space(self) -> TaskSpace:
        return _task_space(self.environment_id)

    @property
    def _scored_places(self) -> Sequence[int]:
        """The places of the scored tasks in the suite."""
        names = self._space.suite(self.suite).task_names
        if self.task_names is None:
            return range(len(names))
        return [names.index(name) for name in self.task_names]

    @property
    def _suites_held_out(self) -> tuple[str, ...]:
        validated = () if self.validation_suite is None else (self.validation_suite,)
        return (*(self.held_out_suites or (self.suite,)), *validated)

    @property
    def trainable_tasks(self) -> tuple[Task, ...]:
        """The scored tasks that may be trained on nevertheless: a target itself."""
        return tuple(self.task_suite()) if self.fresh == "seeds" else ()


@cache
def _task_space(environment_id: str) -> TaskSpace:
    """The environment's tasks, whose suites are read once."""
    return make_task_space(environment_id)


@cache
def _marks(environment_id: str, suites: tuple[str, ...]) -> frozenset[str]:
    """What tasks to train on may share with none of these suites' tasks."""
    return frozenset().union(*map(_task_space(environment_id).suite_marks, suites))


@cache
def _fingerprints(environment_id: str, suites: tuple[str, ...], without: tuple[Task, ...]) -> frozenset[str]:
    """Those of all tasks of these suites but some."""
    space = _task_space(environment_id)
    every = frozenset(task.fingerprint() for name in suites for task in space.suite(name))
    return every - {task.fingerprint() for task in without}
