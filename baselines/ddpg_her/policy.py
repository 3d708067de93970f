"""DeterministicPolicy: a trained actor of :class:`DeterministicActorCritic`, ready to play."""

import gymnasium
import numpy as np
import torch

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.baselines.ddpg_her.actor_critic import make_deterministic_actor
from procgen_bench.baselines.episodic.actor_critic import tensors_of
from procgen_bench.baselines.episodic.hierarchy import HierarchicalPolicy, training_options
from procgen_bench.errors import InvalidPolicyError
from procgen_bench.policy import Observations


class DeterministicPolicy(HierarchicalPolicy):
    """Plays the actor's actions, scaled to the environment's range.

    Args:
        environment_id: What it plays.
        stochastic: Must be false: there is nothing to draw from.

    Raises:
        InvalidPolicyError: ``stochastic`` is true.
    """

    def __init__(self, environment_id: str, stochastic: bool):
        if stochastic:
            raise InvalidPolicyError("configuration.stochastic is True, expected False: the actor is deterministic")
        with gymnasium.make(environment_id, **training_options(environment_id)) as env:
            self._low, self._high = env.action_space.low, env.action_space.high
            network = make_deterministic_actor(env.observation_space, env.action_space)
        super().__init__(environment_id, network, stochastic)

    @torch.inference_mode()
    def choose(self, observations: Observations) -> np.ndarray:
        """Actions float32 (n, k) of the environment in which the actor was trained."""
        scaled = self.network(tensors_of(observations)).numpy()
        actions = self._low + (scaled + 1) / 2 * (self._high - self._low)
        return np.clip(actions, self._low, self._high)  # rounding may step over an end
