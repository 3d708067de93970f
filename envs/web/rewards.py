"""SiteRewards: what steps, repetitions, fields and ends are worth."""

import math
from dataclasses import dataclass

from procgen_bench.errors import InvalidOptionError

#: Of a site that is sent off with every field right, and, with the sign turned, of any other end.
END_REWARD = 1.0


@dataclass(frozen=True)
class SiteRewards:
    """The configurable rewards of a site (CoDE's published configuration).

    Attributes:
        step_penalty: Taken off at every step; at least 0.
        repeat_penalty: Taken off as well when the action is that of the step before; at least 0.
    """

    step_penalty: float = 0.05
    repeat_penalty: float = 0.5

    def __post_init__(self):
        for name, value in (("step_penalty", self.step_penalty), ("repeat_penalty", self.repeat_penalty)):
            if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
                raise InvalidOptionError(f"{name} is {value!r}, expected a number of at least 0")
