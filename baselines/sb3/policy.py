"""NetworkPolicy: what DQN and PPO leave, ready to play."""

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.actions.discrete import DiscreteActions
from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.sb3.network import MERGED_FEATURES, ModalityNetwork
from procgen_bench.baselines.weighted_policy import WeightedPolicy


class NetworkPolicy(WeightedPolicy):
    """Plays the linear head's greatest output, or draws in proportion to the outputs' exponentials.

    Args:
        environment_id: What it plays.
        stochastic: Draw from the softmax of the head instead of taking the greatest.
    """

    network: nn.ModuleDict

    def __init__(self, environment_id: str, stochastic: bool):
        with gymnasium.make(environment_id) as env:
            assert isinstance(env.action_space, spaces.Discrete)  # what DQN learns, and PPO here
            self._actions = DiscreteActions(env.action_space)
            features, head = ModalityNetwork(env.observation_space), nn.Linear(MERGED_FEATURES, int(env.action_space.n))
        super().__init__(nn.ModuleDict({"features": features, "head": head}), stochastic, self._actions.noise_width)

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions int64 (n,); there is no state."""
        outputs = self.network["head"](self.network["features"](observations))
        return self._actions.play(outputs, noise if self.stochastic else None), {}


def head_weights(features: nn.Module, head: nn.Module) -> dict[str, np.ndarray]:
    """The weights of a features network and its head, by the names that :class:`NetworkPolicy` knows them by."""
    network = nn.ModuleDict({"features": features, "head": head})
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in network.state_dict().items()}
