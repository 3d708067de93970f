"""SoftLearner: stable-baselines3's soft actor-critic (Haarnoja et al., 2018), with hindsight where there are goals."""

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3 import SAC
from torch import nn

from procgen_bench.baselines.policies.arrays import Arrays, network_arrays
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.sb3.replay_configuration import SACConfiguration
from procgen_bench.baselines.sb3.replay_learner import ReplayLearner
from procgen_bench.baselines.sb3.rollout_replay import Goals
from procgen_bench.baselines.sb3.squashed_policy import SquashedRange
from procgen_bench.core.errors import LearningDivergedError


class SoftLearner(ReplayLearner):
    """Draws from a normal distribution, squashed into the actions' range.

    Args:
        observation_space: Of one row.
        action_space: Of one row: a bounded vector.
        configuration: The method's settings.
        steps: Environment steps of the whole run.
        rng: What everything is drawn by.
        goals: Says what a goal earns; ``None``: there are none.
    """

    algorithm: SAC

    def __init__(
        self,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        configuration: SACConfiguration,
        steps: int,
        rng: np.random.Generator,
        goals: Goals | None = None,
    ):
        self._range, weight = SquashedRange(action_space), configuration.entropy_weight
        super().__init__(
            SAC,
            observation_space,
            action_space,
            configuration,
            steps,
            rng,
            configuration.hindsight,
            goals,
            tau=configuration.target_network_share,
            ent_coef=f"auto_{weight}" if configuration.learned_entropy_weight else weight,
            target_entropy=configuration.target_entropy * self._range.size,
        )

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Actions, and the states' ``"values"``."""
        means, log_deviations, _ = self.algorithm.actor.get_action_dist_params(observations)
        if self.acts_at_random:
            uniform = self.rng.uniform(-1, 1, means.shape).astype(np.float32)
            chosen = torch.atanh(torch.as_tensor(uniform, device=self.device))
        else:
            normal = self.rng.standard_normal(means.shape, np.float32)
            chosen = means + log_deviations.exp() * torch.as_tensor(normal, device=self.device)
        return self._range.actions(chosen), {"values": self._worth(observations, means)}, memory

    def kept_actions(self, actions: np.ndarray) -> np.ndarray:
        """Actions scaled to [-1, 1]."""
        return self.algorithm.policy.scale_action(actions)

    def state_values(self, observations: Tensors) -> torch.Tensor:
        """The value of the mean action, by the more sceptical critic."""
        return self._worth(observations, self.algorithm.actor.get_action_dist_params(observations)[0])

    def policy_weights(self) -> Arrays:
        """The actor's weights, as :class:`.SquashedPolicy` names them."""
        actor = self.algorithm.actor
        assert isinstance(actor.log_std, nn.Linear)  # it depends on the state
        parts = {"features": actor.features_extractor, "dense": actor.latent_pi}
        heads = {"mean": actor.mu, "log_deviation": actor.log_std}
        return network_arrays(nn.ModuleDict({**parts, **heads}))

    def _train(self, steps: int) -> None:
        try:
            super()._train(steps)
        except ValueError as error:
            if "to satisfy the constraint" not in str(error):
                raise
            raise LearningDivergedError("the actor's actions are no longer of finite numbers") from error

    def _worth(self, observations: Tensors, means: torch.Tensor) -> torch.Tensor:
        return torch.cat(self.algorithm.critic(observations, torch.tanh(means)), dim=1).amin(dim=1)
