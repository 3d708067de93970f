"""GridWorldTaskSpace: 74 parameters (8 x 8 tile types, ten coordinates) between a teacher and the tasks."""

from collections.abc import Collection, Sequence
from typing import ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.core.symmetries import mark_of_least
from procgen_bench.core.task_batch import TaskBatch
from procgen_bench.core.task_count import more_than
from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.tasks.grid_world.layout import are_valid, mutate_layout, place_objects
from procgen_bench.tasks.grid_world.rooms import kept_walls, needs_key
from procgen_bench.tasks.grid_world.solver import draw_solvable_layouts, lengthen, solve, wander
from procgen_bench.tasks.grid_world.suites import LARGE_SUITES, SUITES
from procgen_bench.tasks.grid_world.task import ABSENT, DOOR_1, GOAL, GridWorldLargeTask, GridWorldTask

_NUM_TILE_TYPES = 3
_MAX_LOGIT = 10.0


def _parameters(task_type: type[GridWorldTask]) -> spaces.Dict:
    side, num_objects = task_type.side, 1 + 2 * task_type.num_pairs
    return spaces.Dict(
        {
            "coordinates": spaces.Box(0.0, side + 2, (num_objects, 2), np.float32),
            "tiles": spaces.Box(-_MAX_LOGIT, _MAX_LOGIT, (side, side, _NUM_TILE_TYPES), np.float32),
        }
    )


class GridWorldTaskSpace(TaskSpace[GridWorldTask]):
    """GridWorld's task space (APT-Gen, section A.1).

    Raw parameters:

    - ``tiles``: float32 (8, 8, 3) in [-10, 10], logits of the tile types empty, wall and lava; the greatest decides,
      the first of equals.
    - ``coordinates``: float32 (5, 2) in [0, 10], x and y on the 10 x 10 map of the goal, door 1, door 2, key 1 and
      key 2. The centre of tile (i, j) is at (i + 0.5, j + 0.5), so the closest tile is the one that holds the point.
      Objects are placed in this order; one that falls on a border wall or on an earlier object does not appear.
    """

    task_type: type[GridWorldTask] = GridWorldTask
    task_count = more_than(29)  # three types of 62 tiles
    choices = frozenset({"tiles"})
    draws_solvable_quickly = True
    searches_quickly = True
    suites = SUITES
    space: ClassVar[spaces.Dict] = _parameters(GridWorldTask)

    def _decode(self, params: Parameters) -> GridWorldTask:
        cells = np.minimum(params["coordinates"].astype(np.int64), self.task_type.side + 1)
        tiles, objects = params["tiles"].argmax(axis=-1).astype(np.int8), np.empty(cells.shape, np.int8)
        place_objects(cells, tiles, objects)
        return self.task_type(tiles, objects)

    def encode(self, task: GridWorldTask) -> Parameters:
        """One-hot logits, and the centres of the objects' tiles, in the class's shapes and dtypes; absent objects are
        put on the border's corner."""
        corner = 0
        cells = np.where(task.objects == ABSENT, corner, task.objects)
        return {
            "coordinates": (cells + 0.5).astype(np.float32),
            "tiles": np.eye(_NUM_TILE_TYPES, dtype=np.float32)[task.tiles],
        }

    def draw_solvable(self, rng: np.random.Generator, count: int) -> TaskBatch[GridWorldTask]:
        """As :meth:`TaskSpace.draw_solvable`, compiled."""
        kind = self.task_type
        tiles = np.empty((count, kind.side, kind.side), np.int8)
        objects = np.empty((count, 1 + 2 * kind.num_pairs, 2), np.int8)
        draw_solvable_layouts(rng.integers(2**64, dtype=np.uint64), kind.horizon, tiles, objects)
        return TaskBatch(kind, {"tiles": tiles, "objects": objects})

    def mutate(self, task: GridWorldTask, rng: np.random.Generator) -> GridWorldTask:
        """One of the tiles or objects redrawn, each equally likely."""
        tiles, objects = task.tiles.copy(), task.objects.copy()
        mutate_layout(rng, tiles, objects, np.empty(objects.shape, np.int64))
        return self.task_type(tiles, objects)

    def wander(
        self, task: GridWorldTask, rng: np.random.Generator, mutations: int, shortest: int, longest: int
    ) -> GridWorldTask:
        """As :meth:`TaskSpace.wander`, compiled."""
        tiles, objects = task.tiles.copy(), task.objects.copy()
        wander(rng, tiles, objects, mutations, shortest, min(longest, self.task_type.horizon))
        return self.task_type(tiles, objects)

    def lengthen(self, task: GridWorldTask, rng: np.random.Generator, longest: int, patience: int) -> GridWorldTask:
        """As :meth:`TaskSpace.lengthen`, compiled."""
        tiles, objects = task.tiles.copy(), task.objects.copy()
        lengthen(rng, tiles, objects, min(longest, self.task_type.horizon), patience)
        return self.task_type(tiles, objects)

    def shares(self, tasks: Sequence[GridWorldTask], targets: Collection[GridWorldTask]) -> dict[str, float]:
        """``key_share``: of tasks that need a key; ``kept_walls``: of a single target's walls, that they have."""
        found = {"key_share": float(np.mean([needs_key(task) for task in tasks])) if tasks else float("nan")}
        if len(targets) == 1:
            (target,) = targets
            found["kept_walls"] = kept_walls(tasks, target) if tasks else float("nan")
        return found

    def symmetry_marks(self, task: GridWorldTask) -> frozenset[str]:
        """One of the layout, reflected on the diagonal through the start, its doors in any order with their keys."""
        pairs, images = task.num_pairs, []
        for tiles, objects in ((task.tiles, task.objects), (task.tiles.T, task.objects[:, ::-1])):
            doors, keys = objects[DOOR_1 : DOOR_1 + pairs], objects[DOOR_1 + pairs :]
            order = np.lexsort(np.concatenate([doors, keys], axis=1).T)
            images.append(np.concatenate([tiles.ravel(), objects[GOAL], doors[order].ravel(), keys[order].ravel()]))
        return mark_of_least(images)

    def validate_batch(self, tasks: TaskBatch[GridWorldTask]) -> None:
        """As :meth:`TaskSpace.validate_batch`, compiled."""
        if not are_valid(tasks.arrays["tiles"], tasks.arrays["objects"]):
            super().validate_batch(tasks)

    def solve(self, task: GridWorldTask) -> np.ndarray | None:
        """A shortest solution, int64 (steps,), by breadth-first search; ``None`` when there is none within the
        horizon."""
        return solve(task)


class GridWorldLargeTaskSpace(GridWorldTaskSpace):
    """The task space of ``GridWorldLarge-v0``: 16 x 16 tiles, six doors and their keys.

    Raw parameters are those of :class:`GridWorldTaskSpace`, of 256 tiles and 13 objects on an 18 x 18 map:

    - ``tiles``: float32 (16, 16, 3) in [-10, 10].
    - ``coordinates``: float32 (13, 2) in [0, 18], of the goal, doors 1 to 6 and keys 1 to 6.
    """

    task_type = GridWorldLargeTask
    task_count = more_than(121)  # three types of 254 tiles
    suites = LARGE_SUITES
    space: ClassVar[spaces.Dict] = _parameters(GridWorldLargeTask)
