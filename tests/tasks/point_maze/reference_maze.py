"""The point maze as its specification says it: wall segments in the plane, plain Python and exact fractions.

It shares nothing with the package's rules, which think in cells.
"""

from fractions import Fraction
from typing import NamedTuple

GAP = Fraction(0.005)
HALF = Fraction(1, 2)


class Segment(NamedTuple):
    """A wall: ``axis`` 0 stops x (it stands upright at x = ``at``), axis 1 stops y; it spans [low, low + 1]."""

    axis: int
    at: Fraction
    low: Fraction


def segments(task) -> list[Segment]:
    """All walls of a PointMazeTask, the border's too."""
    upright = [(x, y) for y, walls in enumerate(task.vertical_walls.tolist()) for x, wall in enumerate(walls) if wall]
    level = [(x, y) for y, walls in enumerate(task.horizontal_walls.tolist()) for x, wall in enumerate(walls) if wall]
    upright += [(x, y) for x in (-1, 10) for y in range(11)]
    level += [(x, y) for y in (-1, 10) for x in range(11)]
    return [Segment(0, x + HALF, y - HALF) for x, y in upright] + [Segment(1, y + HALF, x - HALF) for x, y in level]


def crosses(before: Fraction, after: Fraction, at: Fraction) -> bool:
    """Whether a motion leads over a line; a point on the line is on its greater side."""
    return before < at <= after or after < at <= before


def moved(walls: list[Segment], start, action) -> tuple[float, float]:
    """Where the agent arrives."""
    at = [Fraction(float(part)) for part in start]
    aim = [one + Fraction(float(part)) for one, part in zip(at, action)]
    walls = [wall for wall in walls if abs(wall.at - at[wall.axis]) < 2 and abs(wall.low - at[1 - wall.axis]) < 3]
    while hits := [(time, wall) for wall in walls if (time := hit_time(wall, at, aim)) is not None]:
        first = min(time for time, _ in hits)
        reached = [one + first * (other - one) for one, other in zip(at, aim)]
        for time, wall in hits:
            if time == first:
                direction = 1 if aim[wall.axis] > at[wall.axis] else -1
                reached[wall.axis] = aim[wall.axis] = wall.at - direction * GAP
        at = reached
    for wall in walls:
        across, along = aim[wall.axis], aim[1 - wall.axis]
        if wall.low <= along < wall.low + 1 and abs(across - wall.at) < GAP:
            aim[wall.axis] = wall.at + (GAP if across >= wall.at else -GAP)
    return float(aim[0]), float(aim[1])


def hit_time(wall: Segment, at: list[Fraction], aim: list[Fraction]) -> Fraction | None:
    """When (0 to 1) the straight motion meets the wall, if it does."""
    before, after = at[wall.axis], aim[wall.axis]
    if not crosses(before, after, wall.at):
        return None
    time = (wall.at - before) / (after - before)
    begin, end = at[1 - wall.axis], aim[1 - wall.axis]
    along = begin + time * (end - begin)
    touches_end = along == wall.low + 1 and crosses(begin, end, along)
    return time if wall.low <= along < wall.low + 1 or touches_end else None
