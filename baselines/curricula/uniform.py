"""Uniform teacher: domain randomisation over the task space (APT-Gen's "Random"), or what environments draw."""

import numpy as np

from procgen_bench.baselines.training.contracts import FreshLevels
from procgen_bench.baselines.training.teacher import Teacher


class UniformTeacher(Teacher):
    """Proposes levels as the environment draws its own, uniform or by its paper's rules, whatever the student does."""

    def propose(self, rows: np.ndarray, step: int) -> FreshLevels:
        """A fresh level per row."""
        return FreshLevels(self.next_numbers(len(rows)), self.levels.draw_plain(self.rng, len(rows)))
