"""What is observed: one block of bytes a row, its parts by name, and their space."""

import numpy as np
from gymnasium import spaces

from procgen_bench.tasks.ued_maze.task import DIRECTIONS

#: The view: columns from left to right, rows from far to near, the agent in the middle of the nearest.
VIEW_SIDE = 5
_IMAGE_SHAPE = (VIEW_SIDE, VIEW_SIDE, 3)
#: Minigrid's type and colour of a tile; its state is always 0 here, and at most 2 in Minigrid.
EMPTY_CODE, WALL_CODE, GOAL_CODE = (1, 0), (2, 5), (8, 1)
_MAX_STATE = 2

#: Bytes of a column of the view.
COLUMN_SIZE = 3 * VIEW_SIDE
DIRECTION_START = VIEW_SIDE * COLUMN_SIZE
_END = DIRECTION_START + len(DIRECTIONS)
#: Bytes of a row: whole words of eight, so that the kernel can write words.
BLOCK_SIZE = -(-_END // 8) * 8


def parts(rows: np.ndarray) -> dict[str, np.ndarray]:
    """Blocks ``rows`` (uint8 (N, 80)) as views by name."""
    return {
        "direction": rows[:, DIRECTION_START:_END],
        "image": rows[:, :DIRECTION_START].reshape(len(rows), *_IMAGE_SHAPE, copy=False),
    }


def observation_space() -> spaces.Dict:
    """The space of a row's parts."""
    greatest = np.broadcast_to(np.array([GOAL_CODE[0], WALL_CODE[1], _MAX_STATE], np.uint8), _IMAGE_SHAPE)
    return spaces.Dict(
        {
            "direction": spaces.Box(0, 1, (len(DIRECTIONS),), np.uint8),
            "image": spaces.Box(np.zeros(_IMAGE_SHAPE, np.uint8), greatest, dtype=np.uint8),
        }
    )
