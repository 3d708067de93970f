"""Policies that are a trained network: how they take their weights, and the one that DQN and PPO leave."""

from typing import Self

import gymnasium
import numpy as np
import torch
from torch import nn

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.baselines.policies import PolicyFolder
from procgen_bench.baselines.sb3.network import MERGED_FEATURES, ModalityNetwork
from procgen_bench.errors import InvalidPolicyError
from procgen_bench.policy import Observations, Policy


class WeightedPolicy(Policy):
    """A network and whether actions are drawn; a subclass is built from ``(environment_id, stochastic)`` alone.

    Args:
        network: The network, with any weights.
        stochastic: Whether the policy draws its actions.
    """

    def __init__(self, network: nn.Module, stochastic: bool):
        self.network, self.stochastic = network, stochastic

    def load_weights(self, weights: dict[str, np.ndarray]) -> None:
        """Take the network's weights from arrays by name.

        Raises:
            InvalidPolicyError: A weight is missing, unknown, or of another shape.
        """
        try:
            self.network.load_state_dict({name: torch.as_tensor(array) for name, array in weights.items()})
        except RuntimeError as error:
            raise InvalidPolicyError(f"the weights do not fit the network: {' '.join(str(error).split())}") from None

    @classmethod
    def from_folder(cls, folder: PolicyFolder) -> Self:
        """The policy that a folder holds."""
        stochastic = folder.configuration.get("stochastic")
        if not isinstance(stochastic, bool):
            raise InvalidPolicyError(f"configuration.stochastic is {stochastic!r}, expected true or false")
        policy = cls(folder.environment, stochastic)
        policy.load_weights(folder.weights)
        return policy


class NetworkPolicy(WeightedPolicy):
    """Plays the linear head's greatest output, or draws in proportion to the outputs' exponentials.

    Args:
        environment_id: What it plays.
        stochastic: Draw from the softmax of the head instead of taking the greatest.
    """

    def __init__(self, environment_id: str, stochastic: bool):
        with gymnasium.make(environment_id) as env:
            features, head = ModalityNetwork(env.observation_space), nn.Linear(MERGED_FEATURES, int(env.action_space.n))
        super().__init__(nn.ModuleDict({"features": features, "head": head}), stochastic)
        self._generator = torch.Generator()

    def seed(self, seed: int) -> None:
        """Seed the draws."""
        self._generator.manual_seed(seed)

    @torch.inference_mode()
    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """Actions int64 (N,)."""
        tensors = {name: torch.as_tensor(array) for name, array in observations.items()}
        outputs = self.network["head"](self.network["features"](tensors))
        if self.stochastic:
            probabilities = torch.softmax(outputs, dim=1)
            return torch.multinomial(probabilities, 1, generator=self._generator)[:, 0].numpy()
        return outputs.argmax(dim=1).numpy()


def head_weights(features: ModalityNetwork, head: nn.Linear) -> dict[str, np.ndarray]:
    """The weights of a features network and its head, by the names that :class:`NetworkPolicy` knows them by."""
    network = nn.ModuleDict({"features": features, "head": head})
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in network.state_dict().items()}
