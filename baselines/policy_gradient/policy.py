"""ActorPolicy: what a policy-gradient learner leaves, ready to play."""

from types import MappingProxyType
from typing import Self

import gymnasium
import torch

from procgen_bench.baselines.actions.choice import actions_of
from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.policies import PolicyFolder
from procgen_bench.baselines.policy_gradient.network import ActorCritic
from procgen_bench.baselines.weighted_policy import WeightedPolicy
from procgen_bench.core.errors import InvalidPolicyError

_MEMORY = "memory"
#: Greatest sizes of networks that are read from a folder.
_LIMITS = {"width": 4_096, "layers": 16, "memory": 4_096}


class ActorPolicy(WeightedPolicy):
    """Draws from the distribution that the actor's outputs make, or takes its most likely action (a Beta's mean).

    Args:
        environment_id: What it plays.
        stochastic: Whether it draws.
        width: Numbers in each dense layer.
        layers: Dense layers.
        memory: Numbers that it remembers of a row.
    """

    network: ActorCritic

    def __init__(self, environment_id: str, stochastic: bool, width: int = 128, layers: int = 2, memory: int = 0):
        with gymnasium.make(environment_id) as env:
            self.actions = actions_of(env.action_space)
            network = ActorCritic(env.observation_space, self.actions.sizes, width, layers, memory)
        super().__init__(network, stochastic, self.actions.noise_width)
        if memory:
            self.state_shapes = MappingProxyType({_MEMORY: (memory,)})

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions (n, ...) of the action space's type, and the memory."""
        memory = state[_MEMORY] if self.state_shapes else noise[:, :0]
        outputs, _, memory = self.network(observations, memory)
        actions = self.actions.play(outputs, noise if self.stochastic else None)
        return actions, {_MEMORY: memory} if self.state_shapes else {}

    @classmethod
    def from_folder(cls, folder: PolicyFolder) -> Self:
        """The policy that a folder holds."""
        stochastic = folder.configuration.get("stochastic")
        if not isinstance(stochastic, bool):
            raise InvalidPolicyError(f"configuration.stochastic is {stochastic!r}, expected true or false")
        sizes = {name: folder.configuration.get(name) for name in _LIMITS}
        for name, size in sizes.items():
            if not (isinstance(size, int) and 0 <= size <= _LIMITS[name]):
                raise InvalidPolicyError(f"configuration.{name} is {size!r}, expected 0 to {_LIMITS[name]}")
        policy = cls(folder.environment, stochastic, **sizes)  # type: ignore[arg-type]  # checked above
        policy.load_weights(folder.weights)
        return policy
