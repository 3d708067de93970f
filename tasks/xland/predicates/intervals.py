"""Parts of a segment, as times between 0 (its begin) and 1 (its end). An empty part begins at or after its end."""

import math

from procgen_bench.core.compiled import njit


@njit
def times_below(begin, end, value, change):
    """The part of the times from begin to end at which ``value + time * change`` is below 0; empty: begin >= end."""
    if change == 0.0:
        return (begin, end) if value < 0.0 else (end, end)
    time = -value / change
    return (max(begin, time) if change < 0.0 else begin), (min(end, time) if change > 0.0 else end)


@njit
def times_between(begin, end, half, value, change):
    """The part of the times at which ``value + time * change`` lies between -half and half."""
    if change == 0.0:
        return (begin, end) if abs(value) < half else (end, end)
    value = math.copysign(1.0, change) * value
    change = abs(change)
    return max(begin, (-half - value) / change), min(end, (half - value) / change)


@njit
def times_inside(begin, end, extent, value, change):
    """The part of the times at which ``value + time * change`` lies in [0, extent)."""
    if change == 0.0:
        return (begin, end) if 0.0 <= value < extent else (end, end)
    begin, end = times_below(begin, end, value - extent, change)
    return times_below(begin, end, -value, -change)
