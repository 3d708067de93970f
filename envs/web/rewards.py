"""What steps of a site earn."""

import math
from dataclasses import asdict, dataclass

from procgen_bench.core.errors import InvalidOptionError

#: Of sending off with every field right, and of any other end.
SUCCESS_REWARD, FAILURE_REWARD = 1.0, -1.0


@dataclass(frozen=True)
class SiteRewards:
    """What steps cost; the defaults are those of the published configuration (CoDE).

    Args:
        step_penalty: Taken off every step's reward.
        repeat_penalty: Taken off too when the action is the one before.

    Raises:
        InvalidOptionError: One is not a number of at least 0.
    """

    step_penalty: float = 0.05
    repeat_penalty: float = 0.5

    def __post_init__(self):
        for name, value in asdict(self).items():
            if not (isinstance(value, (int, float)) and math.isfinite(value) and value >= 0):
                raise InvalidOptionError(f"{name} is {value!r}, expected a number of at least 0")


PUBLISHED_REWARDS = SiteRewards()
