"""Episode: what is kept of an episode that a policy played, and how a policy that raises is reported."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from procgen_bench.core.errors import ProcgenBenchError


@dataclass(frozen=True)
class Episode:
    """One episode.

    Attributes:
        return_: Undiscounted sum of rewards.
        success: Whether the task was solved.
        length: Number of steps.
        finished: Whether the environment ended it (false: the policy gave up or crashed).
        seed: Seed of the environment's reset; ``None`` where the environment went on by itself.
        actions: Actions (length, ...), of the action space's dtype; empty where they were not recorded.
        measures: What the environment tells of the end beside that, by name.
    """

    return_: float
    success: bool
    length: int
    finished: bool = True
    seed: int | None = None
    actions: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    measures: dict[str, float] = field(default_factory=dict)


class PolicyCrashedError(ProcgenBenchError):
    """The policy raised an error while playing.

    Attributes:
        reason: Kind and text of the error.
        episodes: Every episode in order; those that it left behind have ``finished`` false.
    """

    def __init__(self, error: Exception, episodes: list[Episode]):
        self.reason, self.episodes = f"{type(error).__name__}: {error}", episodes
        super().__init__(crash_in_words(self.reason, episodes))


def crash_in_words(reason: str, episodes: Sequence[Episode]) -> str:
    """What a policy raised, and what it left behind."""
    left = sum(not episode.finished for episode in episodes)
    return f"the policy raised {reason}; {left} of {len(episodes)} episodes are unfinished"
