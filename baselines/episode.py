"""Episode: what is kept of an episode that a policy or a student played."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Episode:
    """One episode.

    Attributes:
        return_: Undiscounted sum of rewards.
        success: Whether the task was solved.
        length: Number of steps.
        finished: Whether the environment ended it (false: the policy gave up or crashed).
        seed: Seed of the environment's reset; ``None`` where the environment went on by itself.
        actions: Actions (length, ...); empty where they were not recorded.
        measures: What the environment tells of the end beside that, by name.
    """

    return_: float
    success: bool
    length: int
    finished: bool = True
    seed: int | None = None
    actions: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    measures: dict[str, float] = field(default_factory=dict)
