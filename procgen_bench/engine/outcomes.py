"""What kernels write about every row's episode, and the compiled rules that are the same in every native family.

A kernel gets a simulation's ``outcomes``: rewards (float64), terminations, truncations, successes (bool) and elapsed
(int64), (N,) each, as one tuple. It is a plain one: Numba takes 2 microseconds a call to recognise a named tuple.

The functions go over all rows. One that takes arrays and is called for every single row, inlined or not, costs
reference counting: it halves the speed of a small kernel.
"""

from procgen_bench.core.compiled import njit

SUCCESS_REWARD = 1.0


@njit
def begin(outcomes, rows):
    """Every row of ``rows`` (bool (N,)) is before the first step of its episode."""
    rewards, terminations, truncations, successes, elapsed = outcomes
    for i in range(rows.shape[0]):
        if rows[i]:
            rewards[i] = 0.0
            terminations[i] = False
            truncations[i] = False
            successes[i] = False
            elapsed[i] = 0


@njit
def count_steps(outcomes, active, max_episode_steps):
    """Every row of ``active`` (bool (N,)) takes a step, which truncates its episode if it is the last allowed one."""
    _, _, truncations, _, elapsed = outcomes
    for i in range(active.shape[0]):
        if active[i]:
            elapsed[i] += 1
            truncations[i] = elapsed[i] >= max_episode_steps


@njit
def score_goal_step(outcomes, active, distances, distance_threshold, distance_step):
    """Whether every row of ``active`` (bool (N,)) has reached its goal in the step that was counted, and its reward.

    The goal is reached, and the episode over, at a distance of at most ``distance_threshold``. Reaching it earns 1;
    step number ``distance_step`` of an episode, when it fails, earns minus the distance, and every other one 0.
    """
    rewards, terminations, _, successes, elapsed = outcomes
    for i in range(active.shape[0]):
        if not active[i]:
            continue
        solved = distances[i] <= distance_threshold
        terminations[i] = solved
        successes[i] = solved
        if solved:
            rewards[i] = SUCCESS_REWARD
        elif elapsed[i] == distance_step:
            rewards[i] = -distances[i]
        else:
            rewards[i] = 0.0
