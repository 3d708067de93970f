"""SparsePointMaze's compiled rules over rows of mazes."""

from procgen_bench.core.compiled import njit
from procgen_bench.core.streams import draw_below
from procgen_bench.envs.point_maze.point_kernel import begin_at_starts, end_steps
from procgen_bench.tasks.point_maze.draws import draw_uniform
from procgen_bench.tasks.point_maze.motion import padded_index, slide
from procgen_bench.tasks.point_maze.walls import PADDED_SIDE


@njit
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
    outcomes,
):
    """Begin an episode in every row of ``rows``.

    ``fresh`` rows first draw a task: from the bank if it holds any, else the default maze with a start and a goal
    uniform in their regions (float64 (2, 2), the least and the greatest x and y).
    """
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        if fresh[i] and bank_cells.shape[0] > 0:
            streams[i], drawn = draw_below(streams[i], bank_cells.shape[0])
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
                streams[i], starts[i, k] = draw_uniform(streams[i], start_region[0, k], start_region[1, k])
                streams[i], goals[i, k] = draw_uniform(streams[i], goal_region[0, k], goal_region[1, k])
        for row in range(PADDED_SIDE):
            for column in range(PADDED_SIDE):
                cells[i, row, column] = task_cells[i, row, column]
    begin_at_starts(rows, starts, goals, positions, observations, outcomes)


@njit
def step_rows(actions, active, max_episode_steps, distance_step, cells, positions, observations, distances, outcomes):
    """Advance every active row by its action (float32 (N, 2))."""
    for i in range(actions.shape[0]):
        if not active[i]:
            continue
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
    end_steps(active, max_episode_steps, distance_step, positions, observations, distances, outcomes)
