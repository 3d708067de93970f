"""Carrying: a controller that brings one block to one place, by waypoints, from what a state tells."""

from enum import IntEnum

import numpy as np

from procgen_bench.core.errors import UnsolvedTaskError
from procgen_bench.envs.fetch_blocks.scripted.room import finger_room, highest_top, travel_height
from procgen_bench.tasks.programs.states import (
    FINGER_POSITIONS,
    FINGER_VELOCITIES,
    GRIPPER_POSITION,
    GRIPPER_VELOCITY,
    ROTATION,
    block_positions,
    split,
)
from procgen_bench.tasks.programs.zones import BLOCK_RADIUS

#: Action for each metre that is to go; an action of 1 leads the gripper by 0.05 m, of which it covers 0.033 m at most.
_GAIN = 22.0
#: Action for each metre that the fingers are to open or close, and how many times the way that they covered in the last
#: action they go on by themselves.
_FINGER_GAIN, _FINGER_DRIFT = 3.0, 1.5
_CLOSE, _OPEN = -1.0, 0.4
#: The fingers reach so far below the gripper's place.
_FINGERS_BELOW = 0.0185
#: Room (metres) that is kept over what is passed on the way, and between a block and what it is put down on.
_PASSING_ROOM, _HOVER_ROOM = 0.012, 0.01
#: The gripper takes a block so far above its centre: its palm stays higher above its neighbours.
_GRASP_ABOVE = 0.008
#: Distances (metres) at which a waypoint counts as reached: above a block or a place, in height, on the way.
_ABOVE_IT, _AT_HEIGHT, _RISEN = 0.006, 0.006, 0.012
#: A block is not let go where it would fall further (metres).
_GREATEST_FALL = 0.03
#: Fingers that are this near to what they were to open fit round the block.
_FITTING = 0.003
#: Farther from the gripper's place a block is not held (across, in height).
_HELD_ACROSS, _HELD_ABOVE = 0.025, 0.03
#: Greatest displacement of fingers that hold a block, however it is turned.
_HOLDING_FINGERS = 0.037
#: Half the extents (x, y) round a place within which a block bears another that is put there.
_BELOW = np.array([0.035, 0.035])
#: Actions that the fingers are given to close, and to open.
_CLOSING_STEPS, _OPENING_STEPS = 2, 1
#: Sinking less than this in one action (metres), the block stands on something.
_STANDS = 0.0015


#: Least and greatest x, y and z (metres) of a place over the table.
_PLACE_LOW, _PLACE_HIGH = np.array([1.05, 0.4, 0.4]), np.array([1.55, 1.1, 1.1])


def check_place(place: np.ndarray) -> None:
    """Raise :class:`UnsolvedTaskError` unless a place (float64 (3,)) to bring a block to is one over the table."""
    for axis, value, least, greatest in zip("xyz", place.tolist(), _PLACE_LOW.tolist(), _PLACE_HIGH.tolist()):
        if not least <= value <= greatest:
            raise UnsolvedTaskError(
                f"the scripted expert brings no block to {place.tolist()}: {axis} is {value}, expected {least} to "
                f"{greatest}, a place over the table"
            )


class Waypoint(IntEnum):
    """What the controller is about."""

    ABOVE = 0
    DOWN = 1
    CLOSE = 2
    CARRY = 3
    LOWER = 4
    OPEN = 5
    RETREAT = 6
    DONE = 7


class Carrying:
    """Brings ``block`` to ``place``: above it, down, close, lift and carry above what stands in between, lower, open,
    retreat. Where the place is in the air, it holds the block there. It starts again when the block slips away.

    Args:
        block: Index of the block; nothing may stand on it.
        place: float64 (3,), where its centre is to be.

    Attributes:
        waypoint: What it is about; ``DONE`` when the block has been let go and the gripper is above it.
    """

    def __init__(self, block: int, place: np.ndarray):
        self.block, self.place = block, np.array(place)
        self.waypoint: Waypoint | None = None
        self._steps = 0

    def act(self, state: np.ndarray) -> np.ndarray:
        """The next action: float64 (4,) in [-1, 1].

        Args:
            state: float64 (15 N + 10,), of N blocks; ``block`` is their index in it.
        """
        blocks, gripper = split(state)
        self._positions, self._yaw = block_positions(state), blocks[self.block, ROTATION][2]
        self._hand, self._fingers = gripper[GRIPPER_POSITION], gripper[FINGER_POSITIONS]
        self._hand_velocity, self._finger_velocities = gripper[GRIPPER_VELOCITY], gripper[FINGER_VELOCITIES]
        self._here = self._positions[self.block]
        if self.waypoint is None:
            self._go_on(Waypoint.CARRY if self._holds(self.block) else Waypoint.ABOVE)
        while (following := self._following()) is not None:
            self._go_on(following)
        self._steps += 1
        return self._action()

    def _go_on(self, waypoint: Waypoint) -> None:
        self.waypoint, self._steps = waypoint, 0

    def _holds(self, block: int) -> bool:
        """Whether the block is between the fingers."""
        offset = np.abs(self._positions[block] - self._hand)
        is_between = offset[:2].max() < _HELD_ACROSS and offset[2] < _HELD_ABOVE
        return bool(is_between and self._fingers.max() < _HOLDING_FINGERS)

    def _following(self) -> Waypoint | None:
        """The waypoint after this one, when it is reached."""
        match self.waypoint:
            case Waypoint.ABOVE if _across(self._hand, self._grasp()) < _ABOVE_IT and self._fingers_fit():
                return Waypoint.DOWN
            case Waypoint.DOWN if _across(self._hand, self._grasp()) > 4 * _ABOVE_IT:
                return Waypoint.ABOVE
            case Waypoint.DOWN if abs(self._hand[2] - self._grasp()[2]) < _AT_HEIGHT or self._stands():
                return Waypoint.CLOSE
            case Waypoint.CLOSE if self._steps >= _CLOSING_STEPS:
                return Waypoint.CARRY if self._holds(self.block) else Waypoint.ABOVE
            case Waypoint.CARRY | Waypoint.LOWER if not self._holds(self.block):
                return Waypoint.ABOVE
            case Waypoint.CARRY if _across(self._here, self.place) < _ABOVE_IT:
                return Waypoint.LOWER
            case Waypoint.LOWER if self._has_ground() and (self._here[2] < self.place[2] + 0.002 or self._stands()):
                return Waypoint.OPEN
            case Waypoint.OPEN if self._steps >= _OPENING_STEPS:
                return Waypoint.RETREAT
            case Waypoint.RETREAT if self._hand[2] > self._here[2] + BLOCK_RADIUS + _FINGERS_BELOW + _PASSING_ROOM:
                return Waypoint.DONE
        return None

    def _stands(self) -> bool:
        """Whether a hand that has been lowered does not sink any further."""
        return self._steps >= 3 and abs(self._hand_velocity[2]) < _STANDS

    def _has_ground(self) -> bool:
        """Whether the table, or a block, is just below the place."""
        others = np.delete(self._positions, self.block, axis=0)
        return self.place[2] - BLOCK_RADIUS - highest_top(others, self.place[:2], _BELOW) < _GREATEST_FALL

    def _action(self) -> np.ndarray:
        match self.waypoint:
            case Waypoint.ABOVE if any(map(self._holds, range(len(self._positions)))):
                return _action(np.zeros(3), _OPEN)
            case Waypoint.ABOVE:
                target = self._grasp()
                return self._travel(self._hand, target, self._hand[2] - _FINGERS_BELOW, self._opening())
            case Waypoint.DOWN:
                return _action(self._grasp() - self._hand, self._open(self._opening()))
            case Waypoint.CLOSE:
                return _action(np.zeros(3), _CLOSE)
            case Waypoint.CARRY:
                bottom = self._here[2] - BLOCK_RADIUS
                target = self.place + np.array([0.0, 0.0, _HOVER_ROOM])
                return self._travel(self._here, target, bottom, None)
            case Waypoint.LOWER:
                return _action(self.place - self._here, _CLOSE)
            case Waypoint.OPEN:
                return _action(np.zeros(3), self._open(self._opening()))
            case Waypoint.RETREAT:
                return _action(np.array([0.0, 0.0, 0.05]), self._open(self._opening()))
        return np.zeros(4)

    def _travel(self, here: np.ndarray, target: np.ndarray, bottom: float, opening: float | None) -> np.ndarray:
        """On the way, high enough for the lowest point of what moves to pass above everything."""
        own = self.waypoint == Waypoint.CARRY
        others = np.delete(self._positions, self.block, axis=0) if own else self._positions
        lowest = travel_height(here, target, others) + _PASSING_ROOM
        rise = max(lowest - bottom, target[2] - here[2])
        fingers = _CLOSE if opening is None else self._open(opening)
        if lowest - bottom > _RISEN:
            return _action(np.array([0.0, 0.0, rise]), fingers)
        return _action(np.array([*(target - here)[:2], rise]), fingers)

    def _grasp(self) -> np.ndarray:
        """Where the hand takes the block."""
        offset, _ = finger_room(self.block, self._positions, self._yaw)
        return self._here + np.array([0.0, offset, _GRASP_ABOVE])

    def _fingers_fit(self) -> bool:
        return bool(np.abs(self._fingers - self._opening()).max() < _FITTING)

    def _opening(self) -> float:
        return finger_room(self.block, self._positions, self._yaw)[1]

    def _open(self, opening: float) -> float:
        coming = self._fingers.mean() + _FINGER_DRIFT * self._finger_velocities.mean()
        return float(np.clip((opening - coming) * _FINGER_GAIN, -1.0, 1.0))


def _across(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.hypot(*(one - other)[:2]))


def _action(way: np.ndarray, fingers: float) -> np.ndarray:
    lead = way * _GAIN
    return np.array([*(lead / max(1.0, np.abs(lead).max())), fingers])
