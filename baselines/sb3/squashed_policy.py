"""SquashedPolicy: what soft actor-critic leaves, ready to play."""

import math
from types import MappingProxyType

import gymnasium
import torch
from gymnasium import spaces
from stable_baselines3.sac.policies import LOG_STD_MAX, LOG_STD_MIN
from torch import nn

from procgen_bench.baselines.action_kinds import check_bounded
from procgen_bench.baselines.policies.arrays import named_space
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.baselines.sb3.space_features import SpaceFeatures, dense_layers


class SquashedRange:
    """Reals squashed into the range of an action space by a hyperbolic tangent.

    Args:
        space: A bounded vector.

    Raises:
        UnsupportedActionsError: It is another space.
    """

    def __init__(self, space: spaces.Space):
        check_bounded(space)
        assert isinstance(space, spaces.Box)
        self.size = space.shape[0]
        self._low, self._high = torch.as_tensor(space.low), torch.as_tensor(space.high)

    def actions(self, reals: torch.Tensor) -> torch.Tensor:
        """Reals (n, k) -> actions (n, k)."""
        low, high = self._low.to(reals.device), self._high.to(reals.device)
        actions = low + (torch.tanh(reals) + 1) / 2 * (high - low)
        return torch.minimum(torch.maximum(actions, low), high)  # rounding may step over an end


class SquashedPolicy(WeightedPolicy):
    """Takes the mean of the actor's normal distribution, or draws from it, squashed into the actions' range.

    Args:
        environment_id: What it plays.
        stochastic: Whether it draws.
        width: Numbers in each dense layer.
        layers: Dense layers.
        network: A person's own, ``module:Class``; see :class:`.OwnEncoder`.
    """

    network: nn.ModuleDict
    size_limits = MappingProxyType({"width": 4_096, "layers": 16})
    takes_network = True

    def __init__(self, environment_id: str, stochastic: bool, width: int = 128, layers: int = 2, network: str = ""):
        with gymnasium.make(environment_id) as env:
            self._range = SquashedRange(env.action_space)
            features = SpaceFeatures(named_space(env.observation_space), network)
        size, inputs = self._range.size, width if layers else features.features_dim
        parts = {"features": features, "dense": dense_layers(features.features_dim, 0, width, layers)}
        heads = {"mean": nn.Linear(inputs, size), "log_deviation": nn.Linear(inputs, size)}
        super().__init__(nn.ModuleDict(parts | heads), stochastic, noise_width=2 * size)

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions float32 (n, k); there is no state."""
        dense = self.network["dense"](self.network["features"](observations))
        chosen = self.network["mean"](dense)
        if self.stochastic:
            deviation = self.network["log_deviation"](dense).clamp(min=LOG_STD_MIN, max=LOG_STD_MAX).exp()
            chosen = chosen + deviation * _normal(noise)
        return self._range.actions(chosen), {}


def _normal(noise: torch.Tensor) -> torch.Tensor:
    """Uniform numbers (n, 2k) in [0, 1) -> standard normal ones (n, k), by Box and Muller."""
    first, second = noise.chunk(2, dim=1)
    return torch.sqrt(-2 * torch.log(1 - first)) * torch.cos(2 * math.pi * second)
