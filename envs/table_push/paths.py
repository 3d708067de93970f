"""The path of a push: where the tool is at every step of the physics. Every arm follows the same one.

Lengths are in metres, in the table's coordinates (see :mod:`procgen_bench.tasks.table_push.table`).
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from procgen_bench.tasks.table_push.table import CAN_RADIUS, DIRECTIONS, PUSH_LENGTH

#: Seconds of a step of the physics.
TIME_STEP = 0.01

#: The tool is two upright plates that meet in a wide V, open in the direction of the push: it holds a can that it
#: pushes in its middle. Half the angle between a plate's face and the direction's perpendicular (radians), half the
#: V's width, and half the plates' height and thickness.
PLATE_ANGLE, HALF_WIDTH = np.deg2rad(30.0), 0.025
HALF_HEIGHT, HALF_THICKNESS = 0.02, 0.0025
#: From the V's corner to the middle of a can that lies in it.
HELD_DISTANCE = CAN_RADIUS / np.cos(PLATE_ANGLE)
#: Height of the tool's middle while it pushes: low, so that cans do not tip.
PUSH_HEIGHT = 0.04

#: The tool comes down this far behind where it meets the can, from this high above the push, and goes back before it
#: rises again.
_GAP, _HOVER, _RETREAT = 0.008, 0.10, 0.012
#: Accelerations along the parts of the path (metres per second squared). A can slows down by friction as fast as the
#: tool that pushes it, or faster: it comes to rest in the tool, wherever that stops.
_LOWERING, _PUSHING, _RETREATING = 8.0, 2.0, 4.0


@dataclass(frozen=True, eq=False)
class PushPath:
    """Where the tool is, step by step.

    Attributes:
        positions: float64 (N + 1, 3), metres: the corner of the tool's V at the beginning and after every step of
            ``TIME_STEP``; it begins and ends at rest above the table, higher than cans and roadblocks.
        direction: float64 (2,): the unit vector along which it pushes.
        yaw: The tool's angle about the upward axis (radians), the same along all of the path; 0 pushes along +x.
    """

    positions: np.ndarray
    direction: np.ndarray
    yaw: float


def push_path(place: np.ndarray, direction: int) -> PushPath:
    """The path that pushes a can at ``place`` (float64 (2,), metres) by ``PUSH_LENGTH`` in ``direction`` (0 +x, 1 -x, 2
    +y, 3 -y)."""
    along, heights = _profile()
    step = DIRECTIONS[direction].astype(np.float64)
    positions = np.column_stack([place[0] + along * step[0], place[1] + along * step[1], heights])
    return PushPath(positions, step, float(np.arctan2(step[1], step[0])))


@cache
def _profile() -> tuple[np.ndarray, np.ndarray]:
    """The tool's place along the push, from the can's middle, and its height, at every step."""
    lowering, pushing = _stretch(_HOVER, _LOWERING), _stretch(PUSH_LENGTH + _GAP, _PUSHING)
    retreating = _stretch(_RETREAT, _RETREATING)
    begin = -(HELD_DISTANCE + _GAP)
    end = begin + pushing[-1]
    back = end - retreating[-1]
    still, raised = np.zeros_like(lowering), PUSH_HEIGHT + _HOVER
    along = np.concatenate([[begin], begin + still, begin + pushing, end - retreating, back + still])
    level = np.full(len(pushing) + len(retreating), PUSH_HEIGHT)
    heights = np.concatenate([[raised], raised - lowering, level, PUSH_HEIGHT + lowering])
    return along, heights


def _stretch(distance: float, acceleration: float) -> np.ndarray:
    """How far along a stretch of ``distance`` one is after every step: even acceleration, then even braking."""
    steps = int(np.ceil(2 * np.sqrt(distance / acceleration) / TIME_STEP))
    share = np.arange(1, steps + 1) / steps
    return distance * np.where(share < 0.5, 2 * share**2, 1 - 2 * (1 - share) ** 2)
