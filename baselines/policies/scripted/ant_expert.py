"""AntExpertPolicy: walks SparseAntMaze's ant along the shortest way with the package's low-level controller."""

import numpy as np

from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.policy import Observations, Policy
from procgen_bench.envs.ant_maze.controller import Controller, shipped_controller
from procgen_bench.tasks.ant_maze.maze import shortest_way

#: What the way keeps off the wall inside: an ant and a half.
WAY_GAP = 1.5
_ENVIRONMENT_ID = "SparseAntMaze-v0"


class AntExpertPolicy(Policy):
    """Torques of the shipped controller, whose subgoal at every step is the next turn of the shortest way to the goal.

    It sees what every policy sees and knows the maze besides.

    Args:
        environment_id: ``"SparseAntMaze-v0"``.
        controller: Another than the shipped one.
        way_gap: How far the way keeps off the wall inside, metres.

    Raises:
        InvalidPolicyError: The environment is another.
    """

    def __init__(self, environment_id: str, controller: Controller | None = None, way_gap: float = WAY_GAP):
        if environment_id != _ENVIRONMENT_ID:
            raise InvalidPolicyError(f"the ant expert plays {_ENVIRONMENT_ID!r} only, not {environment_id!r}")
        self._controller = shipped_controller() if controller is None else controller
        self._way_gap = way_gap

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """Torques (float32 (N, 8)) towards the next turn of the way of every row of ``observations``."""
        places = zip(observations["achieved_goal"], observations["desired_goal"])
        turns = [next_turn(place, goal, self._way_gap) for place, goal in places]
        return self._controller.torques(observations["observation"], np.array(turns))


def next_turn(place: np.ndarray, goal: np.ndarray, way_gap: float = WAY_GAP) -> np.ndarray:
    """The next point (float64 (2,)) of the shortest way from ``place`` to ``goal``; the goal itself at the end."""
    way = shortest_way(np.asarray(place, np.float64), np.asarray(goal, np.float64), way_gap)
    return way[1] if len(way) > 2 else np.asarray(goal, np.float64)
