"""The network of XLand's agents, and the policy that plays with it."""

from collections.abc import Sequence
from typing import Any

import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.papers.open_ended.goal_attention import GoalAttention
from procgen_bench.baselines.papers.open_ended.scene_encoder import SceneEncoder
from procgen_bench.baselines.parts.actor_critic import ActorCritic, ActorPolicy
from procgen_bench.baselines.parts.encoders import encoder_of
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.tensors import Tensors, array_leaves
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError

#: Observations of states, by which the network that grounds goals is chosen.
_SCENE = frozenset(
    (
        *("entities", "terrain_heights", "terrain_floors", "goal_matrix", "goal_atoms"),
        *("acceleration", "hand_is_holding", "hand_distance", "hand_force", "last_action"),
    )
)


class AgentNetwork(ActorCritic):
    """An actor-critic that reads states by a :class:`.SceneEncoder`, and pictures by the parts for their leaves.

    Args:
        sizes: As :class:`.ActorCritic` takes them.
        goal_attention: Whether goals are read after the memory, by a :class:`.GoalAttention`.

    Raises:
        InvalidOptionError: They are to be, and observations are not states.
    """

    encoder: SceneEncoder

    def __init__(self, *sizes: Any, goal_attention: bool = False):
        self._reads_goals_apart = goal_attention
        self.goal_attention: GoalAttention | None = None
        super().__init__(*sizes)

    def make_encoder(self, space: spaces.Space, network: str) -> nn.Module:
        """See :meth:`.ActorCritic.make_encoder`."""
        is_scene = not network and set(array_leaves(space)) == _SCENE
        if self._reads_goals_apart and not is_scene:
            raise InvalidOptionError("goal_attention is true, expected false where observations are not XLand's states")
        return SceneEncoder(space, self._reads_goals_apart) if is_scene else encoder_of(space, network)

    def add_attention(self, features: int) -> int:
        """See :meth:`.ActorCritic.add_attention`."""
        if not self._reads_goals_apart:
            return features
        self.goal_attention = self.encoder.goal_attention(features)
        return self.goal_attention.features

    def attend(self, features: torch.Tensor, prepared: Tensors) -> tuple[torch.Tensor, Any]:
        """What actor and critic are given of features (n, width), and what was read for it, an :class:`.Attended`."""
        if self.goal_attention is None:
            return features, None
        attended = self.goal_attention(features, *self.encoder.goal_options(prepared))
        return attended.state, attended

    @property
    def value_heads(self) -> list[nn.Linear]:
        """Last layers of all that says values."""
        return [self.critic] if self.goal_attention is None else [self.critic, self.goal_attention.head]


class AgentPolicy(ActorPolicy):
    """A policy of XLand's agents.

    Args:
        environment_id: What it plays.
        stochastic: Whether it draws.
        goal_attention: See :class:`AgentNetwork`.
        observation: The environment's argument of that name; empty: its learners' default.
        privileged: Whether it also observes what the player does not see.
        sizes: Further ones, as :class:`.ActorPolicy` takes them.
    """

    network: AgentNetwork

    def __init__(
        self,
        environment_id: str,
        stochastic: bool,
        goal_attention: bool = False,
        observation: str = "",
        privileged: bool = False,
        **sizes: Any,
    ):
        self._goal_attention = goal_attention
        super().__init__(environment_id, stochastic, observation=observation, privileged=privileged, **sizes)

    def make_network(self, space: spaces.Space, sizes: Sequence[int], *further: Any) -> AgentNetwork:
        """See :meth:`.ActorPolicy.make_network`."""
        return AgentNetwork(space, sizes, *further, goal_attention=self._goal_attention)

    @classmethod
    def own_settings(cls, folder: PolicyFolder) -> dict[str, Any]:
        """Folders that say nothing of it have no :class:`.GoalAttention`, and observe by default."""
        observation = folder.configuration.get("observation", "")
        if not isinstance(observation, str):
            raise InvalidPolicyError(f"configuration.observation is {observation!r}, expected a text")
        switches = {name: folder.configuration.get(name) is True for name in ("goal_attention", "privileged")}
        return super().own_settings(folder) | switches | {"observation": observation}
