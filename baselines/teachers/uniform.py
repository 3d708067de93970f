"""Uniform teacher: domain randomisation over the whole task space (APT-Gen's rival "Random")."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from procgen_bench.baselines.episode import Episode
from procgen_bench.baselines.teachers.teacher import Teacher
from procgen_bench.core.task_space import Parameters, TaskSpace


class UniformTeacher(Teacher):
    """Proposes tasks drawn uniformly from the space, whatever the student does.

    Args:
        task_space: Where to draw from.
        rng: The teacher's randomness.
        solvable: Whether to propose solvable tasks only (the space needs a solver).
    """

    def __init__(self, task_space: TaskSpace, rng: np.random.Generator, solvable: bool):
        self.task_space, self.rng, self.solvable = task_space, rng, solvable

    def propose(self, count: int) -> list[Parameters]:
        """Uniform parameters, those of solvable tasks only if so asked."""
        if self.solvable:
            return self.task_space.sample_solvable(self.rng, count)
        return [self.task_space.sample(self.rng) for _ in range(count)]

    def observe(self, parameters: Sequence[Parameters], episodes: Sequence[Episode]) -> None:
        """Nothing is learned from the student."""

    def state(self) -> dict[str, Any]:
        """The generator's state."""
        return dict(self.rng.bit_generator.state)

    def restore(self, state: dict[str, Any]) -> None:
        """Set the generator's state."""
        self.rng.bit_generator.state = state
