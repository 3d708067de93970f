"""Trials: what comes of levels that a student plays for its teacher alone, at the run's charge."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.baselines.training.contracts import Student
from procgen_bench.core.task import Task


@dataclass(frozen=True)
class Trial:
    """What came of n levels; where a level has no episode, the other columns mean nothing.

    Attributes:
        episodes: int64 (n,), how many were played of each: at the end of a run steps are short for some.
        success: float64 (n,), the share of these that solved the level.
        mean_return, max_return: float64 (n,), of their undiscounted returns.
    """

    episodes: np.ndarray
    success: np.ndarray
    mean_return: np.ndarray
    max_return: np.ndarray

    @property
    def learnability(self) -> np.ndarray:
        """p (1 - p), float64 (n,), of the share p of successes: 0 to 0.25."""
        return self.success * (1 - self.success)


def play_trial(tasks: Sequence[Task], episodes: int, student: Student) -> Trial:
    """Let the student play every task so many times, as it is evaluated."""
    played = student.evaluate(list(tasks), episodes)
    count = np.bincount(played.level, minlength=len(tasks))
    divisor = np.maximum(count, 1)
    greatest = np.full(len(tasks), -np.inf)
    np.maximum.at(greatest, played.level, played.return_)
    return Trial(
        episodes=count,
        success=np.bincount(played.level, played.success, len(tasks)) / divisor,
        mean_return=np.bincount(played.level, played.return_, len(tasks)) / divisor,
        max_return=greatest,
    )
