"""How tables of the suites are drawn: uniformly, or until the shortest plan has a certain length."""

from typing import Any

import numpy as np

from procgen_bench.tasks.table_push.task import TablePushTask
from procgen_bench.tasks.table_push.tiles import tile_plan

#: Mutations in a row that do not lengthen a table before the search starts over from another one.
_PATIENCE = 300


def draw_uniform(space: Any, rng: np.random.Generator) -> TablePushTask:
    """A task of uniform parameters."""
    return space.decode(space.sample(rng))


def draw_of_length(space: Any, length: int, rng: np.random.Generator) -> tuple[TablePushTask, np.ndarray]:
    """A task whose shortest plan has exactly ``length`` pushes, and that plan (int64 (length,)).

    A uniform table is mutated until its plan on tiles, which takes no physics, is that long; where the space's solver
    finds another length, it is another table's turn.

    Raises:
        MissingExtraError: The simulator in which the space solves is not installed.
    """
    on_tiles = type(space)(tile_plan)
    while True:
        task = on_tiles.lengthen(draw_uniform(space, rng), rng, length, _PATIENCE)
        if on_tiles.solution_length(task) == length:
            plan = space.solve(task)
            if plan is not None and len(plan) == length:
                return task, plan
