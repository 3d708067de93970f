"""GoalActorCritic: the policy pi(a | s, g) and the critic V(s, g) or V(s, g, g'), as stable-baselines3 calls them."""

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.policies import BasePolicy
from torch import nn

from procgen_bench.baselines.actions.choice import actions_of
from procgen_bench.baselines.encoder import Encoder, Tensors, tensors_of
from procgen_bench.baselines.episodic.networks import goal_encoder


def make_actor(observation_space: spaces.Space, num_outputs: int) -> nn.Sequential:
    """Observations (n, ...) by name -> the outputs (n, k) that a distribution over actions is made of."""
    encoder = goal_encoder(observation_space, anti_goal=False)
    return nn.Sequential(encoder, nn.Linear(encoder.features, num_outputs))


class GoalActorCritic(BasePolicy):
    """Actor and critic with weights of their own (voxel building's share the picture's network).

    Args:
        observation_space: A goal environment's.
        action_space: Discrete, or a bounded vector.
        lr_schedule: Learning rate by the share of training that is left.
        use_sde: stable-baselines3's; must be false.
        anti_goal: Whether the critic sees the anti-goal too, as ``"anti_goal"`` among the observations.
    """

    def __init__(self, observation_space, action_space, lr_schedule, use_sde: bool = False, anti_goal: bool = False):
        super().__init__(observation_space, action_space)
        if use_sde:
            raise ValueError("use_sde is True, expected False: actions are Beta or softmax distributed")
        self.actions = actions_of(action_space)
        self.actor = make_actor(observation_space, self.actions.num_outputs)
        actor_encoder = self.actor[0]
        assert isinstance(actor_encoder, Encoder)  # see make_actor
        critic_encoder = goal_encoder(observation_space, anti_goal, beside=actor_encoder)
        self.critic = nn.Sequential(critic_encoder, nn.Linear(critic_encoder.features, 1))
        self.optimizer = torch.optim.Adam(self.parameters(), lr=lr_schedule(1), fused=True)

    @torch.inference_mode()
    def act(self, observations: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Actions (n, ...) drawn by torch's generator, and their log-probabilities (n,)."""
        actions, log_probabilities = self.actions.sample(self.actor(tensors_of(observations)))
        return actions.numpy(), log_probabilities.numpy()

    def forward(self, obs: Tensors, deterministic: bool = False):
        """Actions, values and log-probabilities, each (n, ...)."""
        outputs = self.actor(obs)
        if deterministic:
            actions = self.actions.play(outputs.detach(), None)
            return actions, self.predict_values(obs), self.actions.evaluate(outputs, actions)[0]
        actions, log_probabilities = self.actions.sample(outputs)
        return actions, self.predict_values(obs), log_probabilities

    def evaluate_actions(self, obs: Tensors, actions: torch.Tensor):
        """Values (n, 1), log-probabilities (n,) and entropies (n,) of what was done."""
        log_probabilities, entropies = self.actions.evaluate(self.actor(obs), actions)
        return self.predict_values(obs), log_probabilities, entropies

    def predict_values(self, obs: Tensors) -> torch.Tensor:
        """The critic's values (n, 1)."""
        return self.critic(obs)

    def _predict(self, observation, deterministic: bool = False) -> torch.Tensor:
        return self(observation, deterministic)[0]
