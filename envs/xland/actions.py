"""What players can do in a step, as six whole numbers (A.5): speeds by the number of each action."""

import math

import numpy as np
from gymnasium import spaces

from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import InvalidActionError

#: Number of choices: move, strafe, turn, look, grab, use the gadget.
ACTION_CHOICES = (3, 5, 7, 5, 2, 2)
MOVE, STRAFE, TURN, LOOK, GRAB, GADGET = range(len(ACTION_CHOICES))
#: The action that does nothing.
NOOP = (1, 2, 3, 2, 0, 0)

#: Greatest speed of walking in any direction, metres per second.
WALK_SPEED = 3.0
#: Metres per second forwards, by the choice of ``move``: back, not, forwards.
MOVE_SPEEDS = WALK_SPEED * np.array([-1.0, 0.0, 1.0])
#: Metres per second to the right, by the choice of ``strafe``.
STRAFE_SPEEDS = WALK_SPEED * np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
#: Radians per second to the left (anticlockwise), by the choice of ``turn``: 24, 8 or 2 degrees a step.
TURN_SPEEDS = np.radians([-180.0, -60.0, -15.0, 0.0, 15.0, 60.0, 180.0])
#: Radians per second upwards, by the choice of ``look``: 12 or 4 degrees a step.
LOOK_SPEEDS = np.radians([-90.0, -30.0, 0.0, 30.0, 90.0])
#: A camera looks up or down by at most this angle (radians).
GREATEST_PITCH = math.radians(80.0)


def action_space() -> spaces.MultiDiscrete:
    """A new space of the actions of one player."""
    return spaces.MultiDiscrete(list(ACTION_CHOICES), dtype=np.int8)  # type: ignore[arg-type]  # Gymnasium's stub: int64


def check_actions(actions: np.ndarray, num_players: int) -> np.ndarray:
    """The actions of all players as int64 (P, 6).

    Raises:
        InvalidActionError: They have another shape, are no whole numbers, or one is out of its range.
    """
    expected = num_players, len(ACTION_CHOICES)
    try:
        given = np.asarray(actions)
    except ValueError:  # lists of different lengths
        raise InvalidActionError(f"actions are {actions!r}, expected whole numbers {expected}") from None
    if given.dtype.kind not in "iu" or given.shape != expected:
        raise InvalidActionError(f"actions are {given.dtype} {given.shape}, expected whole numbers {expected}")
    actions = given.astype(np.int64)
    invalid = _first_invalid(actions)
    if invalid >= 0:
        p, kind = divmod(invalid, len(ACTION_CHOICES))
        value, most = int(given[p, kind]), ACTION_CHOICES[kind] - 1
        raise InvalidActionError(f"actions[{p}, {kind}] is {value}, expected 0 to {most}")
    return actions


@njit
def _first_invalid(actions):
    """Place of the first action out of its range, -1 if there is none."""
    for p in range(actions.shape[0]):
        for kind in range(actions.shape[1]):
            if not 0 <= actions[p, kind] < ACTION_CHOICES[kind]:
                return p * actions.shape[1] + kind
    return -1
