"""Task spaces with one fault each, over GridWorld's: what the checks must catch."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.suite_file import write_suite_file
from procgen_bench.core.suites import FamilySuites, SuiteDescriptor
from procgen_bench.core.task_suite import TaskSuite, numbered
from procgen_bench.tasks.grid_world import GridWorldTask, GridWorldTaskSpace
from procgen_bench.tasks.grid_world.task import ABSENT, SIDE
from tests.tasks.conformance.cases import Case

ID = "GridWorld-v0"


def case_of(space_type: type[GridWorldTaskSpace]) -> Case:
    return Case(ID, make=lambda environment_id: space_type())


class SwapsAxes(GridWorldTaskSpace):
    def encode(self, task):
        params = super().encode(task)
        return params | {"coordinates": params["coordinates"][:, ::-1].copy()}


class EncodesOutside(GridWorldTaskSpace):
    def encode(self, task):
        params = super().encode(task)
        return params | {"tiles": params["tiles"] * 100}


class WritesFewDigits(GridWorldTaskSpace):
    def plain(self, task):
        found = super().plain(task)
        return (
            {name: np.round(value, 6).tolist() for name, value in found.items()} if isinstance(found, dict) else found
        )


class SharesItsArrays(GridWorldTaskSpace):
    def encode(self, task):
        params = super().encode(task)
        for array in params.values():
            array.setflags(write=False)
        return params


class IgnoresAParameter(GridWorldTaskSpace):
    def _decode(self, params):
        return super()._decode(params | {"tiles": np.zeros_like(params["tiles"])})


class ChangesItsParameters(GridWorldTaskSpace):
    def decode(self, params):
        task = super().decode(params)
        params["coordinates"][0] = 0
        return task


class DecodesInvalid(GridWorldTaskSpace):
    """Where the goal's parameters are greatest: the far corner alone shows it."""

    def _decode(self, params):
        task = super()._decode(params)
        if (params["coordinates"] == self.space["coordinates"].high).all():
            objects = task.objects.copy()
            objects[0] = SIDE + 1
            return GridWorldTask(task.tiles, objects)
        return task


class ChecksNoBound(GridWorldTaskSpace):
    def decode(self, params):
        try:
            return super().decode(params)
        except InvalidTaskError as error:
            if "expected a number in" not in str(error):
                raise
            return self._decode({name: np.clip(params[name], box.low, box.high) for name, box in self.space.items()})


class SamplesFromAnywhere(GridWorldTaskSpace):
    def sample(self, rng):
        return super().sample(np.random.default_rng())


class SamplesOnce(GridWorldTaskSpace):
    def sample(self, rng):
        return super().sample(np.random.default_rng(0))


class FlattensInOtherOrder(GridWorldTaskSpace):
    def unflatten(self, vector):
        params = super().unflatten(vector)
        return params | {"coordinates": params["coordinates"][::-1]}


class MutatesInPlace(GridWorldTaskSpace):
    def mutate(self, task, rng):
        task.tiles.setflags(write=True)
        task.tiles[0, 0] = (task.tiles[0, 0] + 1) % 3
        return task


class MutatesNothing(GridWorldTaskSpace):
    def mutate(self, task, rng):
        return super().mutate(task, rng) if rng.random() < 0.1 else replace(task)


class MutatesTilesOnly(GridWorldTaskSpace):
    def mutate(self, task, rng):
        return replace(super().mutate(task, rng), objects=task.objects)


class MutatesObjectsOnly(GridWorldTaskSpace):
    def mutate(self, task, rng):
        while True:
            neighbour = super().mutate(task, rng)
            if (neighbour.tiles == task.tiles).all():
                return neighbour


class MutatesBySomethingElse(GridWorldTaskSpace):
    def mutate(self, task, rng):
        return super().mutate(task, np.random.default_rng())


@dataclass(frozen=True, eq=False)
class ForgetsItsObjects(GridWorldTask):
    """A task whose text and fingerprint leave a part out."""

    def fingerprint(self):
        return GridWorldTask(self.tiles, np.zeros_like(self.objects)).fingerprint()


@dataclass(frozen=True, eq=False)
class TellsNoKeys(GridWorldTask):
    def to_text(self):
        objects = self.objects.copy()
        objects[3:] = ABSENT
        return GridWorldTask(self.tiles, objects).to_text()


@dataclass(frozen=True, eq=False)
class StumblesOverText(GridWorldTask):
    @classmethod
    def from_text(cls, text):
        np.array([list(line) for line in text.split()])  # lines of different lengths: an error of NumPy's
        return GridWorldTask.from_text(text)


@dataclass(frozen=True, eq=False)
class ChecksNothing(GridWorldTask):
    def validate(self):
        pass


@dataclass(frozen=True, eq=False)
class Writable(GridWorldTask):
    def __post_init__(self):
        object.__setattr__(self, "tiles", self.tiles.copy())


def with_tasks_of(task_class: type[GridWorldTask]) -> type[GridWorldTaskSpace]:
    class Space(GridWorldTaskSpace):
        task_type = task_class
        suites = FamilySuites()

        def _decode(self, params):
            task = super()._decode(params)
            return task_class(task.tiles, task.objects)

    return Space


class SolvesTooLong(GridWorldTaskSpace):
    def solve(self, task):
        solution = super().solve(task)
        return None if solution is None else np.concatenate([solution, np.zeros(50, np.int64)])


class SolvesAtLength(GridWorldTaskSpace):
    def solve(self, task):
        solution = super().solve(task)
        return None if solution is None else np.concatenate([solution[:1], solution])


class HoldsAllSolvable(GridWorldTaskSpace):
    def is_solvable(self, task):
        return True


class HashDecides(GridWorldTaskSpace):
    def sample(self, rng):
        return super().sample(np.random.default_rng(abs(hash("a set's order"))))


HASH_DECIDES = (case_of(HashDecides),)

TASKS = tuple(GridWorldTaskSpace().suite("graded").tasks[::40])


def with_suite(folder: Path, tasks=TASKS, names=None, records=None) -> Case:
    """A family whose only suite, ``odd``, is as given."""

    def build(name, arrays):
        return TaskSuite(name, tasks, numbered(len(tasks)) if names is None else names, records or {})

    digest = write_suite_file(folder, "odd", {"tiles": np.stack([task.tiles for task in TASKS])})
    descriptor = SuiteDescriptor("odd", build, digest, lambda space: {"tiles": np.zeros(3)})

    class Space(GridWorldTaskSpace):
        suites = FamilySuites(folder, (descriptor,))

    return case_of(Space)


class ReadsAnything(FamilySuites):
    """Suites whose checksums are not held against the file's."""

    def read(self, name):
        with np.load(self.folder / f"{name}.npz") as archive:
            return dict(archive)


class TrustsItsFile(GridWorldTaskSpace):
    suites = ReadsAnything(GridWorldTaskSpace.suites.folder, GridWorldTaskSpace.suites.descriptors[1:])
