"""Two levels of control: a policy of subgoals over a controller that is already there (the ant's)."""

from collections.abc import Callable
from typing import Any

import numpy as np
from torch import nn

from procgen_bench.baselines.sb3.policy import WeightedPolicy
from procgen_bench.extras import import_extra
from procgen_bench.policy import Observations
from procgen_bench.tasks.ant_maze import SUBGOAL_STEPS

#: The environments whose goal policies choose subgoals, with what makes them take subgoals in training.
_SUBGOAL_OPTIONS: dict[str, dict[str, Any]] = {"SparseAntMaze-v0": {"control": "subgoal"}}


def training_options(environment_id: str) -> dict[str, Any]:
    """Keyword arguments of the environment in which a goal policy is trained."""
    return _SUBGOAL_OPTIONS.get(environment_id, {})


def steps_per_action(environment_id: str) -> int:
    """Steps of the environment, as it is scored, that an action of a goal policy lasts."""
    return SUBGOAL_STEPS if environment_id in _SUBGOAL_OPTIONS else 1


class AntWalker:
    """Turns subgoals into torques, as SparseAntMaze-v0 does with ``control="subgoal"``, for many rows."""

    def __init__(self):
        controller = import_extra("procgen_bench.envs.ant_maze.controller", "mujoco", ("mujoco",))
        self._controller = controller.shipped_controller()
        self._steps_left = np.zeros(0, np.int64)
        self._targets = np.zeros((0, 2))

    def act(
        self, observations: Observations, episode_starts: np.ndarray, choose: Callable[[Observations], np.ndarray]
    ) -> np.ndarray:
        """Torques float32 (N, 8).

        Args:
            observations: Of the environment with torques.
            episode_starts: bool (N,), the rows whose episode begins.
            choose: Observations (n, ...) -> subgoals (n, 2), relative to the ants; asked for the rows that need one.
        """
        if len(self._steps_left) != len(episode_starts):
            self._steps_left = np.zeros(len(episode_starts), np.int64)
            self._targets = np.zeros((len(episode_starts), 2))
        due = episode_starts | (self._steps_left == 0)
        if due.any():
            subgoals = choose({name: array[due] for name, array in observations.items()})
            self._targets[due] = observations["achieved_goal"][due] + subgoals
            self._steps_left[due] = SUBGOAL_STEPS
        self._steps_left -= 1
        return self._controller.torques(observations["observation"], self._targets)


class HierarchicalPolicy(WeightedPolicy):
    """A network that chooses actions or, where it was trained on subgoals, what the controller walks to.

    Args:
        environment_id: What it plays, as it is scored.
        network: The network, with any weights.
        stochastic: Whether the policy draws its actions.
    """

    def __init__(self, environment_id: str, network: nn.Module, stochastic: bool):
        super().__init__(network, stochastic)
        self._walker = AntWalker() if environment_id in _SUBGOAL_OPTIONS else None

    def choose(self, observations: Observations) -> np.ndarray:
        """Observations (n, ...) -> the actions (n, ...) of the environment in which the network was trained."""
        raise NotImplementedError

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """Actions (N, ...)."""
        if self._walker is None:
            return self.choose(observations)
        return self._walker.act(observations, episode_starts, self.choose)
