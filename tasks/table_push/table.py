"""The table of building blocks, its cans and its pushes: measures in metres, and what stands where.

Coordinates have their origin in a corner of the table; x runs along the first index of ``blocks`` (90 cm on the usual
table), y along the second (60 cm), z is 0 on the blocks' upper faces.
"""

import numpy as np

#: Side of a building block.
BLOCK_SIDE = 0.15
#: Blocks of the usual table along x and y.
ROWS, COLUMNS = 6, 4
#: Types of blocks.
FLAT, PIT, ROADBLOCK = 0, 1, 2
#: How far a roadblock rises above the table, and where the bottom of a pit is.
ROADBLOCK_HEIGHT, PIT_HEIGHT = 0.10, -0.15

NUM_OBJECTS = 3
#: The can that belongs on the goal.
TARGET = 0
CAN_RADIUS, CAN_HEIGHT = 0.033, 0.10
#: How far a can of the space stands from its tile's centre at most, along x and along y.
MAX_OFFSET = 0.02

#: Radius r1 of the goal, and greatest radius r2 of the range in which progress is rewarded.
GOAL_RADIUS, MAX_GOAL_RANGE = 0.10, 0.60
#: How far a push moves a can that nothing stops: by one block.
PUSH_LENGTH = BLOCK_SIDE
#: Pushes of an episode.
HORIZON = 15

#: Directions of pushes as steps along x and y, in the order of the actions.
DIRECTIONS = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)])
NUM_DIRECTIONS = len(DIRECTIONS)
NUM_ACTIONS = NUM_OBJECTS * NUM_DIRECTIONS

_HEIGHTS = np.array([0.0, PIT_HEIGHT, ROADBLOCK_HEIGHT])


def tile_centres(rows: int, columns: int) -> np.ndarray:
    """Centres of the blocks: float64 (rows * columns, 2), the last index of ``blocks`` running fastest."""
    places = np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"), axis=-1)
    return (places.reshape(-1, 2) + 0.5) * BLOCK_SIDE


def block_heights(blocks: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Heights (metres) of the table of ``blocks``, int8 (rows, columns), at ``points``, float64 (..., 2), metres:
    float64 (...); beside the table it is as low as in a pit."""
    cells = np.floor(np.asarray(points) / BLOCK_SIDE).astype(np.int64)
    inside = np.all((cells >= 0) & (cells < blocks.shape), axis=-1)
    kinds = blocks[tuple(np.where(inside[..., None], cells, 0).T)].T
    return np.where(inside, _HEIGHTS[kinds], PIT_HEIGHT)


def distances_to_box(points: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Distances (metres) of ``points``, float64 (..., 2), from a box on the table, 0 inside: float64 (...).

    Args:
        points: In metres.
        box: float64 (5,): x and y of its centre, half its length and width, and the angle by which it is turned
            (radians).
    """
    x, y, half_length, half_width, angle = box
    offsets = np.asarray(points) - (x, y)
    cos, sin = np.cos(angle), np.sin(angle)
    along, across = offsets @ (cos, sin), offsets @ (-sin, cos)
    return np.hypot(np.maximum(abs(along) - half_length, 0.0), np.maximum(abs(across) - half_width, 0.0))


def block_box(row: int, column: int) -> np.ndarray:
    """The block's outline as a box of :func:`distances_to_box`, float64 (5,), metres."""
    half = BLOCK_SIDE / 2
    return np.array([(row + 0.5) * BLOCK_SIDE, (column + 0.5) * BLOCK_SIDE, half, half, 0.0])
