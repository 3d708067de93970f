"""Moments: what pictures of the table show besides the task, the cans and the arm."""

from typing import NamedTuple

import numpy as np

from procgen_bench.tasks.table_push.table import CAN_HEIGHT


class Posture(NamedTuple):
    """Where the arm has its tool.

    Attributes:
        place: float64 (3,), the corner of the tool's V, metres.
        yaw: The tool's angle about the upward axis (radians); 0 pushes along +x.
        joints: float64 (7,), positions of the joints of the arm that holds it (radians); ``None`` where none does.
    """

    place: np.ndarray
    yaw: float
    joints: np.ndarray | None = None


#: Of the tool that no arm holds, where it waits.
TOOL_WAITS = Posture(np.array([0.45, 0.05, 0.16]), np.pi / 2)


class Moment(NamedTuple):
    """What a picture shows.

    Attributes:
        cans: float64 (3, 7): positions of the cans' middles (metres) and orientations (x, y, z, w); NaN for those that
            are not drawn.
        posture: The arm's; ``None``: it waits beside the table.
    """

    cans: np.ndarray
    posture: Posture | None = None


def standing(positions: np.ndarray, posture: Posture | None = None) -> Moment:
    """Cans that stand upright at ``positions`` (float64 (3, 2), metres; NaN for those that are not drawn)."""
    upright = np.where(np.isnan(positions[:, :1]), np.nan, (CAN_HEIGHT / 2, 0.0, 0.0, 0.0, 1.0))
    return Moment(np.column_stack([positions, upright]), posture)
