"""The compiled rules that are the same in every world of points: what agents observe, and what their steps earn."""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.engine.outcomes import begin, count_steps, score_goal_step
from procgen_bench.tasks.point_maze.distance import observed_distance
from procgen_bench.tasks.point_maze.task import GOAL_RADIUS

#: Numbers of one observation: what is achieved, what is desired, and the position (what has been achieved, too).
ACHIEVED_START, DESIRED_START, POSITION_START, OBSERVATION_SIZE = 0, 2, 4, 6


@njit
def begin_at_starts(rows, starts, goals, positions, observations, outcomes):
    """Begin an episode in every row of ``rows``: its agent is at the start and sees the goal."""
    begin(outcomes, rows)
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        for k in range(2):
            positions[i, k] = starts[i, k]
            observations[i, ACHIEVED_START + k] = starts[i, k]
            observations[i, DESIRED_START + k] = goals[i, k]
            observations[i, POSITION_START + k] = starts[i, k]


@njit
def end_steps(active, max_episode_steps, distance_step, positions, observations, distances, outcomes):
    """Count a step of every active row, whose agent has moved, and write what it sees and earns."""
    for i in range(active.shape[0]):
        if not active[i]:
            continue
        x, y = np.float32(positions[i, 0]), np.float32(positions[i, 1])
        observations[i, ACHIEVED_START], observations[i, ACHIEVED_START + 1] = x, y
        observations[i, POSITION_START], observations[i, POSITION_START + 1] = x, y
        distances[i] = observed_distance(x, y, observations[i, DESIRED_START], observations[i, DESIRED_START + 1])
    count_steps(outcomes, active, max_episode_steps)
    score_goal_step(outcomes, active, distances, GOAL_RADIUS, distance_step)
