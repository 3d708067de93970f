"""The naive shaped reward: minus the distance to the goal that is left at the end (equation 2)."""

from collections.abc import Callable

import numpy as np

from procgen_bench.baselines.episodic.episodes import Episodes
from procgen_bench.baselines.episodic.labels import Labeller, Labels


class TerminalDistance(Labeller):
    """Labels every episode by how far from the goal it ended.

    Args:
        distance: d, between batches of goals.
        threshold: delta, the greatest distance at which a goal is reached.
    """

    def __init__(self, distance: Callable[[np.ndarray, np.ndarray], np.ndarray], threshold: float):
        self.distance, self.threshold = distance, threshold

    def label(self, episodes: Episodes) -> Labels:
        """Equation 2 at the last step, 0 before; every episode is included."""
        to_goal = self.distance(episodes.ends, episodes.goals)
        return Labels(
            rewards=episodes.at_the_end(naive_reward(to_goal, self.threshold)),
            included=np.ones(len(to_goal), np.bool_),
            anti_goals=None,
            measures={"distance": float(to_goal.mean())},
        )


def naive_reward(to_goal: np.ndarray, threshold: float) -> np.ndarray:
    """Equation 2 from d(s, g): 1 where the goal is reached, otherwise minus the distance."""
    return np.where(to_goal <= threshold, 1.0, -to_goal)
