"""The Grid Oracle's reward: success, and the regions of the plane that the episode visited (appendix E)."""

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.episodic.episodes import Episodes
from procgen_bench.baselines.episodic.labels import Labeller, Labels
from procgen_bench.baselines.exploration.coverage import regions_visited
from procgen_bench.errors import InvalidOptionError


class GridOracle(Labeller):
    """Rewards every episode at its end for its success and its coverage of the plane that goals lie in.

    Args:
        plane: Space of the goals: x and y, bounded.
        divisions: Regions along each side.
        weight: Reward of each region visited.

    Raises:
        InvalidOptionError: Goals are no places on a bounded plane, or there are no regions.
    """

    def __init__(self, plane: spaces.Box, divisions: int, weight: float):
        if plane.shape != (2,) or not plane.is_bounded():
            raise InvalidOptionError(f"goals are of {plane}, expected two bounded coordinates, x and y")
        if divisions < 1:
            raise InvalidOptionError(f"divisions is {divisions}, expected at least 1")
        self.low, self.high, self.divisions, self.weight = plane.low, plane.high, divisions, weight

    def label(self, episodes: Episodes) -> Labels:
        """Coverage counts the start's region and the end's; every episode is included."""
        places = np.concatenate([episodes.observations["achieved_goal"], episodes.ends[np.newaxis]])
        counted = np.concatenate([episodes.played, np.ones((1, len(episodes.lengths)), np.bool_)])
        regions = regions_visited(places, counted, self.low, self.high, self.divisions)
        return Labels(
            rewards=episodes.at_the_end(episodes.successes + self.weight * regions),
            included=np.ones(len(regions), np.bool_),
            anti_goals=None,
            measures={"regions": float(regions.mean())},
        )
