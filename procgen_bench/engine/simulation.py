"""NativeSimulation: N games in preallocated arrays, advanced by one compiled call. Knows no Gymnasium."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar, Generic, NamedTuple

import numpy as np

from procgen_bench.core.streams import advance, output
from procgen_bench.core.task import TaskT
from procgen_bench.core.task_space import TaskSpace
from procgen_bench.engine.saved_state import SavedState

#: Attributes that are state in every family.
_EVERY_FAMILYS_STATE = ("rewards", "terminations", "truncations", "successes", "elapsed", "streams")


class ObservedRows:
    """Rows whose observations are kept in batched arrays.

    Attributes:
        observations: The batched observation, (N, ...): an array or a dict of arrays, written in place.
    """

    observations: dict[str, np.ndarray] | np.ndarray

    def copy_observations(self) -> dict[str, np.ndarray] | np.ndarray:
        """A copy of ``observations``, of the same shapes (N, ...) and dtypes."""
        if isinstance(self.observations, dict):
            return {name: array.copy() for name, array in self.observations.items()}
        return self.observations.copy()

    def copy_observation(self, row: int) -> dict[str, np.ndarray] | np.ndarray:
        """A copy of row ``row`` (0 to N - 1) of ``observations``: (...), of the same dtypes."""
        views = self._first_row if row == 0 else self._views(row)
        if not isinstance(views, dict):
            return views.copy()
        copies = {}
        for name, view in views.items():  # a comprehension would take a quarter more time
            copies[name] = view.copy()
        return copies

    def __getstate__(self) -> dict:
        # A copy's views must look at the copy's own rows.
        return {name: value for name, value in self.__dict__.items() if name != "_first_row"}

    @cached_property
    def _first_row(self) -> dict[str, np.ndarray] | np.ndarray:
        """Kept, as single environments copy it in every step, of which finding it again would be a tenth."""
        return self._views(0)

    def _views(self, row: int) -> dict[str, np.ndarray] | np.ndarray:
        if isinstance(self.observations, dict):
            return {name: array[row] for name, array in self.observations.items()}
        return self.observations[row]


class TaskArray(NamedTuple):
    """How kernels keep one field of tasks.

    Attributes:
        shape: Shape of one task's entry.
        dtype: Type of its numbers.
    """

    shape: tuple[int, ...]
    dtype: type[np.generic]


class NativeSimulation(ObservedRows, ABC, Generic[TaskT]):
    """N independent games ("rows") of one family.

    The single environment is a simulation with one row, the vector environment one with many. Nothing is allocated
    per step: ``step`` writes into the public arrays, and the observations are views that stay valid for good.

    A family declares ``task_type``, ``task_arrays`` (before this constructor where they depend on its options) and
    ``state_names``. One whose kernels keep tasks otherwise than field by field says so in ``empty_tasks``,
    ``write_task`` and ``read_task``.

    Attributes:
        task_type: The tasks.
        task_arrays: By the name of a task's field: how kernels keep it, in the order in which they take the arrays.
        state_names: Names of the attributes (``"bodies.states"`` for one's own) that are arrays (N, ...) and, with the
            tasks and what every family has, decide the future and say what is observed.
        task_rows: The rows' tasks: arrays (N, ...), as declared.
        bank: The tasks that are drawn from, in the same form, (K, ...); K is 0 where the family's own distribution is.
        num_rows: Number of rows, N.
        observations: The batched observation, (N, ...): an array or a dict of arrays, written in place.
        rewards: float64 (N,), of the last step.
        terminations: bool (N,), whether the last step ended the episode.
        truncations: bool (N,), whether the last step reached the row's time limit.
        successes: bool (N,), whether the current episode's task has been solved.
        elapsed: int64 (N,), steps of the current episode.
        outcomes: These five arrays as a tuple, which kernels write (see :mod:`procgen_bench.engine.outcomes`).
        streams: uint64 (N,), the rows' random streams (see :mod:`procgen_bench.core.seeding`).
    """

    task_type: type[TaskT]
    task_arrays: Mapping[str, TaskArray]
    state_names: ClassVar[tuple[str, ...]] = ()

    def __init__(self, num_rows: int, max_episode_steps: int | None):
        self.num_rows = num_rows
        self.max_episode_steps = np.iinfo(np.int64).max if max_episode_steps is None else max_episode_steps
        self.rewards = np.zeros(num_rows, np.float64)
        self.terminations = np.zeros(num_rows, np.bool_)
        self.truncations = np.zeros(num_rows, np.bool_)
        self.successes = np.zeros(num_rows, np.bool_)
        self.elapsed = np.zeros(num_rows, np.int64)
        self.outcomes = (self.rewards, self.terminations, self.truncations, self.successes, self.elapsed)
        self.streams = np.zeros(num_rows, np.uint64)
        self.task_rows = self.empty_tasks(num_rows)
        self.use_tasks(())

    def empty_tasks(self, count: int) -> tuple[np.ndarray, ...]:
        """Arrays (count, ...) of ``count`` tasks that are yet to be written, as ``task_arrays`` declares them."""
        return tuple(np.zeros((count, *shape), dtype) for shape, dtype in self.task_arrays.values())

    def write_task(self, task: TaskT, place: int, arrays: Any) -> None:
        """Put ``task`` into a place of arrays that :meth:`empty_tasks` made."""
        for name, array in zip(self.task_arrays, arrays):
            array[place] = getattr(task, name)

    @property
    def keeps_fields(self) -> bool:
        """Whether a task's entries are its fields as they are."""
        return type(self).write_task is NativeSimulation.write_task

    def read_task(self, place: int, arrays: Any) -> TaskT:
        """The task in a place of arrays that :meth:`empty_tasks` made."""
        return self.task_type(*(array[place] for array in arrays))

    def use_tasks(self, tasks: Sequence[TaskT]) -> None:
        """Draw from ``tasks`` (uniformly) when a row resets without a task; none: from the family's distribution."""
        self._solvable: TaskSpace[TaskT] | None = None
        self._training: TaskSpace[TaskT] | None = None
        self.bank = self.empty_tasks(len(tasks))
        for place, task in enumerate(tasks):
            self.write_task(task, place, self.bank)

    def use_solvable(self, space: TaskSpace[TaskT]) -> None:
        """Draw what ``space.draw_solvable`` gives when a row resets without a task."""
        self.use_tasks(())
        self._solvable = space

    def use_training(self, space: TaskSpace[TaskT]) -> None:
        """Draw again, when a row resets without a task, what ``space.may_be_trained_on`` forbids."""
        self._training = space

    def load(self, row: int, task: TaskT) -> None:
        """Put ``task`` into ``row``; it takes effect when the row is next started."""
        self.write_task(task, row, self.task_rows)

    def task(self, row: int) -> TaskT:
        """The task in ``row``."""
        return self.read_task(row, self.task_rows)

    def begin(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """:meth:`start`; where :meth:`use_training` asks for it, again until all drawn tasks may be trained on."""
        self._draw_and_start(rows, fresh)
        if self._training is not None:
            drawn = rows & fresh
            while (drawn := self._without_training(drawn, self._training)).any():
                self._draw_and_start(drawn, drawn)

    def _without_training(self, rows: np.ndarray, space: TaskSpace[TaskT]) -> np.ndarray:
        """bool (N,): those of ``rows`` whose tasks may not be trained on."""
        found = np.zeros_like(rows)
        for row in np.flatnonzero(rows).tolist():
            found[row] = not space.may_be_trained_on(self.task(row))
        return found

    def _draw_and_start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """:meth:`start`, after solvable tasks have been drawn where :meth:`use_solvable` asks for them."""
        if self._solvable is not None:
            self.draw_solvable(rows & fresh, self._solvable)
            fresh = np.zeros_like(fresh)
        self.start(rows, fresh)

    def draw_solvable(self, rows: np.ndarray, space: TaskSpace[TaskT]) -> None:
        """Draw a solvable task of ``space`` from its stream into every row of ``rows``, bool (N,)."""
        for row in np.flatnonzero(rows).tolist():
            self.streams[row] = advance(self.streams[row])
            rng = np.random.default_rng(int(output(self.streams[row])))
            self.load(row, space.draw_solvable(rng, 1)[0])

    @abstractmethod
    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``, and write its first observation.

        Args:
            rows: bool (N,), the rows that begin.
            fresh: bool (N,), the rows of them that first draw a task from their stream.
        """

    @abstractmethod
    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every row of ``active`` (bool (N,)) by one action; the other rows' arrays stay as they are."""

    def pursue(self, row: int, task: TaskT) -> None:
        """Continue ``row`` under another task, which differs from its own in parts that the family lets be replaced."""
        raise NotImplementedError(f"{type(self).__name__} has no parts of tasks that can be replaced on the way")

    def row_arrays(self) -> dict[str, np.ndarray]:
        """The arrays (N, ...), of any dtype, that with the tasks decide the future and say what is observed: live, by
        name."""
        return {name: attrgetter(name)(self) for name in (*_EVERY_FAMILYS_STATE, *self.state_names)}

    def resumed(self, rows: Sequence[int]) -> None:
        """These rows' arrays have been put back: what lies outside of arrays, if anything does, is to follow."""

    def save_row(self, row: int, kind: str, ended: bool) -> SavedState[TaskT]:
        """A row's episode as it is, for :meth:`restore_rows` of any simulation with equal options."""
        values = {name: array[row] for name, array in self.row_arrays().items()}
        return SavedState(kind, self.task(row), int(self.elapsed[row]), ended, values)

    def restore_rows(self, states: Mapping[int, SavedState[TaskT]]) -> None:
        """Continue, in each of these rows, from a state that :meth:`save_row` returned."""
        arrays = self.row_arrays()
        for row, state in states.items():
            self.load(row, state.task)
            for name, array in arrays.items():
                array[row] = state.values[name]
        self.resumed(list(states))

    def state_arrays(self) -> dict[str, np.ndarray]:
        """The arrays (N, ...), of any dtype, that decide the future of all rows: live, by name."""
        return {f"task_rows.{place}": array for place, array in enumerate(self.task_rows)} | self.row_arrays()

    def save_state(self) -> dict[str, np.ndarray]:
        """A copy of the whole state as arrays, from which :meth:`restore_state` continues exactly."""
        return {name: array.copy() for name, array in self.state_arrays().items()}

    def restore_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a state that :meth:`save_state` returned on a simulation of the same size."""
        for name, array in self.state_arrays().items():
            array[...] = state[name]
        self.resumed(range(self.num_rows))

    def close(self) -> None:
        """Release what is held outside this process's memory, if anything is; again without effect."""

    @contextmanager
    def restored_on_error(self) -> Iterator[None]:
        """What fails inside leaves the whole state as it was before."""
        state = self.save_state()
        try:
            yield
        except BaseException:
            self.restore_state(state)
            raise
