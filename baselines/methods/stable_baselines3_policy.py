"""SB3Policy: plays what an algorithm of stable-baselines3 or sb3-contrib has learned, as a function of tensors."""

from types import MappingProxyType
from typing import Any

import gymnasium
import stable_baselines3
import torch
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.preprocessing import is_image_space, is_image_space_channels_first
from stable_baselines3.common.vec_env import VecTransposeImage
from torch import nn

from procgen_bench.baselines.methods.stable_baselines3_settings import ALGORITHMS
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.policies.arrays import named_space
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.tensors import Tensors, normal_draws
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.extras import import_extra


def algorithm_type(name: str) -> type[BaseAlgorithm]:
    """The algorithm of this name.

    Raises:
        MissingExtraError: It is sb3-contrib's, which is not installed.
    """
    return getattr(stable_baselines3, name, None) or getattr(import_extra("sb3_contrib"), name)


def policy_type(algorithm: str) -> type[BasePolicy]:
    """The policies of the algorithm of this name that read observations by name."""
    known = algorithm_type(algorithm).policy_aliases
    return known.get("MultiInputPolicy") or known["MultiInputLstmPolicy"]


def played_part(policy: BasePolicy) -> nn.Module:
    """The module of a policy that plays: the actor, or the values of actions; of an actor-critic, the whole policy."""
    return next((part for name, part in policy.named_children() if name in ("actor", "q_net", "quantile_net")), policy)


class SB3Policy(WeightedPolicy):
    """Plays what the algorithm of this name has learned; see the arguments of its configuration."""

    size_limits = MappingProxyType({"width": 4_096, "layers": 16})
    network: Any

    def __init__(self, environment_id: str, stochastic: bool, width: int, layers: int, algorithm: str):
        with gymnasium.make(environment_id) as env:
            seen, self.action_space = named_space(env.observation_space), env.action_space
        # Pictures are seen with their colours first.
        pictures: dict[str, Any] = {name: own for name, own in seen.items() if is_image_space(own)}
        self._pictures = [name for name, own in pictures.items() if not is_image_space_channels_first(own)]
        shown = {name: VecTransposeImage.transpose_space(pictures[name]) for name in self._pictures}
        made_of: dict[str, Any] = {"lr_schedule": lambda _: 0.0, "net_arch": [width] * layers}
        policy: Any = policy_type(algorithm)(spaces.Dict({**seen, **shown}), self.action_space, **made_of)
        numbers = isinstance(self.action_space, spaces.Box) and 2 * self.action_space.shape[0]  # two draw a real one
        super().__init__(played_part(policy), stochastic, numbers or actions_of(self.action_space).noise_width)
        if hasattr(policy, "lstm_actor"):
            self.state_shapes = dict.fromkeys(("hidden", "cell"), (policy.lstm_actor.hidden_size,))

    @classmethod
    def own_settings(cls, folder: PolicyFolder) -> dict[str, Any]:
        """The algorithm, which the method's older names end with."""
        algorithm = folder.configuration.get("algorithm", folder.method.removeprefix("sb3-").upper())
        if algorithm not in ALGORITHMS:
            raise InvalidPolicyError(f"configuration.algorithm is {algorithm!r}, expected one of {ALGORITHMS}")
        return {"algorithm": algorithm}

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions of the action space's type, and what a recurrent network remembers."""
        network, space = self.network, self.action_space
        seen = observations | {name: observations[name].permute(0, 3, 1, 2) for name in self._pictures}
        if hasattr(network, "action_net"):  # actor and critic share what reads observations
            features = network.extract_features(seen)
            if state:
                features, kept = network.lstm_actor(features[None], (state["hidden"][None], state["cell"][None]))
                features, state = features[0], {"hidden": kept[0][0], "cell": kept[1][0]}
            outputs = network.action_net(network.mlp_extractor.forward_actor(features))
            if not isinstance(space, spaces.Box):
                return actions_of(space).play(outputs, noise if self.stochastic else None), state
            return _within(space, self._drawn(outputs, network.log_std, noise)), state
        if not isinstance(space, spaces.Box):
            return network._predict(seen), state
        if hasattr(network, "get_action_dist_params"):
            means, log_deviations, _ = network.get_action_dist_params(seen)
            shares = torch.tanh(self._drawn(means, log_deviations, noise))
        else:
            shares = network._predict(seen)
        low, high = torch.as_tensor(space.low), torch.as_tensor(space.high)
        return _within(space, low + (shares + 1) / 2 * (high - low)), state

    def _drawn(self, means: torch.Tensor, log_deviations: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
        return means + log_deviations.exp() * normal_draws(noise) if self.stochastic else means


def _within(space: spaces.Box, actions: torch.Tensor) -> torch.Tensor:
    return torch.minimum(torch.maximum(actions, torch.as_tensor(space.low)), torch.as_tensor(space.high))
