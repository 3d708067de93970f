"""The track's compiled rules over rows of agents."""

import math

import numpy as np
from numba import njit

from procgen_bench.envs.point_maze.observation import ACHIEVED_START, DESIRED_START, POSITION_START
from procgen_bench.envs.point_maze.outcome import judged
from procgen_bench.streams import advance, below, output
from procgen_bench.tasks.point_maze.draws import normal_pair
from procgen_bench.tasks.point_maze.track.motion import travel
from procgen_bench.tasks.point_maze.track.ring import RADIUS

#: Around which starts are drawn; goals around the point that mirrors it below the x axis.
START_X, START_Y = RADIUS * math.cos(math.radians(30)), RADIUS * math.sin(math.radians(30))
#: Standard deviation of the motion from there, on each axis.
NOISE = 0.1

_LOW_32_BITS = np.uint64(0xFFFFFFFF)


@njit(cache=True)
def start_rows(
    rows,
    fresh,
    streams,
    bank_starts,
    bank_goals,
    starts,
    goals,
    positions,
    observations,
    rewards,
    terminations,
    truncations,
    successes,
    elapsed,
):
    """Begin an episode in every row of ``rows``; ``fresh`` rows first draw a task, from the bank if it holds any."""
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        if fresh[i] and bank_starts.shape[0] > 0:
            streams[i] = advance(streams[i])
            drawn = below(output(streams[i]) & _LOW_32_BITS, bank_starts.shape[0])
            for k in range(2):
                starts[i, k], goals[i, k] = bank_starts[drawn, k], bank_goals[drawn, k]
        elif fresh[i]:
            starts[i, 0], starts[i, 1], streams[i] = _drawn_near(START_X, START_Y, streams[i])
            goals[i, 0], goals[i, 1], streams[i] = _drawn_near(START_X, -START_Y, streams[i])
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
def _drawn_near(x, y, stream):
    """Where a normally distributed motion from (x, y) on the track leads, and the stream after its two draws."""
    one = advance(stream)
    other = advance(one)
    away_x, away_y = normal_pair(output(one), output(other))
    new_x, new_y = travel(x, y, NOISE * away_x, NOISE * away_y)
    return new_x, new_y, other


@njit(cache=True)
def step_rows(
    actions,
    active,
    max_episode_steps,
    distance_step,
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
        action_x, action_y = np.float64(actions[i, 0]), np.float64(actions[i, 1])
        x, y = travel(positions[i, 0], positions[i, 1], action_x, action_y)
        positions[i, 0], positions[i, 1] = x, y
        seen_x, seen_y = np.float32(x), np.float32(y)
        observations[i, ACHIEVED_START], observations[i, ACHIEVED_START + 1] = seen_x, seen_y
        observations[i, POSITION_START], observations[i, POSITION_START + 1] = seen_x, seen_y
        goal_x, goal_y = observations[i, DESIRED_START], observations[i, DESIRED_START + 1]
        solved, rewards[i] = judged(seen_x, seen_y, goal_x, goal_y, elapsed[i] == distance_step)
        terminations[i] = solved
        successes[i] = solved
