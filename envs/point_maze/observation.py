"""One observation of an agent in the plane, as a vector: what is achieved, what is desired, and where the agent is."""

import numpy as np

#: Where the parts begin: what has been achieved, what is desired, and the position (what has been achieved, too).
ACHIEVED_START, DESIRED_START, POSITION_START, OBSERVATION_SIZE = 0, 2, 4, 6


def split(rows: np.ndarray) -> dict[str, np.ndarray]:
    """Observations (N, 6) as views by name."""
    return {
        "achieved_goal": rows[:, ACHIEVED_START:DESIRED_START],
        "desired_goal": rows[:, DESIRED_START:POSITION_START],
        "observation": rows[:, POSITION_START:],
    }
