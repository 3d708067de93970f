"""Algorithm 1 and equation 3 as the paper prints them, one pair at a time; with the specification's <= for <.

As in the published source, an agent that reached the goal has achieved the goal itself, wherever within the threshold
the agent is.
"""


def equation_3(end, goal, anti_goal, distance, delta):
    if distance(end, goal) <= delta:
        return 1.0
    return min(0.0, -float(distance(end, goal)) + float(distance(end, anti_goal)))


def algorithm_1(ends, goals, distance, delta, epsilon):
    """The buffer's episodes (a list of rows, sorted) and the relabelled reward of every row."""
    buffer, rewards = [], {}
    for a in range(0, len(ends), 2):
        b = a + 1
        goal = goals[a]
        achieved = {row: goal if distance(ends[row], goal) <= delta else ends[row] for row in (a, b)}
        rewards[a] = equation_3(ends[a], goal, achieved[b], distance, delta)
        rewards[b] = equation_3(ends[b], goal, achieved[a], distance, delta)
        if distance(ends[a], goal) < distance(ends[b], goal):
            closer, farther = a, b
        else:
            closer, farther = b, a
        if distance(achieved[closer], achieved[farther]) <= epsilon or distance(ends[closer], goal) <= delta:
            buffer += [farther, closer]
        else:
            buffer += [farther]
    return sorted(buffer), rewards
