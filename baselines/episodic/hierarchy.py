"""Two levels of control: a policy of subgoals over a controller that is already there (the ant's)."""

from abc import abstractmethod
from typing import Any

import torch
from torch import nn

from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.weighted_policy import WeightedPolicy
from procgen_bench.core.extras import import_extra
from procgen_bench.tasks.ant_maze import SUBGOAL_STEPS

#: The environments whose goal policies choose subgoals, with what makes them take subgoals in training.
_SUBGOAL_OPTIONS: dict[str, dict[str, Any]] = {"SparseAntMaze-v0": {"control": "subgoal"}}


def training_options(environment_id: str) -> dict[str, Any]:
    """Keyword arguments of the environment in which a goal policy is trained."""
    return _SUBGOAL_OPTIONS.get(environment_id, {})


def steps_per_action(environment_id: str) -> int:
    """Steps of the environment, as it is scored, that an action of a goal policy lasts."""
    return SUBGOAL_STEPS if environment_id in _SUBGOAL_OPTIONS else 1


class HierarchicalPolicy(WeightedPolicy):
    """A network that chooses actions or, where it was trained on subgoals, what the controller walks to.

    A subgoal is walked to for 20 steps. The policy keeps of a row how many of them are left, and the place.

    Args:
        environment_id: What it plays, as it is scored.
        network: The network, with any weights.
        stochastic: Whether the policy draws its actions.
        noise_width: Uniform numbers that drawing an action takes.
    """

    def __init__(self, environment_id: str, network: nn.Module, stochastic: bool, noise_width: int):
        super().__init__(network, stochastic, noise_width)
        self._legs = None
        if environment_id in _SUBGOAL_OPTIONS:
            legs = import_extra("procgen_bench.baselines.episodic.ant_legs", "mujoco", ("mujoco",))
            self._legs = legs.AntLegs()
            self.state_shapes = {"steps_left": (1,), "place": (2,)}

    @abstractmethod
    def choose(self, observations: Tensors, noise: torch.Tensor) -> torch.Tensor:
        """Observations (n, ...) -> the actions (n, ...) of the environment in which the network was trained."""

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions (n, ...), and where rows walk to."""
        chosen = self.choose(observations, noise)
        if self._legs is None:
            return chosen, {}
        due = state["steps_left"] == 0
        place = torch.where(due, observations["achieved_goal"] + chosen, state["place"])
        steps_left = torch.where(due, SUBGOAL_STEPS, state["steps_left"]) - 1
        return self._legs.torques(observations["observation"], place), {"steps_left": steps_left, "place": place}
