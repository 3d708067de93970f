"""GoalView: what an environment's tasks are as goals, whether it shows them as such or not."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.policies.arrays import Arrays as Observations
from procgen_bench.baselines.policies.tensors import Tensors, array_leaves
from procgen_bench.core.registrations import family_id
from procgen_bench.engine.goal_env import GoalRows
from procgen_bench.engine.task_vector_env import TaskVectorEnv
from procgen_bench.tasks.grid_world.task import MAP_SIDE
from procgen_bench.tasks.programs.zones import DISTANCE_THRESHOLD

#: Distances (float64) between goals, or between batches of them with any leading dimensions.
Distance = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class GoalView:
    """Goals that the environment shows.

    Attributes:
        distance: d, between goals.
        threshold: delta, the greatest distance at which a goal is reached.
    """

    distance: Distance
    threshold: float

    def space(self, shown: spaces.Space) -> spaces.Space:
        """What :meth:`add` makes of observations of the space ``shown``, one row's."""
        return shown

    def add(self, observations: Tensors, finals: Observations) -> tuple[Tensors, Observations]:
        """Episodes' observations (T, N, ...) and their last ones (N, ...), goals among them."""
        return observations, finals


@dataclass(frozen=True)
class GridPlaces(GoalView):
    """GridWorld's goal as a place: where the agent is, and where the goal is from the first step on.

    Where there is no goal, and where the agent started on it, which is no success, the goal is on the border, (0, 0).
    Actors do not see these: they observe where the goal is from where they stand.
    """

    def space(self, shown: spaces.Space) -> spaces.Space:
        """With ``achieved_goal`` and ``desired_goal``, float32 (2,): x and y on the map."""
        places = spaces.Box(0, MAP_SIDE - 1, (2,), np.float32)
        return spaces.Dict({**array_leaves(shown), "achieved_goal": places, "desired_goal": places})

    def add(self, observations: Tensors, finals: Observations) -> tuple[Tensors, Observations]:
        """With places; behind an episode's end they are 0."""
        places, way = observations["position"], observations["objects"][0, :, :2]
        goals = torch.where(way.any(dim=1, keepdim=True), places[0] + way, 0)
        played = places.any(dim=2, keepdim=True)  # no place is (0, 0)
        return (
            observations | {"achieved_goal": places, "desired_goal": torch.where(played, goals, 0)},
            finals | {"achieved_goal": finals["position"], "desired_goal": goals.cpu().numpy()},
        )


def farthest_block(achieved_goal: np.ndarray, desired_goal: np.ndarray) -> np.ndarray:
    """Metres (float64) that the block farthest from its place has to go: of goals (..., 3 N), the centres."""
    ways = np.asarray(achieved_goal, np.float64) - desired_goal
    return np.linalg.norm(ways.reshape(*ways.shape[:-1], -1, 3), axis=-1).max(axis=-1)


def steps_between(achieved_goal: np.ndarray, desired_goal: np.ndarray) -> np.ndarray:
    """Steps (float64) between places (..., 2) of a grid without walls."""
    return np.abs(np.asarray(achieved_goal, np.float64) - desired_goal).sum(axis=-1)


#: Of environments that are no goal environments by themselves.
_VIEWS = {
    "FetchBlocks-v0": GoalView(farthest_block, DISTANCE_THRESHOLD),
    "GridWorld-v0": GridPlaces(steps_between, 0.0),
}


def has_starts(environment_id: str) -> bool:
    """Whether its tasks are a start and a goal, of which the one can be had without the other."""
    return family_id(environment_id) not in _VIEWS


def goal_view(environment_id: str, env: TaskVectorEnv) -> GoalView:
    """The goals of an environment that has any."""
    if isinstance(env, GoalRows):
        return GoalView(env.distance, env.distance_threshold)
    return _VIEWS[family_id(environment_id)]
