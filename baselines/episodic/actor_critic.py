"""GoalActorCritic: the policy pi(a | s, g) and the critic V(s, g) or V(s, g, g')."""

import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.actions.choice import actions_of
from procgen_bench.baselines.encoder import Encoder, Tensors, array_leaves
from procgen_bench.baselines.episodic.networks import HIDDEN, BlocksEncoder, PartsEncoder, goal_encoder
from procgen_bench.tasks.bit_grid.task import MOVES

#: Output of a masked action.
_NEVER = -1e9


class Actor(nn.Sequential):
    """Observations (n, ...) by name -> the outputs (n, k) that a distribution over actions is made of.

    On bits, moves that would leave the grid are masked, as in the published source.
    """

    leaving: torch.Tensor | None

    def __init__(self, observation_space: spaces.Space, num_outputs: int, width: int = HIDDEN):
        encoder = goal_encoder(observation_space, anti_goal=False, width=width)
        super().__init__(encoder, nn.Linear(encoder.features, num_outputs))
        self.register_buffer("leaving", moves_that_leave(observation_space, num_outputs), persistent=False)

    def forward(self, observations: Tensors) -> torch.Tensor:
        """The outputs, with those of masked actions so low that they are never taken."""
        outputs = self.unmasked(observations)
        if self.leaving is None:
            return outputs
        place = observations["observation"][..., 1].flatten(1).argmax(dim=1)
        return torch.where(functional.embedding(place, self.leaving) > 0, _NEVER, outputs)

    def unmasked(self, observations: Tensors) -> torch.Tensor:
        """The outputs as they are."""
        return super().forward(observations)


def moves_that_leave(observation_space: spaces.Space, num_actions: int) -> torch.Tensor | None:
    """float32 (cells, 9): 1 for moves that would leave the grid from a cell; ``None`` where there is no grid of bits.

    Cells are counted row by row, as the place is in the flattened ``observation[..., 1]``.
    """
    bits = array_leaves(observation_space).get("observation")
    if bits is None or len(bits.shape) != 3 or bits.shape[2] != 2 or num_actions != len(MOVES):
        return None
    height, width, _ = bits.shape
    y, x = np.divmod(np.arange(height * width), width)
    to_x, to_y = x[:, np.newaxis] + MOVES[:, 0], y[:, np.newaxis] + MOVES[:, 1]
    return torch.as_tensor((to_x < 0) | (to_x >= width) | (to_y < 0) | (to_y >= height), dtype=torch.float32)


class GoalActorCritic(nn.Module):
    """Actor and critic with weights of their own (voxel building's share the picture's network).

    Args:
        observation_space: A goal environment's.
        action_space: Discrete, or a bounded vector.
        anti_goal: Whether the critic sees the anti-goal too, as ``"anti_goal"`` among the observations.
        width: Of the layers that read vectors.
    """

    def __init__(
        self,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        anti_goal: bool = False,
        width: int = HIDDEN,
    ):
        super().__init__()
        self.anti_goal, self.actions = anti_goal, actions_of(action_space)
        self.actor = Actor(observation_space, self.actions.num_outputs, width)
        actor_encoder = self.actor[0]
        assert isinstance(actor_encoder, Encoder)  # see Actor
        critic_encoder = goal_encoder(observation_space, anti_goal, beside=actor_encoder, width=width)
        self.critic = nn.Sequential(critic_encoder, nn.Linear(critic_encoder.features, 1))

    def forward(self, observations: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
        """The actor's outputs (n, k) and the critic's values (n,); what both see is computed once."""
        encoder = self.actor[0]
        if isinstance(encoder, BlocksEncoder):
            observations = observations | {"seen": encoder.see(observations)}
        return self.actor(observations), self.values(observations)

    def count(self, observations: Tensors) -> None:
        """Let observations (n, ...) count in what normalises those without bounds."""
        for encoder in (self.actor[0], self.critic[0]):
            if isinstance(encoder, PartsEncoder):
                encoder.count(observations)

    def values(self, observations: Tensors) -> torch.Tensor:
        """The critic's values (n,)."""
        return self.critic(observations)[:, 0]
