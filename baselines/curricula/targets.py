"""Targets teacher: tasks like the benchmark's own (APT-Gen's targets)."""

from typing import Any

import numpy as np

from procgen_bench.baselines.training.contracts import Proposal
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher import Teacher


class TargetsTeacher(Teacher):
    """Proposes the benchmark's own task where it may be trained on, fresh ones of its distribution elsewhere.

    Raises:
        UndrawnTasksError: Nothing draws any.
    """

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(levels, rng, configuration)
        levels.check_targets("teacher 'targets'")

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """A target per row."""
        return [Proposal(self.next_number(), self.levels.draw_target(self.rng)) for _ in rows]
