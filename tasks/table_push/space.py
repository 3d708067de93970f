"""TablePushTaskSpace: 31 parameters (24 blocks, three cans' places, the goal's range) and the goal's place."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task_count import more_than
from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.tasks.table_push.suites import SUITES
from procgen_bench.tasks.table_push.table import (
    BLOCK_SIDE,
    COLUMNS,
    FLAT,
    GOAL_RADIUS,
    MAX_GOAL_RANGE,
    MAX_OFFSET,
    NUM_OBJECTS,
    ROWS,
    TARGET,
    tile_centres,
)
from procgen_bench.tasks.table_push.task import OBJECT_NAMES, TablePushTask, on_grid

NUM_TILES = ROWS * COLUMNS

_NUM_BLOCK_TYPES = 3
_MAX_LOGIT = 10.0
_CENTRES = tile_centres(ROWS, COLUMNS)
_EXTENT = np.array([ROWS, COLUMNS]) * BLOCK_SIDE
_OWN_PARAMETERS = "to have parameters"


class TablePushTaskSpace(TaskSpace[TablePushTask]):
    """TablePush's task space (APT-Gen, section A.2).

    Raw parameters, all float32:

    - ``blocks``: (6, 4, 3) in [-10, 10], logits of the block types flat, pit and roadblock; the greatest decides, the
      first of equals.
    - ``tiles``: (3, 24) in [-10, 10], by can logits of the tile that it stands on (first index of ``blocks`` * 4 +
      second). Cans are placed in their order, the target first; one whose tile is not flat, or taken by an earlier one,
      is absent.
    - ``offsets``: (3, 2) in [-0.02, 0.02], metres, by can its place from the tile's middle.
    - ``goal_range``: (1,) in [0.1, 0.6], metres: r2.
    - ``goal``: (2,), metres, anywhere on the table: the goal's middle.

    What decides are 31 parameters (24 blocks, six coordinates, the range), as in the paper, and the goal's place, which
    the paper draws beside them.

    Few uniform samples are feasible, 4.8 % of 10,000: two thirds have no target, and of the others most have it on an
    island of flat blocks, among pits and roadblocks, that ends too far from the goal.

    Tasks may also have other tables, static obstacles, and cans at other places; those have no parameters.
    """

    task_type = TablePushTask
    task_count = more_than(30)  # three types of 24 blocks, and places in float32
    suites = SUITES
    choices = frozenset({"blocks", "tiles"})
    space: ClassVar[spaces.Dict] = spaces.Dict(
        {
            "blocks": spaces.Box(-_MAX_LOGIT, _MAX_LOGIT, (ROWS, COLUMNS, _NUM_BLOCK_TYPES), np.float32),
            "goal": spaces.Box(np.zeros(2, np.float32), _EXTENT.astype(np.float32), dtype=np.float32),
            "goal_range": spaces.Box(GOAL_RADIUS, MAX_GOAL_RANGE, (1,), np.float32),
            "offsets": spaces.Box(-MAX_OFFSET, MAX_OFFSET, (NUM_OBJECTS, 2), np.float32),
            "tiles": spaces.Box(-_MAX_LOGIT, _MAX_LOGIT, (NUM_OBJECTS, NUM_TILES), np.float32),
        }
    )

    def _decode(self, params: Parameters) -> TablePushTask:
        blocks = params["blocks"].argmax(axis=-1).astype(np.int8)
        return TablePushTask(
            blocks=blocks,
            objects=_placed(blocks, params["tiles"].argmax(axis=-1), params["offsets"]),
            goal=on_grid(params["goal"]),
            goal_range=float(on_grid(params["goal_range"])[0]),
        )

    def encode(self, task: TablePushTask) -> Parameters:
        """One-hot logits (float32, as the class says); an absent can is put on the first tile that is not flat, or else
        on the first that is taken.

        Raises:
            InvalidTaskError: No parameters decode to the task: its table has another shape or static obstacles, a can
                stands too far from a tile's middle, or one is absent although no tile would make it so.
        """
        if task.blocks.shape != (ROWS, COLUMNS):
            raise InvalidTaskError("blocks' shape", task.blocks.shape, f"({ROWS}, {COLUMNS}), {_OWN_PARAMETERS}")
        if len(task.obstacles):
            raise InvalidTaskError("number of obstacles", len(task.obstacles), f"none, {_OWN_PARAMETERS}")
        tiles, offsets = np.zeros(NUM_OBJECTS, np.int64), np.zeros((NUM_OBJECTS, 2))
        not_flat = task.blocks.ravel() != FLAT
        unfit = not_flat.copy()
        for can in range(NUM_OBJECTS):
            if task.present[can]:
                tiles[can], offsets[can] = _tile_and_offset(task, can)
                if unfit[tiles[can]]:
                    raise InvalidTaskError(
                        f"tile of {OBJECT_NAMES[can]}", tiles[can], f"one to itself, {_OWN_PARAMETERS}"
                    )
                unfit[tiles[can]] = True
            elif unfit.any():
                tiles[can] = np.flatnonzero(not_flat if not_flat.any() else unfit)[0]
            else:
                raise InvalidTaskError(
                    f"position of {OBJECT_NAMES[can]}", "absent", f"a tile that makes it so, {_OWN_PARAMETERS}"
                )
        return {
            "blocks": np.eye(_NUM_BLOCK_TYPES, dtype=np.float32)[task.blocks],
            "goal": task.goal.astype(np.float32),
            "goal_range": np.array([task.goal_range], np.float32),
            "offsets": offsets.astype(np.float32),
            "tiles": np.eye(NUM_TILES, dtype=np.float32)[tiles],
        }

    def mutate(self, task: TablePushTask, rng: np.random.Generator) -> TablePushTask:
        """One of the 24 blocks, the three cans, the goal's range or its place redrawn, each equally likely.

        Raises:
            InvalidTaskError: The task has no parameters, as :meth:`encode` says.
        """
        self.encode(task)
        drawn = self.sample(rng)
        changed = int(rng.integers(NUM_TILES + NUM_OBJECTS + 2))
        if changed < NUM_TILES:
            return _with_block(task, changed, int(drawn["blocks"].argmax(axis=-1).flat[changed]))
        if changed < NUM_TILES + NUM_OBJECTS:
            can = changed - NUM_TILES
            return _with_can(task, can, int(drawn["tiles"][can].argmax()), drawn["offsets"][can])
        if changed == NUM_TILES + NUM_OBJECTS:
            return replace(task, goal_range=float(on_grid(drawn["goal_range"])[0]))
        return replace(task, goal=on_grid(drawn["goal"]))

    def shares(self, tasks: Sequence[TablePushTask], targets: Collection[TablePushTask]) -> dict[str, float]:
        """``kept_blocks``: of a single target's pits and roadblocks, that tasks have; ``kept_cans``: of its cans, that
        stand within a block's side of their places. A target on a table of another shape has neither."""
        target = next(iter(targets)) if len(targets) == 1 else None
        if target is None or target.blocks.shape != (ROWS, COLUMNS):
            return {}
        solid, there = target.blocks != FLAT, target.present
        blocks = [task.blocks[solid] == target.blocks[solid] for task in tasks]
        apart = [np.linalg.norm((task.objects - target.objects)[there], axis=1) for task in tasks]
        return {"kept_blocks": _mean(blocks), "kept_cans": _mean([own < BLOCK_SIDE for own in apart])}

    def may_be_solvable(self, task: TablePushTask) -> bool:
        """Whether the target is there; of such tasks, drawn uniformly, one in seven is feasible. More takes physics."""
        return bool(task.present[TARGET])

    def validate(self, task: TablePushTask) -> None:
        """See :meth:`TablePushTask.validate`; tasks without parameters are valid, too."""
        task.validate()


def _placed(blocks: np.ndarray, tiles: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Where cans stand whose tiles (3,) and offsets (3, 2) these are: float64 (3, 2), NaN for absent ones."""
    objects = np.full((NUM_OBJECTS, 2), np.nan)
    for can, tile in enumerate(tiles.tolist()):
        if blocks.flat[tile] == FLAT and tile not in tiles[:can]:
            objects[can] = on_grid(_CENTRES[tile] + offsets[can])
    return objects


def _with_block(task: TablePushTask, tile: int, kind: int) -> TablePushTask:
    """The task with another block; a can on one that is not flat is absent, and absent ones stay so."""
    blocks, objects = task.blocks.copy(), task.objects.copy()
    blocks.flat[tile] = kind
    for can in np.flatnonzero(task.present).tolist():
        if kind != FLAT and _tile_and_offset(task, can)[0] == tile:
            objects[can] = np.nan
    return replace(task, blocks=blocks, objects=objects)


def _with_can(task: TablePushTask, can: int, tile: int, offset: np.ndarray) -> TablePushTask:
    """The task with a can elsewhere; it is absent where the tile is not flat, or another can stands on it."""
    objects = task.objects.copy()
    others = [other for other in np.flatnonzero(task.present).tolist() if other != can]
    taken = [_tile_and_offset(task, other)[0] for other in others]
    stands = task.blocks.flat[tile] == FLAT and tile not in taken
    objects[can] = on_grid(_CENTRES[tile] + offset) if stands else np.nan
    return replace(task, objects=objects)


def _tile_and_offset(task: TablePushTask, can: int) -> tuple[int, np.ndarray]:
    tile = int(np.hypot(*(task.objects[can] - _CENTRES).T).argmin())
    offset = on_grid(task.objects[can] - _CENTRES[tile])
    if (abs(offset) > MAX_OFFSET).any():
        raise InvalidTaskError(
            f"place of {OBJECT_NAMES[can]} in its tile",
            offset.tolist(),
            f"within {MAX_OFFSET} metres, {_OWN_PARAMETERS}",
        )
    return tile, offset


def _mean(parts: list[np.ndarray]) -> float:
    """Of arrays of equal length; NaN of none."""
    return float(np.mean(parts)) if parts and parts[0].size else float("nan")
