"""GoalPolicy: a trained actor of :class:`GoalActorCritic`, ready to play."""

import gymnasium
import numpy as np
import torch

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.baselines.episodic.actions import actions_of
from procgen_bench.baselines.episodic.actor_critic import make_actor, tensors_of
from procgen_bench.baselines.episodic.hierarchy import HierarchicalPolicy, training_options
from procgen_bench.policy import Observations


class GoalPolicy(HierarchicalPolicy):
    """Plays the mean (Beta) or the most likely action (softmax), or draws from the distribution.

    Args:
        environment_id: What it plays.
        stochastic: Whether it draws.
    """

    def __init__(self, environment_id: str, stochastic: bool):
        with gymnasium.make(environment_id, **training_options(environment_id)) as env:
            self._actions = actions_of(env.action_space)
            network = make_actor(env.observation_space, self._actions.num_outputs)
        super().__init__(environment_id, network, stochastic)
        self._rng = np.random.default_rng(0)

    def seed(self, seed: int) -> None:
        """Seed the draws."""
        self._rng = np.random.default_rng(seed)

    @torch.inference_mode()
    def choose(self, observations: Observations) -> np.ndarray:
        """Actions (n, ...) of the environment in which the actor was trained."""
        outputs = self.network(tensors_of(observations))
        return self._actions.play(outputs, self._rng if self.stochastic else None)
