"""BitGrid's compiled rules over rows of grids.

Every row has three planes of side x side numbers, 0 or 1: the bits, the agent's place, and the goal's bits. They are
the observation, so a step writes the one or two numbers that change and nothing else.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.streams import draw_below
from procgen_bench.engine.outcomes import begin, count_steps, score_goal_step
from procgen_bench.tasks.bit_grid.goals import draw_goal, draw_start
from procgen_bench.tasks.bit_grid.task import MOVES, TOGGLE

BITS, PLACE, GOAL = range(3)
NUM_PLANES = 3

#: Differing bits at which the goal counts as reached.
DISTANCE_THRESHOLD = 0.0


@njit
def start_rows(rows, fresh, streams, bank_starts, bank_goals, starts, goals, planes, places, distances, outcomes):
    """Begin an episode in every row of ``rows``; ``fresh`` rows first draw a task, from the bank if it holds any."""
    begin(outcomes, rows)
    side = planes.shape[2]
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        if fresh[i] and bank_starts.shape[0] > 0:
            streams[i], drawn = draw_below(streams[i], bank_starts.shape[0])
            starts[i, 0], starts[i, 1] = bank_starts[drawn, 0], bank_starts[drawn, 1]
            for y in range(side):
                for x in range(side):
                    goals[i, y, x] = bank_goals[drawn, y, x]
        elif fresh[i]:
            streams[i] = draw_start(streams[i], side, starts[i])
            streams[i] = draw_goal(streams[i], goals[i])
        num_on = 0
        for y in range(side):
            for x in range(side):
                planes[i, BITS, y, x] = 0
                planes[i, PLACE, y, x] = 0
                planes[i, GOAL, y, x] = goals[i, y, x]
                num_on += goals[i, y, x]
        planes[i, PLACE, starts[i, 1], starts[i, 0]] = 1
        places[i, 0], places[i, 1] = starts[i, 0], starts[i, 1]
        distances[i] = num_on


# No helper that takes arrays is called for a single row: that costs reference counting (see
# procgen_bench/engine/outcomes.py).
@njit
def step_rows(actions, active, max_episode_steps, distance_step, planes, places, distances, outcomes):
    """Advance every active row by its action; step ``distance_step`` pays minus the distance if it fails."""
    count_steps(outcomes, active, max_episode_steps)
    side = planes.shape[2]
    for i in range(actions.shape[0]):
        if not active[i]:
            continue
        old_x, old_y = np.int64(places[i, 0]), np.int64(places[i, 1])
        # Unsigned indices spare the check for negative ones.
        column, line = np.uint64(old_x), np.uint64(old_y)
        if actions[i] == TOGGLE:
            bit = 1 - planes[i, BITS, line, column]
            planes[i, BITS, line, column] = bit
            distances[i] += -1 if bit == planes[i, GOAL, line, column] else 1
        else:
            x = min(max(old_x + MOVES[actions[i], 0], 0), side - 1)
            y = min(max(old_y + MOVES[actions[i], 1], 0), side - 1)
            planes[i, PLACE, line, column] = 0
            planes[i, PLACE, np.uint64(y), np.uint64(x)] = 1
            places[i, 0], places[i, 1] = x, y
    score_goal_step(outcomes, active, distances, DISTANCE_THRESHOLD, distance_step)
