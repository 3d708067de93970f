"""GridWorld's compiled rules over rows of worlds.

Every row's map is kept inside a margin of three wall cells, so that a 7 x 7 view never leaves it: 16 x 16 cells of a
10 x 10 map. A cell holds its tile type in the two lowest bits and, above them, the object that stands on it
(0 for none, else the object's index plus one).
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.streams import draw_below
from procgen_bench.engine.outcomes import begin, count_steps
from procgen_bench.tasks.grid_world.layout import draw_layout
from procgen_bench.tasks.grid_world.solver import MOVES, draw_solvable_layouts
from procgen_bench.tasks.grid_world.task import (
    ABSENT,
    DOOR_1,
    EMPTY,
    GOAL,
    LAVA,
    START,
    WALL,
)

VIEW_SIDE = 7
#: Wall cells around the map, the view's reach.
MARGIN = VIEW_SIDE // 2

#: Numbers of one observation: position, view, and two for each object, its relative position.
POSITION_START, VIEW_START, OBJECTS_START = 0, 2, 51

TILE_MASK, OBJECT_SHIFT = 3, 2

GOAL_REWARD = 1.0
STARTED_ON_GOAL_PENALTY = 1.0
DEATH_PENALTY = 0.5
WALL_PENALTY = 0.001
TIME_PENALTY = 0.001

_GOAL_CELL = GOAL + 1
_DOOR_CELL = DOOR_1 + 1


@njit
def draw_solvable_rows(rows, streams, horizon, tiles, objects):
    """Draw a layout that can be solved from its stream into every row of ``rows``."""
    for i in range(rows.shape[0]):
        if rows[i]:
            streams[i] = draw_solvable_layouts(streams[i], horizon, tiles[i : i + 1], objects[i : i + 1])


@njit
def start_rows(
    rows, fresh, streams, bank_tiles, bank_objects, tiles, objects, cells, positions, places, observations, outcomes
):
    """Begin an episode in every row of ``rows``; ``fresh`` rows first draw a task, from the bank if it holds any."""
    begin(outcomes, rows)
    side, num_objects = tiles.shape[1], objects.shape[1]
    shown = 2 * num_objects  # where a row of places says which objects are present
    chosen = np.empty((num_objects, 2), np.int64)
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        if fresh[i] and bank_tiles.shape[0] > 0:
            streams[i], drawn = draw_below(streams[i], bank_tiles.shape[0])
            for y in range(side):
                for x in range(side):
                    tiles[i, y, x] = bank_tiles[drawn, y, x]
            for k in range(num_objects):
                objects[i, k, 0], objects[i, k, 1] = bank_objects[drawn, k, 0], bank_objects[drawn, k, 1]
        elif fresh[i]:
            streams[i] = draw_layout(streams[i], tiles[i], objects[i], chosen)
        for y in range(side):
            for x in range(side):
                cells[i, y + MARGIN + 1, x + MARGIN + 1] = tiles[i, y, x]
        positions[i, 0], positions[i, 1] = START
        for k in range(num_objects):
            x, y = objects[i, k, 0], objects[i, k, 1]
            if x == ABSENT:
                # Places are subtracted from under a mask, so an absent object's must be finite only.
                places[i, 2 * k], places[i, 2 * k + 1] = 0, 0
                places[i, shown + 2 * k], places[i, shown + 2 * k + 1] = 0, 0
            else:
                cells[i, y + MARGIN, x + MARGIN] = EMPTY | (k + 1) << OBJECT_SHIFT
                places[i, 2 * k], places[i, 2 * k + 1] = x, y
                places[i, shown + 2 * k], places[i, shown + 2 * k + 1] = 1, 1
        for k in range(2):
            observations[i, k] = positions[i, k]
        for k in range(VIEW_SIDE):
            for j in range(VIEW_SIDE):
                cell = cells[i, START[1] + k, START[0] + j]
                observations[i, VIEW_START + VIEW_SIDE * k + j] = cell & TILE_MASK
        for k in range(2 * num_objects):
            relative = (places[i, k] - positions[i, k & 1]) * places[i, shown + k]
            observations[i, OBJECTS_START + k] = relative


# No helper that takes arrays is called for a single row: that costs reference counting (see
# procgen_bench/engine/outcomes.py).
@njit
def step_rows(actions, active, max_episode_steps, cells, positions, places, observations, outcomes):
    """Advance every active row by its action; only the observations of rows whose agent moved are rewritten."""
    count_steps(outcomes, active, max_episode_steps)
    num_objects = places.shape[1] // 4
    shown, num_pairs = 2 * num_objects, num_objects // 2
    key_cell = _DOOR_CELL + num_pairs
    rewards, terminations, _, successes, _ = outcomes
    for i in range(actions.shape[0]):
        if not active[i]:
            continue
        old_x, old_y = np.int64(positions[i, 0]), np.int64(positions[i, 1])
        if cells[i, old_y + MARGIN, old_x + MARGIN] >> OBJECT_SHIFT == _GOAL_CELL:
            rewards[i] = -STARTED_ON_GOAL_PENALTY - TIME_PENALTY
            terminations[i] = True
            continue
        x, y = old_x + MOVES[actions[i], 0], old_y + MOVES[actions[i], 1]
        cell = cells[i, y + MARGIN, x + MARGIN]
        tile, thing = cell & TILE_MASK, cell >> OBJECT_SHIFT
        if tile == WALL:
            rewards[i] = -WALL_PENALTY - TIME_PENALTY
            terminations[i] = False
            continue
        if tile == LAVA or _DOOR_CELL <= thing < key_cell:
            rewards[i] = -DEATH_PENALTY - TIME_PENALTY
            terminations[i] = True
            continue
        solved = thing == _GOAL_CELL
        rewards[i] = GOAL_REWARD - TIME_PENALTY if solved else -TIME_PENALTY
        terminations[i] = solved
        successes[i] = solved
        if thing >= key_cell:
            cells[i, y + MARGIN, x + MARGIN] = EMPTY
            key = thing - 1
            door = key - num_pairs
            if places[i, shown + 2 * door] != 0:
                door_x, door_y = np.int64(places[i, 2 * door]), np.int64(places[i, 2 * door + 1])
                cells[i, door_y + MARGIN, door_x + MARGIN] = EMPTY
            places[i, shown + 2 * key], places[i, shown + 2 * key + 1] = 0, 0
            places[i, shown + 2 * door], places[i, shown + 2 * door + 1] = 0, 0
        positions[i, 0], positions[i, 1] = x, y
        observations[i, 0], observations[i, 1] = x, y
        # Unsigned indices spare the check for negative ones, which would keep the copies from being vectorised.
        left, top = np.uint64(x), np.uint64(y)
        for k in range(VIEW_SIDE):
            row = top + np.uint64(k)
            place = np.uint64(VIEW_START + VIEW_SIDE * k)
            for j in range(VIEW_SIDE):
                observations[i, place + np.uint64(j)] = cells[i, row, left + np.uint64(j)] & TILE_MASK
        at_x, at_y = np.float32(x), np.float32(y)
        for k in range(num_objects):
            observations[i, OBJECTS_START + 2 * k] = (places[i, 2 * k] - at_x) * places[i, shown + 2 * k]
            relative_y = (places[i, 2 * k + 1] - at_y) * places[i, shown + 2 * k + 1]
            observations[i, OBJECTS_START + 2 * k + 1] = relative_y
