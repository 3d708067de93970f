"""Uniform teacher: domain randomisation over the whole task space (APT-Gen's rival "Random")."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.baselines.teachers.proposal import Proposal
from procgen_bench.baselines.teachers.teacher import Teacher


@dataclass(frozen=True)
class UniformConfiguration:
    """There is nothing to set."""


class UniformTeacher(Teacher):
    """Proposes levels drawn uniformly from the task space, whatever the student does."""

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """A fresh level per row."""
        return [Proposal(self.next_number(), task) for task in self.levels.draw(self.rng, len(rows))]
