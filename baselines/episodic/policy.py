"""GoalPolicy: a trained actor of :class:`GoalActorCritic`, ready to play."""

import gymnasium
import torch

from procgen_bench.baselines.actions.choice import actions_of
from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.episodic.actor_critic import Actor
from procgen_bench.baselines.episodic.hierarchy import SHIPPED, HierarchicalPolicy, training_options


class GoalPolicy(HierarchicalPolicy):
    """Plays the mean (Beta) or the most likely action (softmax), or draws from the distribution.

    Args:
        environment_id: What it plays.
        stochastic: Whether it draws.
        low_level: What walks the ant to subgoals; see :class:`.HierarchicalPolicy`.
    """

    def __init__(self, environment_id: str, stochastic: bool, low_level: str = SHIPPED):
        with gymnasium.make(environment_id, **training_options(environment_id)) as env:
            self._actions = actions_of(env.action_space)
            network = Actor(env.observation_space, self._actions.num_outputs)
        super().__init__(environment_id, network, stochastic, self._actions.noise_width, low_level)

    def choose(self, observations: Tensors, noise: torch.Tensor) -> torch.Tensor:
        """Actions (n, ...) of the environment in which the actor was trained."""
        return self._actions.play(self.chooser(observations), noise if self.stochastic else None)
