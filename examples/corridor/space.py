"""CorridorTaskSpace: one choice per door between a teacher and the tasks, and the family's suite."""

import numpy as np
from gymnasium import spaces

from corridor.task import DOORS, CorridorTask
from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor
from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.core.task_suite import TaskSuite


def named_suite(name: str, _: Arrays) -> TaskSuite[CorridorTask]:
    """Three corridors by name. Suites that are drawn are kept in files: see ``tasks/bit_grid/suites.py``."""
    texts = {"straight": "<<<<<<<<", "half": "<<<<>>>>", "winding": "<><><><>"}
    return TaskSuite(name, tuple(map(CorridorTask.from_text, texts.values())), tuple(texts))


class CorridorTaskSpace(TaskSpace[CorridorTask]):
    """The corridors. Raw parameters: ``signs``, int64 (8,), 0 or 1, the way that opens each door."""

    task_type = CorridorTask
    suites = FamilySuites(descriptors=(SuiteDescriptor("named", named_suite),))
    space = spaces.Dict({"signs": spaces.MultiDiscrete([2] * DOORS)})

    def _decode(self, params: Parameters) -> CorridorTask:
        return CorridorTask(params["signs"].astype(np.int8))

    def encode(self, task: CorridorTask) -> Parameters:
        """The signs themselves."""
        return {"signs": task.signs.astype(np.int64)}

    def mutate(self, task: CorridorTask, rng: np.random.Generator) -> CorridorTask:
        """One of the doors opens the other way."""
        signs = task.signs.copy()
        signs[rng.integers(DOORS)] ^= 1
        return CorridorTask(signs)

    def solve(self, task: CorridorTask) -> np.ndarray:
        """int64 (8,): the actions that every door asks for."""
        self.validate(task)
        return task.signs.astype(np.int64)
