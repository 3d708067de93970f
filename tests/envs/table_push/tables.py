"""Tables and cans' places for tests."""

import numpy as np

from procgen_bench.tasks.table_push import TablePushTask
from procgen_bench.tasks.table_push.table import BLOCK_SIDE, FLAT

NOWHERE = (np.nan, np.nan)


def table(drawn: str, *cans: tuple[float, float], goal=(0.0, 0.0), goal_range: float = 0.1) -> TablePushTask:
    """A task of a drawn table with up to three cans, places in metres."""
    lines = drawn.split()
    blocks = np.array([[".o#".index(symbol) for symbol in line] for line in lines[::-1]], np.int8).T
    places = np.array([*cans, *[NOWHERE] * (3 - len(cans))], np.float64)
    task = TablePushTask(blocks, places, np.array(goal, np.float64), goal_range)
    task.validate()
    return task


def open_table(*cans: tuple[float, float], **fields) -> TablePushTask:
    """The usual table, all flat."""
    return table("\n".join(["......"] * 4), *cans, **fields)


def random_places(task: TablePushTask, rng: np.random.Generator) -> np.ndarray:
    """Three cans anywhere on flat blocks, clear of each other, also beside edges and walls."""
    while True:
        places = rng.uniform(0.04, task.extent - 0.04, (3, 2))
        cells = np.floor(places / BLOCK_SIDE).astype(int)
        apart = min(np.hypot(*(places[i] - places[j])) for i, j in ((0, 1), (0, 2), (1, 2)))
        if (task.blocks[tuple(cells.T)] == FLAT).all() and apart > 0.07:
            return places
