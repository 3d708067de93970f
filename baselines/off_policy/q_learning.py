"""GoalDQN: stable-baselines3's DQN with the networks for goals."""

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3 import DQN
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.episodic.networks import goal_encoder
from procgen_bench.baselines.off_policy.algorithm import Observations, OffPolicyLearner

#: Table 2's figures that differ between environments: the size of the minibatches.
#:
#: The paper averages the gradients of 20 workers' minibatches of 128, so the same step on one process has 2,560
#: transitions. With the default, ten million steps take half an hour on one core.
FIGURES = {"BitGrid-v0": {"batch_size": 256}}


class GoalFeatures(BaseFeaturesExtractor):
    """The encoder of observations and goals as stable-baselines3 calls it."""

    def __init__(self, observation_space: spaces.Dict):
        encoder = goal_encoder(observation_space, anti_goal=False)
        super().__init__(observation_space, encoder.features)
        self.encoder = encoder

    def forward(self, observations: Observations) -> torch.Tensor:
        """Dict of (n, ...) -> (n, features)."""
        return self.encoder(observations)


#: The encoder and a linear head.
_POLICY_KEYWORDS = {
    "features_extractor_class": GoalFeatures,
    "net_arch": [],
    "optimizer_kwargs": {"fused": True},
}


class GoalDQN(OffPolicyLearner, DQN):
    """Its policy is one that :class:`procgen_bench.baselines.episodic.policy.GoalPolicy` plays.

    Args:
        **keywords: :class:`OffPolicyLearner`'s.
    """

    action_space: spaces.Discrete

    def __init__(self, **keywords):
        super().__init__("MultiInputPolicy", policy_kwargs=_POLICY_KEYWORDS, **keywords)

    def policy_weights(self) -> dict[str, np.ndarray]:
        """The Q-network's weights."""
        features = self.q_net.features_extractor
        assert isinstance(features, GoalFeatures)  # see the policy's keywords
        network = nn.Sequential(features.encoder, self.q_net.q_net[0])
        return {name: tensor.numpy().copy() for name, tensor in network.state_dict().items()}

    def next_values(self, observations: Observations) -> torch.Tensor:
        """The greatest values (n, 1) of the target network."""
        return self.q_net_target(observations).amax(dim=1, keepdim=True)

    def update(self, observations: Observations, actions: torch.Tensor, targets: torch.Tensor) -> dict[str, float]:
        """As stable-baselines3's."""
        values = self.q_net(observations).gather(1, actions.long())
        loss = functional.smooth_l1_loss(values, targets)
        self.policy.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q_net.parameters(), self.max_grad_norm)
        self.policy.optimizer.step()
        return {"loss": loss.item(), "value": values.mean().item()}

    def targets(self) -> list[tuple[nn.Module, nn.Module]]:
        """The Q-network and its target network."""
        return [(self.q_net, self.q_net_target)]

    def _sample_action(self, learning_starts: int, action_noise=None, n_envs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        greedy, _ = self.policy.predict(self._last_obs, deterministic=True)
        uniform = self.rng.integers(self.action_space.n, size=n_envs)
        actions = np.where(self._random_rows(n_envs), uniform, greedy)
        return actions, actions
