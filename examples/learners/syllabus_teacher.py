"""A curriculum of Syllabus as a teacher, under which every learner of this package trains.

PYTHONPATH=examples/learners procgen-bench train ppo grid-world/graded --teacher syllabus_teacher:SyllabusTeacher

Syllabus chooses among numbered tasks: here among ``tasks`` levels that are drawn once. Another curriculum takes another
``make_curriculum``; one that asks for single steps, or evaluates an agent by itself, needs more of an adapter.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from syllabus.core import Curriculum
from syllabus.curricula import DomainRandomization, SequentialCurriculum
from syllabus.task_space import DiscreteTaskSpace

from procgen_bench.baselines.curricula.kept_levels import level_arrays, levels_of
from procgen_bench.baselines.policies.tensors import global_generators_kept
from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal
from procgen_bench.baselines.training.settings import COUNT, option
from procgen_bench.baselines.training.teacher import Teacher


@dataclass(frozen=True)
class SyllabusConfiguration:
    """The options of ``--teacher-options``."""

    tasks: int = option(1000, "Levels that the curriculum chooses from.", COUNT)


class SyllabusTeacher(Teacher):
    """Asks a curriculum for the levels, and tells it of every finished episode."""

    configuration_type = SyllabusConfiguration

    def __init__(self, levels, rng: np.random.Generator, configuration: SyllabusConfiguration):
        super().__init__(levels, rng, configuration)
        self.tasks = levels.draw(rng, configuration.tasks)
        self.curriculum = self.make_curriculum(DiscreteTaskSpace(len(self.tasks)))
        #: Level, return, length and success of every episode so far.
        self._told: list[list[Any]] = []

    def make_curriculum(self, numbered: DiscreteTaskSpace) -> Curriculum:
        """The curriculum over the numbers of the levels: half of them, and all after 200 episodes."""
        stages = [list(range(numbered.num_tasks // 2)), DomainRandomization(numbered)]
        return SequentialCurriculum(stages, stopping_conditions=["episodes>=200"], task_space=numbered)

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """What the curriculum samples; it draws from NumPy's global generator, which is seeded for it."""
        with global_generators_kept():
            np.random.seed(self.rng.integers(2**32))
            numbers = self.curriculum.sample(len(rows)) if len(rows) else []
        return [Proposal(int(number), self.tasks[int(number)]) for number in numbers]

    def observe(self, played: FinishedEpisodes) -> None:
        """Pass on every episode."""
        columns = played.level, played.return_, played.length, played.success.astype(float)
        self._tell([list(episode) for episode in zip(*(column.tolist() for column in columns), strict=True)])

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """The levels, and all episodes so far."""
        arrays, values = super().state()
        return arrays | level_arrays(self.levels.task_space, self.tasks, "level"), values | {"told": self._told}

    def restore(self, arrays: dict[str, np.ndarray], values: dict[str, Any]) -> None:
        """Tell a new curriculum of all episodes so far: Syllabus keeps none."""
        super().restore(arrays, values)
        self.tasks = levels_of(self.levels.task_space, arrays, "level")
        self.curriculum, self._told = self.make_curriculum(DiscreteTaskSpace(len(self.tasks))), []
        self._tell(values["told"])

    def _tell(self, episodes: list[list[Any]]) -> None:
        self._told += episodes
        for level, return_, length, success in episodes:
            self.curriculum.update_task_progress(level, success)
            self.curriculum.update_on_episode(return_, length, level, success)
