"""What is observed of a table: places in metres, and the heights around every can."""

import numpy as np
from gymnasium import spaces

from procgen_bench.tasks.table_push import TablePushTask
from procgen_bench.tasks.table_push.table import (
    BLOCK_SIDE,
    DIRECTIONS,
    NUM_DIRECTIONS,
    NUM_OBJECTS,
    PIT_HEIGHT,
    PUSH_LENGTH,
    ROADBLOCK_HEIGHT,
    block_heights,
    distances_to_box,
)
from procgen_bench.tasks.table_push.task import MAX_SIDE

#: What is observed of a can that is absent or has fallen.
ABSENT = -1.0

_MAX_PLACE = MAX_SIDE * BLOCK_SIDE


def observation_space() -> spaces.Dict:
    """The space of :func:`observe`'s results."""
    return spaces.Dict(
        {
            "goal": spaces.Box(0.0, _MAX_PLACE, (2,), np.float32),
            "landscape": spaces.Box(PIT_HEIGHT, ROADBLOCK_HEIGHT, (NUM_OBJECTS, NUM_DIRECTIONS), np.float32),
            "objects": spaces.Box(ABSENT, _MAX_PLACE, (NUM_OBJECTS, 2), np.float32),
        }
    )


def observe(task: TablePushTask, positions: np.ndarray) -> dict[str, np.ndarray]:
    """The observation of a table with cans at ``positions`` (float64 (3, 2), metres; NaN for absent ones)."""
    there = ~np.isnan(positions)
    around = np.where(there, positions, 0.0)[:, None] + PUSH_LENGTH * DIRECTIONS
    landscape = np.where(there[:, :1], _heights(task, around), 0.0)
    return {
        "goal": task.goal.astype(np.float32),
        "landscape": landscape.astype(np.float32),
        "objects": np.where(there, positions, ABSENT).astype(np.float32),
    }


def _heights(task: TablePushTask, points: np.ndarray) -> np.ndarray:
    heights = block_heights(task.blocks, points)
    for box in task.obstacles:
        heights = np.where(distances_to_box(points, box) == 0.0, ROADBLOCK_HEIGHT, heights)
    return heights
