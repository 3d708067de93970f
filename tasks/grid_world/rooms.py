"""Whether rooms close: how many grid worlds need a key, and how much of a target's walls others have."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.tasks.grid_world.solver import shortest_length
from procgen_bench.tasks.grid_world.task import ABSENT, DOOR_1, WALL, GridWorldTask


def needs_key(task: GridWorldTask) -> bool:
    """Whether there is a way to the goal, and none that takes no key; however long."""
    without_keys = task.objects.copy()
    without_keys[DOOR_1 + task.num_pairs :] = ABSENT
    return shortest_length(task.tiles, task.objects) > 0 and shortest_length(task.tiles, without_keys) == 0


def kept_walls(tasks: Sequence[GridWorldTask], target: GridWorldTask) -> float:
    """Share of the target's walls that are walls in the tasks, which are at least one; NaN where it has none."""
    walls = target.tiles == WALL
    return float(np.mean([task.tiles[walls] == WALL for task in tasks])) if walls.any() else float("nan")
