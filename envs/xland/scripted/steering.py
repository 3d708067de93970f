"""Steering: the whole numbers by which a player comes closest to a motion, a turn, a look."""

import math

from procgen_bench.envs.xland.actions import LOOK_SPEEDS, MOVE_SPEEDS, STRAFE_SPEEDS, TURN_SPEEDS, WALK_SPEED
from procgen_bench.envs.xland.model import STEP_SECONDS

#: Radians of a step, by the choice of turn and of look.
_TURNS, _LOOKS = (TURN_SPEEDS * STEP_SECONDS).tolist(), (LOOK_SPEEDS * STEP_SECONDS).tolist()
#: How far a step of walking carries on (seconds of the speed it ends with).
_RUN_OUT = 0.07


def _paces() -> list[tuple[int, int, float, float]]:
    """Choices of move and strafe, and the metres forwards and to the right that a step of them goes."""
    found = []
    for move, ahead in enumerate(MOVE_SPEEDS.tolist()):
        for strafe, aside in enumerate(STRAFE_SPEEDS.tolist()):
            scale = STEP_SECONDS * WALK_SPEED / max(math.hypot(ahead, aside), WALK_SPEED)
            found.append((move, strafe, scale * ahead, scale * aside))
    return sorted(found, key=lambda pace: math.hypot(*pace[2:]))


_PACES = _paces()
_STRIDE = WALK_SPEED * STEP_SECONDS


def wrap(angle: float) -> float:
    """An angle between -pi and pi."""
    return (angle + math.pi) % (2 * math.pi) - math.pi


def turn_choice(error: float, greatest: int = 3) -> int:
    """The choice of turn that comes closest to ``error`` (radians to the left), at most the ``greatest`` of three."""
    return min(range(3 - greatest, 4 + greatest), key=lambda choice: abs(_TURNS[choice] - error))


def look_choice(error: float, greatest: int = 2) -> int:
    """The choice of look that comes closest to ``error`` (radians upwards), at most the ``greatest`` of two."""
    return min(range(2 - greatest, 3 + greatest), key=lambda choice: abs(_LOOKS[choice] - error))


def pace_choice(yaw: float, east: float, north: float, velocity: tuple[float, float], stops: bool) -> tuple[int, int]:
    """The choices of move and strafe that bring a player closest to a point.

    Args:
        yaw: Of the player (radians).
        east, north: To the point (metres).
        velocity: East and north (metres per second).
        stops: Whether the player is to stop there.
    """
    length = math.hypot(east, north)
    if stops:
        east, north = east - _RUN_OUT * velocity[0], north - _RUN_OUT * velocity[1]
        length = math.hypot(east, north)
    if length > _STRIDE or (length > 1e-9 and not stops):
        east, north = east * _STRIDE / length, north * _STRIDE / length
    cos, sin = math.cos(yaw), math.sin(yaw)
    ahead, aside = cos * east + sin * north, sin * east - cos * north
    best = min(_PACES, key=lambda pace: (pace[2] - ahead) ** 2 + (pace[3] - aside) ** 2)
    return best[0], best[1]


def bearing(east: float, north: float, up: float) -> tuple[float, float]:
    """Yaw and pitch (radians) towards a point that lies there (metres)."""
    return math.atan2(north, east), math.atan2(up, math.hypot(east, north))
