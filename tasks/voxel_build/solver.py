"""Scripted builder of VoxelBuild: it retreats row by row and puts every block right before its feet.

The builder faces one of the four headings, looks 50 degrees down, and begins with the row that is farthest ahead. It
stands one cell before the row, strafes along it and places as many blocks in each cell ahead as the goal is high; then
it steps back and comes the other way. Nothing that it has built is ever in its way.
"""

import numpy as np

from procgen_bench.tasks.voxel_build.actions import (
    LOOK_DOWN,
    MOVE_BACKWARD,
    MOVE_FORWARD,
    MOVE_LEFT,
    MOVE_RIGHT,
    PLACE,
    TURN_LEFT,
    TURN_RIGHT,
    TURN_ROUND,
)
from procgen_bench.tasks.voxel_build.rules import LEVEL, PITCHES, STEPS
from procgen_bench.tasks.voxel_build.task import HEADINGS, Rectangle, VoxelBuildTask

_LOOKS = LEVEL - PITCHES.index(-50)
#: The turn to a heading by how many right turns away it is.
_TURNS = {0: [], 1: [TURN_RIGHT], 2: [TURN_ROUND], 3: [TURN_LEFT]}


def solve(task: VoxelBuildTask) -> np.ndarray:
    """Actions (int64) that build the goal: the shortest of the builder's eight ways (heading, and first side).

    They are 2 looks and at most one turn, the way to the first row, a placement per block and a move between two cells:
    never more than 80, from anywhere in the arena.
    """
    rectangle = Rectangle.around(task.goal)
    ways = [_way(task, rectangle, heading, first) for heading in range(len(HEADINGS)) for first in ("left", "right")]
    return np.array(min(ways, key=len), np.int64)


def _way(task: VoxelBuildTask, rectangle: Rectangle, heading: int, first: str) -> list[int]:
    """The builder's actions when it faces ``heading`` and begins on the side ``first``."""
    x, y, start_heading = task.start.tolist()
    actions = [*_TURNS[(heading - start_heading) % len(HEADINGS)], *[LOOK_DOWN] * _LOOKS]
    at = _turned(x, y, heading)
    for stand in _stands(rectangle, heading, first):
        actions += _moves(at, stand) + [PLACE + rectangle.material - 1] * rectangle.height
        at = stand
    return actions


def _stands(rectangle: Rectangle, heading: int, first: str) -> list[tuple[int, int]]:
    """Where the builder stands, one by one: how far ahead and how far to the right."""
    (ahead_1, right_1), (ahead_2, right_2) = (
        _turned(x, y, heading) for x, y in ((rectangle.west, rectangle.north), (rectangle.east, rectangle.south))
    )
    rights = range(min(right_1, right_2), max(right_1, right_2) + 1)
    if first == "right":
        rights = rights[::-1]
    stands = []
    for ahead in range(max(ahead_1, ahead_2), min(ahead_1, ahead_2) - 1, -1):
        stands += [(ahead - 1, right) for right in rights]
        rights = rights[::-1]
    return stands


def _turned(x: int, y: int, heading: int) -> tuple[int, int]:
    """A cell as seen by someone who faces ``heading``: how far ahead and how far to the right of (0, 0) it is."""
    forward, right = STEPS[heading], STEPS[(heading + 1) % len(HEADINGS)]
    return int(x * forward[0] + y * forward[1]), int(x * right[0] + y * right[1])


def _moves(at: tuple[int, int], to: tuple[int, int]) -> list[int]:
    ahead, right = to[0] - at[0], to[1] - at[1]
    return [MOVE_FORWARD if ahead > 0 else MOVE_BACKWARD] * abs(ahead) + [MOVE_RIGHT if right > 0 else MOVE_LEFT] * abs(
        right
    )
