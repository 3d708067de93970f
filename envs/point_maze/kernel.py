"""SparsePointMaze's compiled rules over rows of mazes."""

import numpy as np
from numba import njit

from procgen_bench.envs.point_maze.observation import ACHIEVED_START, DESIRED_START, POSITION_START
from procgen_bench.envs.point_maze.outcome import judged
from procgen_bench.streams import advance, below, output
from procgen_bench.tasks.point_maze.draws import uniform
from procgen_bench.tasks.point_maze.motion import padded_index, slide
from procgen_bench.tasks.point_maze.walls import PADDED_SIDE

_LOW_32_BITS = np.uint64(0xFFFFFFFF)


@njit(cache=True)
def start_rows(
    rows,
    fresh,
    streams,
    bank_cells,
    bank_starts,
    bank_goals,
    default_cells,
    start_region,
    goal_region,
    task_cells,
    starts,
    goals,
    cells,
    positions,
    observations,
    rewards,
    terminations,
    truncations,
    successes,
    elapsed,
):
    """Begin an episode in every row of ``rows``.

    ``fresh`` rows first draw a task: from the bank if it holds any, else the default maze with a start and a goal
    uniform in their regions (float64 (2, 2), the least and the greatest x and y).
    """
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        if fresh[i] and bank_cells.shape[0] > 0:
            streams[i] = advance(streams[i])
            drawn = below(output(streams[i]) & _LOW_32_BITS, bank_cells.shape[0])
            for row in range(PADDED_SIDE):
                for column in range(PADDED_SIDE):
                    task_cells[i, row, column] = bank_cells[drawn, row, column]
            for k in range(2):
                starts[i, k], goals[i, k] = bank_starts[drawn, k], bank_goals[drawn, k]
        elif fresh[i]:
            for row in range(PADDED_SIDE):
                for column in range(PADDED_SIDE):
                    task_cells[i, row, column] = default_cells[row, column]
            for k in range(2):
                streams[i] = advance(streams[i])
                starts[i, k] = uniform(output(streams[i]), start_region[0, k], start_region[1, k])
                streams[i] = advance(streams[i])
                goals[i, k] = uniform(output(streams[i]), goal_region[0, k], goal_region[1, k])
        for row in range(PADDED_SIDE):
            for column in range(PADDED_SIDE):
                cells[i, row, column] = task_cells[i, row, column]
        for k in range(2):
            positions[i, k] = starts[i, k]
            observations[i, ACHIEVED_START + k] = starts[i, k]
            observations[i, DESIRED_START + k] = goals[i, k]
            observations[i, POSITION_START + k] = starts[i, k]
        rewards[i] = 0.0
        terminations[i] = False
        truncations[i] = False
        successes[i] = False
        elapsed[i] = 0


@njit(cache=True)
def step_rows(
    actions,
    active,
    max_episode_steps,
    distance_step,
    cells,
    positions,
    observations,
    rewards,
    terminations,
    truncations,
    successes,
    elapsed,
):
    """Advance every active row by its action (float32 (N, 2))."""
    for i in range(actions.shape[0]):
        if not active[i]:
            continue
        elapsed[i] += 1
        truncations[i] = elapsed[i] >= max_episode_steps
        x, y = positions[i, 0], positions[i, 1]
        target_x, target_y = x + actions[i, 0], y + actions[i, 1]
        column, row = padded_index(x), padded_index(y)
        target_column, target_row = padded_index(target_x), padded_index(target_y)
        x, y = slide(
            x,
            y,
            target_x,
            target_y,
            column,
            row,
            target_column,
            target_row,
            cells[i, row, column],
            cells[i, row, target_column],
            cells[i, target_row, column],
            cells[i, target_row, target_column],
        )
        positions[i, 0], positions[i, 1] = x, y
        seen_x, seen_y = np.float32(x), np.float32(y)
        observations[i, ACHIEVED_START], observations[i, ACHIEVED_START + 1] = seen_x, seen_y
        observations[i, POSITION_START], observations[i, POSITION_START + 1] = seen_x, seen_y
        goal_x, goal_y = observations[i, DESIRED_START], observations[i, DESIRED_START + 1]
        solved, rewards[i] = judged(seen_x, seen_y, goal_x, goal_y, elapsed[i] == distance_step)
        terminations[i] = solved
        successes[i] = solved
