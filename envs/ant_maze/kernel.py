"""SparseAntMaze's compiled parts: draws of tasks, observations, and what a step earns. The physics is MuJoCo's."""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.streams import draw_below
from procgen_bench.engine.outcomes import begin, count_steps, score_goal_step
from procgen_bench.envs.ant_maze.physics import NUM_POSITIONS, NUM_VELOCITIES
from procgen_bench.tasks.ant_maze.task import GOAL_RADIUS, SUBGOAL_STEPS
from procgen_bench.tasks.point_maze.distance import observed_distance
from procgen_bench.tasks.point_maze.draws import draw_uniform

#: Numbers of one observation: what has been achieved, what is desired, and the state: positions, velocities, time.
ACHIEVED_START, DESIRED_START, STATE_START = 0, 2, 4
VELOCITY_START = STATE_START + NUM_POSITIONS
TIME_PLACE = VELOCITY_START + NUM_VELOCITIES
OBSERVATION_SIZE = TIME_PLACE + 1


@njit
def draw_tasks(fresh, streams, bank_starts, bank_goals, start_region, goal_region, starts, goals):
    """Draw a start and a goal in every row of ``fresh``, from its stream.

    From the bank if it holds any tasks, else uniform in the regions (float64 (2, 2), the least and the greatest x, y).
    """
    for i in range(fresh.shape[0]):
        if not fresh[i]:
            continue
        if bank_starts.shape[0] > 0:
            streams[i], drawn = draw_below(streams[i], bank_starts.shape[0])
            for k in range(2):
                starts[i, k], goals[i, k] = bank_starts[drawn, k], bank_goals[drawn, k]
        else:
            for k in range(2):
                streams[i], starts[i, k] = draw_uniform(streams[i], start_region[0, k], start_region[1, k])
                streams[i], goals[i, k] = draw_uniform(streams[i], goal_region[0, k], goal_region[1, k])


@njit
def begin_rows(rows, positions, velocities, goals, observations, outcomes):
    """Write the first observation of every row of ``rows``, whose ant has been placed."""
    begin(outcomes, rows)
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        for k in range(2):
            observations[i, DESIRED_START + k] = goals[i, k]
        _observe(positions[i], velocities[i], 0.0, observations[i])


@njit
def end_steps(
    active, max_episode_steps, distance_step, horizon, positions, velocities, observations, distances, outcomes
):
    """Count a step of every active row, whose ant has moved, and write what it sees and earns."""
    count_steps(outcomes, active, max_episode_steps)
    _, _, _, _, elapsed = outcomes
    for i in range(active.shape[0]):
        if not active[i]:
            continue
        _observe(positions[i], velocities[i], elapsed[i] / horizon, observations[i])
        distances[i] = _distance(positions[i], observations[i])
    score_goal_step(outcomes, active, distances, GOAL_RADIUS, distance_step)


@njit
def observe_rows(rows, time, positions, velocities, elapsed, horizon, observations):
    """Write what the ants of ``rows`` see so many steps after they were given their subgoals."""
    for i in range(rows.shape[0]):
        if rows[i]:
            walked = elapsed[i] * SUBGOAL_STEPS + time
            _observe(positions[i], velocities[i], walked / (horizon * SUBGOAL_STEPS), observations[i])


@njit
def leave_arrived(rows, positions, observations):
    """Take those rows out of ``rows`` whose ant is at its goal; returns whether any is left."""
    left = False
    for i in range(rows.shape[0]):
        if rows[i]:
            rows[i] = _distance(positions[i], observations[i]) > GOAL_RADIUS
            left |= rows[i]
    return left


@njit
def _observe(position, velocity, time, observation):
    for k in range(2):
        observation[ACHIEVED_START + k] = position[k]
    for k in range(NUM_POSITIONS):
        observation[STATE_START + k] = position[k]
    for k in range(NUM_VELOCITIES):
        observation[VELOCITY_START + k] = velocity[k]
    observation[TIME_PLACE] = time


@njit
def _distance(position, observation):
    x, y = np.float32(position[0]), np.float32(position[1])
    return observed_distance(x, y, observation[DESIRED_START], observation[DESIRED_START + 1])
