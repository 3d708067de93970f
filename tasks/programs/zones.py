"""The table of the four blocks: how high blocks lie, their colours, and the two coloured zones."""

from typing import NamedTuple

import numpy as np

#: Half the side of a block, which the paper calls its radius; metres, as all lengths here.
BLOCK_RADIUS = 0.025
#: Height of a block's centre when it lies on the table.
RESTING_HEIGHT = 0.425
#: Radius of the spheres round ideal places in which blocks count as there.
DISTANCE_THRESHOLD = 0.05

#: The part of the table that the arm reaches with its hand upright: least and greatest x and y.
#: (The table itself is 0.5 by 0.7 round the same centre; towards its far corners the hand tilts by up to 20 degrees.)
REACH_LOW, REACH_HIGH = np.array([1.15, 0.45]), np.array([1.45, 1.05])

COLOURS = ("ORANGE", "BLUE")
#: Places in ``COLOURS`` of block 0, 1, ...; tasks of fewer blocks have the first of them.
BLOCK_COLOURS = (0, 0, 1, 1, 0, 1)


class Zone(NamedTuple):
    """A square on the table.

    Attributes:
        colour: One of ``COLOURS``.
        centre: x and y, metres.
        half_side: Half its side, metres.
    """

    colour: str
    centre: tuple[float, float]
    half_side: float


#: In the order of ``COLOURS``: to the right and to the left of the gripper's place at the start, which is (1.34, 0.75).
ZONES = (Zone("ORANGE", (1.30, 0.57), 0.11), Zone("BLUE", (1.30, 0.93), 0.11))

#: A place is free for a block when every other block is at least so far away along x or along y (the fingers' axis).
PLACE_CLEARANCE = (0.058, 0.085)


def _zone_places(zone: Zone) -> np.ndarray:
    """Places (25, 2) for blocks in a zone, from the corners inwards.

    They stay away from the edges by the threshold: what lies in the sphere of a place lies in the zone.
    """
    reach = zone.half_side - DISTANCE_THRESHOLD
    steps = np.linspace(-reach, reach, 5)
    offsets = sorted(((x, y) for x in steps for y in steps), key=lambda offset: -abs(offset[0]) - abs(offset[1]))
    return np.array(zone.centre) + np.array(offsets)


#: Centres (2, 2) and half sides (2,) of the zones, and the places (2, 25, 2) that a block can be given in each.
ZONE_CENTRES = np.array([zone.centre for zone in ZONES])
ZONE_HALF_SIDES = np.array([zone.half_side for zone in ZONES])
ZONE_PLACES = np.stack([_zone_places(zone) for zone in ZONES])
