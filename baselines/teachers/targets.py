"""Targets teacher: the benchmark's own tasks, where the protocol lets them be trained on (APT-Gen's targets)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from procgen_bench.baselines.teachers.level_source import LevelSource
from procgen_bench.baselines.teachers.proposal import Proposal
from procgen_bench.baselines.teachers.teacher import Teacher
from procgen_bench.baselines.training_tasks import tasks_of_the_suite


@dataclass(frozen=True)
class TargetsConfiguration:
    """There is nothing to set."""


class TargetsTeacher(Teacher):
    """Proposes the benchmark's tasks, each as often as any other.

    Raises:
        HeldOutTasksError: The benchmark holds them out.
    """

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(levels, rng, configuration)
        self._targets = tasks_of_the_suite(levels.benchmark)

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """A target per row; a target's place is its level."""
        places = self.rng.integers(len(self._targets), size=len(rows)).tolist()
        return [Proposal(place, self._targets[place]) for place in places]
