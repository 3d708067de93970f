"""GoalActorCritic: the policy pi(a | s, g) and the critic V(s, g) or V(s, g, g')."""

import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.actions.choice import actions_of
from procgen_bench.baselines.encoder import Encoder, Tensors
from procgen_bench.baselines.episodic.networks import goal_encoder


def make_actor(observation_space: spaces.Space, num_outputs: int) -> nn.Sequential:
    """Observations (n, ...) by name -> the outputs (n, k) that a distribution over actions is made of."""
    encoder = goal_encoder(observation_space, anti_goal=False)
    return nn.Sequential(encoder, nn.Linear(encoder.features, num_outputs))


class GoalActorCritic(nn.Module):
    """Actor and critic with weights of their own (voxel building's share the picture's network).

    Args:
        observation_space: A goal environment's.
        action_space: Discrete, or a bounded vector.
        anti_goal: Whether the critic sees the anti-goal too, as ``"anti_goal"`` among the observations.
    """

    def __init__(self, observation_space: spaces.Space, action_space: spaces.Space, anti_goal: bool = False):
        super().__init__()
        self.anti_goal, self.actions = anti_goal, actions_of(action_space)
        self.actor = make_actor(observation_space, self.actions.num_outputs)
        actor_encoder = self.actor[0]
        assert isinstance(actor_encoder, Encoder)  # see make_actor
        critic_encoder = goal_encoder(observation_space, anti_goal, beside=actor_encoder)
        self.critic = nn.Sequential(critic_encoder, nn.Linear(critic_encoder.features, 1))

    def values(self, observations: Tensors) -> torch.Tensor:
        """The critic's values (n,)."""
        return self.critic(observations)[:, 0]
