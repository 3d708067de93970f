"""Two levels of control: a policy of subgoals over a low level, which is learned with it or shipped."""

from abc import abstractmethod
from typing import Any

import torch
from torch import nn

from procgen_bench.baselines.parts.convolutions import PRECISIONS
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.parts.goal_networks import Actor
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.baselines.training.settings import GoalConfiguration
from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError
from procgen_bench.core.extras import import_extra
from procgen_bench.core.registrations import family_id
from procgen_bench.engine.environment_options import check_environment_options, make_environment
from procgen_bench.tasks.ant_maze import SUBGOAL_STEPS

#: The environments whose goal policies choose subgoals, with what makes them take subgoals in training.
_SUBGOAL_OPTIONS: dict[str, dict[str, Any]] = {"SparseAntMaze-v0": {"control": "subgoal"}}

#: What walks to subgoals: a policy that learns along, or the package's controller.
LOW_LEVELS = (LEARNED, SHIPPED) = ("learned", "shipped")
#: Where their low levels are, as policies play them.
_LOW_LEVELS = {
    LEARNED: ("procgen_bench.baselines.parts.low_level", "LowLevelPolicy"),
    SHIPPED: ("procgen_bench.baselines.parts.low_level", "AntController"),
}


def check_goal_options(environment_id: str, configuration: GoalConfiguration, observation: str = "") -> None:
    """Refuse what does not hold in an environment, by an :class:`InvalidOptionError`."""
    check_environment_options(environment_id, view_options(observation))
    check_choice("precision", configuration.precision, PRECISIONS)
    check_choice("low_level", configuration.low_level, LOW_LEVELS)
    if not training_options(environment_id):
        for name in ("low_level", "ant_threads"):
            value, default = getattr(configuration, name), getattr(GoalConfiguration, name)
            if value != default:
                raise InvalidOptionError(f"{name} is {value!r}, expected {default!r}: {environment_id} has no ants")


def training_options(environment_id: str) -> dict[str, Any]:
    """Keyword arguments of the environment in which a goal policy is trained."""
    return _SUBGOAL_OPTIONS.get(family_id(environment_id), {})


def view_options(observation: str) -> dict[str, Any]:
    """Keyword arguments of the environment with which a goal policy observes it; ``observation`` may be empty."""
    return {"observation": observation} if observation else {}


def row_options(environment_id: str, configuration: GoalConfiguration) -> dict[str, Any]:
    """Keyword arguments of the vector environment in which a goal policy is trained."""
    threads = {"num_threads": configuration.ant_threads} if training_options(environment_id) else {}
    return training_options(environment_id) | threads


def policy_settings(environment_id: str, configuration: GoalConfiguration) -> dict[str, Any]:
    """What a :class:`HierarchicalPolicy` is built from besides the environment and whether it draws."""
    return {"low_level": configuration.low_level} if training_options(environment_id) else {}


def steps_per_action(environment_id: str) -> int:
    """Steps of the environment, as it is scored, that an action of a goal policy lasts."""
    return SUBGOAL_STEPS if training_options(environment_id) else 1


class HierarchicalPolicy(WeightedPolicy):
    """A network that chooses actions or, where it was trained on subgoals, what the low level walks to.

    A subgoal is walked to for 20 steps. The policy keeps of a row how many of them are left, and the place. Over a
    low level that has learned, its weights are those of ``"subgoals"`` and of the ``"low_level"``.

    Args:
        environment_id: What it plays, as it is scored.
        network: The network, with any weights.
        stochastic: Whether the policy draws its actions.
        noise_width: Uniform numbers that drawing an action, or a subgoal, takes.
        low_level: What walks to subgoals, one of ``LOW_LEVELS``.

    Attributes:
        chooser: The network that chooses.
    """

    def __init__(
        self,
        environment_id: str,
        network: nn.Module,
        stochastic: bool,
        noise_width: int,
        low_level: str = SHIPPED,
    ):
        self.chooser, self._low_level, self._choice_width = network, None, noise_width
        if training_options(environment_id):
            module, name = _LOW_LEVELS[low_level]
            self._low_level = walker = getattr(import_extra(module), name)()
            self.state_shapes = {"steps_left": (1,), "place": (2,)}
            noise_width += walker.noise_width
            if walker.network is not None:
                network = nn.ModuleDict({"subgoals": network, "low_level": walker.network})
        super().__init__(network, stochastic, noise_width)

    @abstractmethod
    def choose(self, observations: Tensors, noise: torch.Tensor) -> torch.Tensor:
        """Observations (n, ...) -> actions (n, ...) of the action space in training, in its dtype."""

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions (n, ...), and where rows walk to."""
        chosen = self.choose(observations, noise[:, : self._choice_width])
        if self._low_level is None:
            return chosen, {}
        due = state["steps_left"] == 0
        place = torch.where(due, observations["achieved_goal"] + chosen, state["place"])
        steps_left = torch.where(due, SUBGOAL_STEPS, state["steps_left"]) - 1
        torques = self._low_level.torques(observations["observation"], place, noise[:, self._choice_width :])
        return torques, {"steps_left": steps_left, "place": place}

    @classmethod
    def own_settings(cls, folder: PolicyFolder) -> dict[str, Any]:
        """The low level; older folders: the shipped controller. Another: :class:`InvalidPolicyError`."""
        low_level = folder.configuration.get("low_level", SHIPPED)
        if low_level not in LOW_LEVELS:
            raise InvalidPolicyError(f"configuration.low_level is {low_level!r}, expected {' or '.join(LOW_LEVELS)}")
        return {"low_level": low_level}


class GoalPolicy(HierarchicalPolicy):
    """Plays the mean (Beta) or the most likely action (softmax), or draws from the distribution.

    Args:
        environment_id: What it plays.
        stochastic: Whether it draws.
        low_level: What walks the ant to subgoals; see :class:`.HierarchicalPolicy`.
        observation: The environment's argument of that name; empty: its default.
        recognises: Whether it reads its pose from pictures; see :func:`.goal_encoder`.
    """

    def __init__(
        self,
        environment_id: str,
        stochastic: bool,
        low_level: str = SHIPPED,
        observation: str = "",
        recognises: bool = False,
    ):
        self._view = view_options(observation)
        with make_environment(environment_id, training_options(environment_id) | self._view) as env:
            self._actions = actions_of(env.action_space)
            network = Actor(env.observation_space, self._actions.num_outputs, recognises=recognises)
        super().__init__(environment_id, network, stochastic, self._actions.noise_width, low_level)

    @property
    def environment_options(self) -> dict[str, Any]:
        """What it observes, where that is not the environment's default."""
        return self._view

    @classmethod
    def own_settings(cls, folder: PolicyFolder) -> dict[str, Any]:
        """And the observation, and whether it is recognised; folders that name none observe by default."""
        recognises = folder.configuration.get("recognises", False)
        if not isinstance(recognises, bool):
            raise InvalidPolicyError(f"configuration.recognises is {recognises!r}, expected true or false")
        view = view_options(folder.configuration.get("observation", ""))
        return super().own_settings(folder) | view | {"recognises": recognises}

    def choose(self, observations: Tensors, noise: torch.Tensor) -> torch.Tensor:
        """Actions (n, ...) of the action space in training, in its dtype."""
        return self._actions.play(self.chooser(observations), noise if self.stochastic else None)
