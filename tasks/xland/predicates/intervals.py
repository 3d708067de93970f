"""Parts of a segment, as times between 0 (its begin) and 1 (its end). An empty part begins at or after its end."""

from numba import njit


@njit(cache=True)
def times_below(begin, end, value, change):
    """The part of the times from begin to end at which ``value + time * change`` is below 0; empty: begin >= end."""
    if change > 0.0:
        return begin, min(end, -value / change)
    if change < 0.0:
        return max(begin, -value / change), end
    return (begin, end) if value < 0.0 else (end, end)


@njit(cache=True)
def times_between(begin, end, half, value, change):
    """The part of the times at which ``value + time * change`` lies between -half and half."""
    begin, end = times_below(begin, end, value - half, change)
    return times_below(begin, end, -value - half, -change)


@njit(cache=True)
def times_inside(begin, end, extent, value, change):
    """The part of the times at which ``value + time * change`` lies in [0, extent)."""
    if change == 0.0:
        return (begin, end) if 0.0 <= value < extent else (end, end)
    begin, end = times_below(begin, end, value - extent, change)
    return times_below(begin, end, -value, -change)
