"""ActorPolicy: what a policy-gradient learner leaves, ready to play."""

from types import MappingProxyType
from typing import Any

import torch

from procgen_bench.baselines.actions.choice import actions_of
from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.named_observations import named_space
from procgen_bench.baselines.policy_gradient.network import ActorCritic
from procgen_bench.baselines.weighted_policy import WeightedPolicy
from procgen_bench.core.registrations import environment_type
from procgen_bench.engine.environment_options import make_environment

_MEMORY = "memory"


class ActorPolicy(WeightedPolicy):
    """Draws from the distribution that the actor's outputs make, or takes its most likely action (a Beta's mean).

    Args:
        environment_id: What it plays.
        stochastic: Whether it draws.
        width: Numbers in each dense layer.
        layers: Dense layers.
        memory: Numbers that it remembers of a row.
        network: A person's own, ``module:Class``; see :class:`.OwnEncoder`.
    """

    network: ActorCritic
    size_limits = MappingProxyType({"width": 4_096, "layers": 16, "memory": 4_096})
    takes_network = True

    def __init__(
        self,
        environment_id: str,
        stochastic: bool,
        width: int = 128,
        layers: int = 2,
        memory: int = 0,
        network: str = "",
    ):
        self._options = environment_type(environment_id).learning_options()
        with make_environment(environment_id, self._options) as env:
            self.actions = actions_of(env.action_space)
            shown = named_space(env.observation_space)
            reader = ActorCritic(shown, self.actions.sizes, width, layers, memory, network)
        super().__init__(reader, stochastic, self.actions.noise_width)
        if memory:
            self.state_shapes = MappingProxyType({_MEMORY: (memory,)})

    @property
    def environment_options(self) -> dict[str, Any]:
        """With which it observes all that it can use: masks, where there are some."""
        return self._options

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions (n, ...) of the action space's type, and the memory."""
        memory = state[_MEMORY] if self.state_shapes else noise[:, :0]
        outputs, _, memory = self.network(observations, memory)
        actions = self.actions.play(outputs, noise if self.stochastic else None)
        return actions, {_MEMORY: memory} if self.state_shapes else {}
