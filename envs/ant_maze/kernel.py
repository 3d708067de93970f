"""SparseAntMaze's compiled parts: draws of tasks, observations, and what a step earns. The physics is MuJoCo's."""

import numpy as np
from numba import njit

from procgen_bench.envs.ant_maze.physics import NUM_POSITIONS, NUM_VELOCITIES
from procgen_bench.streams import advance, below, output
from procgen_bench.tasks.ant_maze.task import GOAL_RADIUS
from procgen_bench.tasks.point_maze.draws import uniform

#: Numbers of one observation: what has been achieved, what is desired, and the state: positions, velocities, time.
ACHIEVED_START, DESIRED_START, STATE_START = 0, 2, 4
VELOCITY_START = STATE_START + NUM_POSITIONS
TIME_PLACE = VELOCITY_START + NUM_VELOCITIES
OBSERVATION_SIZE = TIME_PLACE + 1

SUCCESS_REWARD = 1.0

_LOW_32_BITS = np.uint64(0xFFFFFFFF)


@njit(cache=True)
def draw_tasks(fresh, streams, bank_starts, bank_goals, start_region, goal_region, starts, goals):
    """Draw a start and a goal in every row of ``fresh``, from its stream.

    From the bank if it holds any tasks, else uniform in the regions (float64 (2, 2), the least and the greatest x, y).
    """
    for i in range(fresh.shape[0]):
        if not fresh[i]:
            continue
        if bank_starts.shape[0] > 0:
            streams[i] = advance(streams[i])
            drawn = below(output(streams[i]) & _LOW_32_BITS, bank_starts.shape[0])
            for k in range(2):
                starts[i, k], goals[i, k] = bank_starts[drawn, k], bank_goals[drawn, k]
        else:
            for k in range(2):
                streams[i] = advance(streams[i])
                starts[i, k] = uniform(output(streams[i]), start_region[0, k], start_region[1, k])
                streams[i] = advance(streams[i])
                goals[i, k] = uniform(output(streams[i]), goal_region[0, k], goal_region[1, k])


@njit(cache=True)
def begin_rows(
    rows, positions, velocities, goals, observations, rewards, terminations, truncations, successes, elapsed
):
    """Write the first observation of every row of ``rows``, whose ant has been placed."""
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        for k in range(2):
            observations[i, DESIRED_START + k] = goals[i, k]
        _observe(positions[i], velocities[i], 0.0, observations[i])
        rewards[i] = 0.0
        terminations[i] = False
        truncations[i] = False
        successes[i] = False
        elapsed[i] = 0


@njit(cache=True)
def end_step(
    active,
    max_episode_steps,
    distance_step,
    horizon,
    positions,
    velocities,
    observations,
    rewards,
    terminations,
    truncations,
    successes,
    elapsed,
):
    """Count a step of every active row, whose ant has moved, and write what it sees and earns."""
    for i in range(active.shape[0]):
        if not active[i]:
            continue
        elapsed[i] += 1
        truncations[i] = elapsed[i] >= max_episode_steps
        _observe(positions[i], velocities[i], elapsed[i] / horizon, observations[i])
        distance = _distance(positions[i], observations[i])
        solved = distance <= GOAL_RADIUS
        if solved:
            rewards[i] = SUCCESS_REWARD
        elif elapsed[i] == distance_step:
            rewards[i] = -distance
        else:
            rewards[i] = 0.0
        terminations[i] = solved
        successes[i] = solved


@njit(cache=True)
def leave_arrived(rows, positions, observations):
    """Take those rows out of ``rows`` whose ant is at its goal; returns whether any is left."""
    left = False
    for i in range(rows.shape[0]):
        if rows[i]:
            rows[i] = _distance(positions[i], observations[i]) > GOAL_RADIUS
            left |= rows[i]
    return left


@njit(cache=True)
def _observe(position, velocity, time, observation):
    for k in range(2):
        observation[ACHIEVED_START + k] = position[k]
    for k in range(NUM_POSITIONS):
        observation[STATE_START + k] = position[k]
    for k in range(NUM_VELOCITIES):
        observation[VELOCITY_START + k] = velocity[k]
    observation[TIME_PLACE] = time


@njit(cache=True)
def _distance(position, observation):
    # Of the numbers that are observed (float32), so that a reward computed from observations is the same.
    off_x = np.float64(np.float32(position[0])) - np.float64(observation[DESIRED_START])
    off_y = np.float64(np.float32(position[1])) - np.float64(observation[DESIRED_START + 1])
    return np.sqrt(off_x * off_x + off_y * off_y)
