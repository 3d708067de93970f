"""A family's suites, each declared once: its data file, what the arrays in it stand for, and how they were drawn."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic

import numpy as np

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.suite_file import read_suite_file
from procgen_bench.core.task import TaskT
from procgen_bench.core.task_suite import TaskSuite

#: What a data file holds: arrays by name.
Arrays = dict[str, np.ndarray]
#: The family's task space, the suite, a place in it and a random generator -> a task drawn as the one there was.
DrawLike = Callable[[Any, TaskSuite[TaskT], int, np.random.Generator], TaskT]


@dataclass(frozen=True)
class SuiteDescriptor(Generic[TaskT]):
    """One suite of a family.

    Attributes:
        name: Its name within the family, e.g. ``"graded"``.
        build: Its name and its file's arrays by name (none without a file; every dtype but object) -> the suite.
        checksum: SHA-256 over the arrays of its file (:func:`procgen_bench.core.suite_file.checksum`); ``None`` where
            it has no file.
        generate: The family's task space -> the arrays as ``build`` takes them, drawn from a fixed seed. ``None`` where
            there is no file, or where drawing takes more than the space, so that the family has a generator of its own.
        draw_like: Draws another task as the one at a place of the suite was drawn (:meth:`TaskSpace.draw_like`).
            ``None`` where the tasks were not drawn.
        repeats_marks: Whether ``draw_like`` gives what the suite has with something else in it: its designs for other
            values, its games in other colours. Such tasks share marks with the suite's, so they are never trained on.
    """

    name: str
    build: Callable[[str, Arrays], TaskSuite[TaskT]]
    checksum: str | None = None
    generate: Callable[..., Arrays] | None = None
    draw_like: DrawLike[TaskT] | None = None
    repeats_marks: bool = False


def sampled_like(space: Any, _suite: TaskSuite, _place: int, rng: np.random.Generator) -> Any:
    """Another task of the distribution that resets draw from, for suites that were drawn from it."""
    return space.sample_task(rng)


@dataclass(frozen=True)
class FamilySuites(Generic[TaskT]):
    """All suites of a family.

    Attributes:
        folder: Where the data files are, ``NAME.npz``.
        descriptors: The suites, in the order in which they are listed.
    """

    folder: Path = Path()
    descriptors: tuple[SuiteDescriptor[TaskT], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The suites' names."""
        return tuple(descriptor.name for descriptor in self.descriptors)

    def __getitem__(self, name: str) -> SuiteDescriptor[TaskT]:
        """The descriptor of the suite ``name``.

        Raises:
            UnknownNameError: There is no such suite.
        """
        for descriptor in self.descriptors:
            if descriptor.name == name:
                return descriptor
        raise UnknownNameError("suite", name, list(self.names))

    def read(self, name: str) -> Arrays:
        """The arrays of the suite's file by name, as its ``build`` takes them; none without a file.

        Raises:
            UnknownNameError: There is no such suite.
            CorruptSuiteError: The file does not hold what was published.
        """
        expected = self[name].checksum
        return {} if expected is None else read_suite_file(self.folder / f"{name}.npz", expected)

    def load(self, name: str) -> TaskSuite[TaskT]:
        """The suite ``name``, read again; raises as :meth:`read`."""
        return self[name].build(name, self.read(name))

    @cache  # noqa: B019 - families are few and never go
    def kept(self, name: str) -> TaskSuite[TaskT]:
        """The suite ``name``, read once in a process; raises as :meth:`read`."""
        return self.load(name)


def with_progress(items: Iterable, suite: str, count: int) -> Iterator:
    """The ``count`` items of a suite that is being generated, while a bar shows how many have come."""
    from procgen_bench.core.progress import Progress  # takes time to import, which only generators have

    return iter(Progress(items, desc=suite, total=count))


#: Those of a family, or of a variant of it, that has none.
NO_SUITES: FamilySuites[Any] = FamilySuites()
