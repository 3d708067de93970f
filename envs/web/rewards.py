"""What steps of a site earn."""

import math
from dataclasses import astuple, dataclass, fields
from functools import cached_property

from procgen_bench.core.errors import InvalidOptionError


@dataclass(frozen=True)
class SiteRewards:
    """What steps earn and cost; the defaults are those of the published configuration (CoDE).

    Args:
        step_penalty: Taken off the reward of every step that does not end the episode.
        idle_penalty: Taken off too when the step left the page as it was.
        progress_reward: Shared among the active primitives: a share for each that becomes right, taken back with it.
        success_reward: Of sending off with every field right.
        failure_penalty: Taken off at any other end.

    Raises:
        InvalidOptionError: One is not a number of at least 0.
    """

    step_penalty: float = 0.05
    idle_penalty: float = 0.5
    progress_reward: float = 1.0
    success_reward: float = 1.0
    failure_penalty: float = 1.0

    def __post_init__(self):
        for part in fields(self):
            value = getattr(self, part.name)
            if not (isinstance(value, (int, float)) and math.isfinite(value) and value >= 0):
                raise InvalidOptionError(f"{part.name} is {value!r}, expected a number of at least 0")

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """All of them, in their order."""
        return tuple(map(float, astuple(self)))


PUBLISHED_REWARDS = SiteRewards()
