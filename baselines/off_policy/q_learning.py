"""GoalDQN: deep Q-learning (Mnih et al., 2015) with the networks for goals."""

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.off_policy.learner import GoalLearner
from procgen_bench.baselines.parts.goal_networks import Actor
from procgen_bench.baselines.policies.arrays import Arrays, network_arrays
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.sb3.rollout_replay import Goals
from procgen_bench.baselines.training.rollouts import Rollout
from procgen_bench.baselines.training.settings import PaperDefaults

#: Table 2's figures that differ between environments: the size of the minibatches.
#:
#: The paper averages the gradients of 20 workers' minibatches of 128, so the same step on one process has 2,560
#: transitions. With the default, ten million steps take half an hour on one core.
FIGURES: PaperDefaults = {"BitGrid-v0": {"batch_size": 256}}


class GoalDQN(GoalLearner):
    """Its policy is one that :class:`procgen_bench.baselines.parts.hierarchy.GoalPolicy` plays.

    Args:
        observation_space: See :class:`.GoalLearner`.
        action_space: Of one row: discrete.
        *arguments: See :class:`.GoalLearner`.
        dense: Whether it learns from :func:`dense_rewards`.
    """

    def __init__(
        self, observation_space: spaces.Space, action_space: spaces.Discrete, *arguments: Any, dense: bool = False
    ):
        self.dense, self.num_actions = dense, int(action_space.n)
        self.network = Actor(observation_space, self.num_actions)
        networks = nn.ModuleDict({"q": self.network})
        super().__init__(networks, observation_space, action_space, *arguments)

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """The best actions, or some at random, and the states' ``"values"``."""
        values, best = self.network(observations).max(dim=1)
        drawn = torch.as_tensor(self.rng.integers(self.num_actions, size=len(best)), device=self.device)
        at_random = torch.as_tensor(self.random_rows(len(best)), device=self.device)
        return torch.where(at_random, drawn, best), {"values": values}, memory

    def kept_actions(self, actions: np.ndarray) -> np.ndarray:
        """The actions (T, N, 1)."""
        return actions[..., np.newaxis]

    def rewarded(self, rollout: Rollout) -> Rollout:
        """The rollout with the rewards that are learned from."""
        return replace(rollout, rewards=dense_rewards(rollout, self.goals)) if self.dense else rollout

    def state_values(self, observations: Tensors) -> torch.Tensor:
        """The greatest value of an action."""
        return self.network(observations).amax(dim=1)

    def next_values(self, observations: Tensors) -> torch.Tensor:
        """The greatest values (n, 1) of the target network."""
        return self.target_networks["q"](observations).amax(dim=1, keepdim=True)

    def learn(self, observations: Tensors, actions: torch.Tensor, targets: torch.Tensor) -> dict[str, float]:
        """One gradient step on the mean squared error, unclipped, as in the published source."""
        values = self.network.unmasked(observations).gather(1, actions.long())
        loss = functional.mse_loss(values, targets)
        self.optimizers["q"].zero_grad()
        loss.backward()
        self.optimizers["q"].step()
        return {"loss": loss.item(), "value": values.mean().item()}

    def policy_weights(self) -> Arrays:
        """The network's weights."""
        return network_arrays(self.network)


def dense_rewards(rollout: Rollout, goals: Goals) -> np.ndarray:
    """float32 (T, N): a step from s to s' is rewarded by d(s, g) - d(s', g), plus 1 if it reaches g.

    The paper says that DQN learned only "if the shaped reward was exposed at every time step", not in which form. This
    is its shaped reward (equation 2) as a difference of potentials: undiscounted, an episode's rewards add up to
    equation 2's terminal reward and the distance from its start, which no action changes. With the distance itself at
    every step a longer episode would cost more, so that what is shaped would not be the same task.
    """

    def distances(achieved: np.ndarray) -> np.ndarray:
        flat = goals.distance(achieved.reshape(wanted.shape), wanted)
        return flat.reshape(rollout.rewards.shape)

    wanted = rollout.observations["desired_goal"].flatten(0, 1).cpu().numpy()
    before, after = rollout.observations["achieved_goal"].cpu().numpy(), rollout.following("achieved_goal")
    return (rollout.rewards + distances(before) - distances(after)).astype(np.float32)
