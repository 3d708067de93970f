"""NativeSimulation: N games in preallocated arrays, advanced by one compiled call. Knows no Gymnasium."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from procgen_bench.task import Task


class ObservedRows:
    """Rows whose observations are kept in batched arrays.

    Attributes:
        observations: The batched observation, (N, ...): an array or a dict of arrays, written in place.
    """

    observations: dict[str, np.ndarray] | np.ndarray

    def copy_observations(self) -> dict[str, np.ndarray] | np.ndarray:
        """A copy of ``observations``."""
        if isinstance(self.observations, dict):
            return {name: array.copy() for name, array in self.observations.items()}
        return self.observations.copy()

    def copy_observation(self, row: int) -> dict[str, np.ndarray] | np.ndarray:
        """A copy of one row of ``observations``."""
        if isinstance(self.observations, dict):
            return {name: array[row].copy() for name, array in self.observations.items()}
        return self.observations[row].copy()


class NativeSimulation(ObservedRows, ABC):
    """N independent games ("rows") of one family.

    The single environment is a simulation with one row, the vector environment one with many. Nothing is allocated
    per step: ``step`` writes into the public arrays, and the observations are views that stay valid for good.

    Attributes:
        num_rows: Number of rows, N.
        observations: The batched observation, (N, ...): an array or a dict of arrays, written in place.
        rewards: float64 (N,), of the last step.
        terminations: bool (N,), whether the last step ended the episode.
        truncations: bool (N,), whether the last step reached the row's time limit.
        successes: bool (N,), whether the current episode's task has been solved.
        elapsed: int64 (N,), steps of the current episode.
        outcomes: These five arrays as a tuple, which kernels write (see :mod:`procgen_bench.outcomes`).
        streams: uint64 (N,), the rows' random streams (see :mod:`procgen_bench.seeding`).
    """

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

    @abstractmethod
    def use_tasks(self, tasks: Sequence[Task]) -> None:
        """Draw from ``tasks`` (uniformly) instead of the whole task space when a row resets without a task."""

    @abstractmethod
    def load(self, row: int, task: Task) -> None:
        """Put ``task`` into ``row``; it takes effect when the row is next started."""

    @abstractmethod
    def task(self, row: int) -> Task:
        """The task in ``row``."""

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

    @abstractmethod
    def state_arrays(self) -> dict[str, np.ndarray]:
        """The arrays that together decide the future (the live ones, not copies), by name; families add their own."""
        return {
            "rewards": self.rewards,
            "terminations": self.terminations,
            "truncations": self.truncations,
            "successes": self.successes,
            "elapsed": self.elapsed,
            "streams": self.streams,
        }

    def save_state(self) -> dict[str, np.ndarray]:
        """A copy of the whole state, from which :meth:`restore_state` continues exactly."""
        return {name: array.copy() for name, array in self.state_arrays().items()}

    def restore_state(self, state: dict[str, np.ndarray]) -> None:
        """Continue from a state that :meth:`save_state` returned on a simulation of the same size."""
        for name, array in self.state_arrays().items():
            array[...] = state[name]

    def close(self) -> None:
        """Let go of what is held outside this process's memory, if anything is; again without effect."""

    @contextmanager
    def restored_on_error(self) -> Iterator[None]:
        """What fails inside leaves the whole state as it was before."""
        state = self.save_state()
        try:
            yield
        except BaseException:
            self.restore_state(state)
            raise
