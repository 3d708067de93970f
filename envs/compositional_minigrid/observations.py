"""What is observed: one block of bytes a row, its parts by name, and their space."""

import numpy as np
from gymnasium import spaces

from procgen_bench.envs.compositional_minigrid.cells import MAX_COLOUR, MAX_STATE, MAX_TYPE
from procgen_bench.tasks.compositional_minigrid.subtasks import NUM_SUBTASKS
from procgen_bench.tasks.compositional_minigrid.task import DIRECTIONS, ROOM_SIDE

#: The library's view: columns from left to right, rows from far to near, the agent in the middle of the nearest.
VIEW_SIDE = 7
_IMAGE_SHAPE = (VIEW_SIDE, VIEW_SIDE, 3)

POSITION_START = 3 * VIEW_SIDE**2
DIRECTION_START = POSITION_START + 2
ASKED_START = DIRECTION_START + len(DIRECTIONS)
FINISHED_START = ASKED_START + NUM_SUBTASKS
_END = FINISHED_START + NUM_SUBTASKS
#: Bytes of a row: whole words of eight, so that the kernel can write words.
BLOCK_SIZE = -(-_END // 8) * 8


def parts(rows: np.ndarray) -> dict[str, np.ndarray]:
    """Blocks ``rows`` (uint8 (N, 168)) as views by name."""
    return {
        "asked": rows[:, ASKED_START:FINISHED_START],
        "direction": rows[:, DIRECTION_START:ASKED_START],
        "finished": rows[:, FINISHED_START:_END],
        "image": rows[:, :POSITION_START].reshape(len(rows), *_IMAGE_SHAPE, copy=False),
        "position": rows[:, POSITION_START:DIRECTION_START],
    }


def observation_space() -> spaces.Dict:
    """The space of a row's parts."""
    greatest = np.broadcast_to(np.array([MAX_TYPE, MAX_COLOUR, MAX_STATE], np.uint8), _IMAGE_SHAPE)
    return spaces.Dict(
        {
            "asked": spaces.Box(0, 1, (NUM_SUBTASKS,), np.uint8),
            "direction": spaces.Box(0, 1, (len(DIRECTIONS),), np.uint8),
            "finished": spaces.Box(0, 1, (NUM_SUBTASKS,), np.uint8),
            "image": spaces.Box(np.zeros(_IMAGE_SHAPE, np.uint8), greatest, dtype=np.uint8),
            "position": spaces.Box(1, ROOM_SIDE, (2,), np.uint8),
        }
    )
