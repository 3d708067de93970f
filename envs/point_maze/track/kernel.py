"""The track's compiled rules over rows of agents."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.streams import advance, draw_below, output
from procgen_bench.envs.point_maze.point_kernel import begin_at_starts, end_steps
from procgen_bench.tasks.point_maze.draws import normal_pair
from procgen_bench.tasks.point_maze.track.motion import travel
from procgen_bench.tasks.point_maze.track.ring import RADIUS

#: Around which starts are drawn; goals around the point that mirrors it below the x axis.
START_X, START_Y = RADIUS * math.cos(math.radians(30)), RADIUS * math.sin(math.radians(30))
#: Standard deviation of the motion from there, on each axis.
NOISE = 0.1


@njit
def start_rows(rows, fresh, streams, bank_starts, bank_goals, starts, goals, positions, observations, outcomes):
    """Begin an episode in every row of ``rows``; ``fresh`` rows first draw a task, from the bank if it holds any."""
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        if fresh[i] and bank_starts.shape[0] > 0:
            streams[i], drawn = draw_below(streams[i], bank_starts.shape[0])
            for k in range(2):
                starts[i, k], goals[i, k] = bank_starts[drawn, k], bank_goals[drawn, k]
        elif fresh[i]:
            starts[i, 0], starts[i, 1], streams[i] = _drawn_near(START_X, START_Y, streams[i])
            goals[i, 0], goals[i, 1], streams[i] = _drawn_near(START_X, -START_Y, streams[i])
    begin_at_starts(rows, starts, goals, positions, observations, outcomes)


@njit
def _drawn_near(x, y, stream):
    """Where a normally distributed motion from (x, y) on the track leads, and the stream after its two draws."""
    one = advance(stream)
    other = advance(one)
    away_x, away_y = normal_pair(output(one), output(other))
    new_x, new_y = travel(x, y, NOISE * away_x, NOISE * away_y)
    return new_x, new_y, other


@njit
def step_rows(actions, active, max_episode_steps, distance_step, positions, observations, distances, outcomes):
    """Advance every active row by its action (float32 (N, 2))."""
    for i in range(actions.shape[0]):
        if not active[i]:
            continue
        action_x, action_y = np.float64(actions[i, 0]), np.float64(actions[i, 1])
        x, y = travel(positions[i, 0], positions[i, 1], action_x, action_y)
        positions[i, 0], positions[i, 1] = x, y
    end_steps(active, max_episode_steps, distance_step, positions, observations, distances, outcomes)
