"""The hand's room among the blocks: how far its fingers can open, and how high it passes above others."""

import numpy as np

from procgen_bench.tasks.programs.zones import BLOCK_RADIUS, RESTING_HEIGHT

#: Thickness of a finger along y, half its width along x, and the greatest displacement from the middle of its inside.
_FINGER_THICKNESS, _FINGER_HALF_WIDTH, _WIDEST = 0.014, 0.0135, 0.05
#: From a finger's joint to its inside: the joint's displacement is so much less than the distance from the middle.
_INSIDE = 0.0009
#: Room (metres) between a finger and what it must not touch; as much as there is, up to this.
_LEAST_ROOM, _GOOD_ROOM = 0.003, 0.014
#: How far from the hand's place a neighbour as high as the palm must be along x, or its side along y.
_PALM_ACROSS, _PALM_ALONG = 0.06, 0.07
#: Half the extents (x, y) round the hand within which it is above a block's centre.
_EXTENTS = np.array([0.075, 0.105])
#: Points of a way at which its surroundings are looked at.
_POINTS = np.linspace(0.0, 1.0, 24)[:, np.newaxis]


def finger_room(block: int, positions: np.ndarray, yaw: float) -> tuple[float, float]:
    """How the fingers go round a block between its neighbours.

    Args:
        block: Its index.
        positions: float64 (N, 3), all blocks' centres.
        yaw: How it is turned about z, radians.

    Returns:
        The hand's offset along y from the block's centre, and the fingers' displacement.
    """
    half, room = _half_extent(yaw), []
    others = np.delete(positions, block, axis=0) - positions[block]
    for side in (1.0, -1.0):
        free = _WIDEST + _FINGER_THICKNESS + _GOOD_ROOM
        for across, along, above in others:
            beside = abs(across) < BLOCK_RADIUS + _FINGER_HALF_WIDTH + 0.008 and abs(above) < 0.04
            if beside and side * along > 0:
                free = min(free, side * along - BLOCK_RADIUS)
        room.append(half + min(_GOOD_ROOM, max(_LEAST_ROOM, (free - _FINGER_THICKNESS - half) / 2)))
    lean = _lean(others)
    left, right = np.clip([room[0] + lean, room[1] - lean], half + _LEAST_ROOM, _WIDEST)
    return (left - right) / 2, (left + right) / 2 - _INSIDE


def _lean(others: np.ndarray) -> float:
    """How far along y to shift the palm, away from stacks (offsets (N, 3)) that it would come down on."""
    lean = 0.0
    for across, along, above in others:
        if above > 0.04 and abs(across) < _PALM_ACROSS and abs(along) > BLOCK_RADIUS:
            lean -= np.sign(along) * max(0.0, _PALM_ALONG - (abs(along) - BLOCK_RADIUS))
    return float(lean)


def travel_height(here: np.ndarray, target: np.ndarray, others: np.ndarray) -> float:
    """The highest top (metres) of ``others``, float64 (N, 3), that lies under the way from ``here`` to ``target``,
    float64 (3,), or near it."""
    return highest_top(others, here[:2] + _POINTS * (target - here)[:2], _EXTENTS)


def highest_top(blocks: np.ndarray, places: np.ndarray, extents: np.ndarray) -> float:
    """The highest top (metres) of ``blocks``, float64 (N, 3), within ``extents``, float64 (2,), of one of ``places``,
    float64 (..., 2); else the table's."""
    near = (np.abs(places.reshape(-1, 1, 2) - blocks[:, :2]) < extents).all(axis=2).any(axis=0)
    return max([RESTING_HEIGHT - BLOCK_RADIUS, *(blocks[near, 2] + BLOCK_RADIUS).tolist()])


def _half_extent(yaw: float) -> float:
    """Half a block's extent along y when it is turned."""
    return BLOCK_RADIUS * (abs(np.cos(yaw)) + abs(np.sin(yaw)))
