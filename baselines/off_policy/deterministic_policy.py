"""DeterministicPolicy: a trained actor of :class:`.GoalDDPG`, ready to play."""

import gymnasium
import torch
from gymnasium import spaces

from procgen_bench.baselines.off_policy.deterministic_networks import make_deterministic_actor
from procgen_bench.baselines.parts.hierarchy import SHIPPED, HierarchicalPolicy, training_options
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.core.errors import InvalidPolicyError


class DeterministicPolicy(HierarchicalPolicy):
    """Plays the actor's actions, scaled to the environment's range.

    Args:
        environment_id: What it plays.
        stochastic: Must be false: there is nothing to draw from.
        low_level: What walks the ant to subgoals; see :class:`.HierarchicalPolicy`.

    Raises:
        InvalidPolicyError: ``stochastic`` is true.
    """

    def __init__(self, environment_id: str, stochastic: bool, low_level: str = SHIPPED):
        if stochastic:
            raise InvalidPolicyError("configuration.stochastic is True, expected False: the actor is deterministic")
        with gymnasium.make(environment_id, **training_options(environment_id)) as env:
            assert isinstance(env.action_space, spaces.Box)  # what DDPG learns
            self._low, self._high = torch.as_tensor(env.action_space.low), torch.as_tensor(env.action_space.high)
            network = make_deterministic_actor(env.observation_space, env.action_space)
        super().__init__(environment_id, network, stochastic, 0, low_level)

    def choose(self, observations: Tensors, noise: torch.Tensor) -> torch.Tensor:
        """Actions float32 (n, k) of the environment in which the actor was trained."""
        actions = self._low + (self.chooser(observations) + 1) / 2 * (self._high - self._low)
        return torch.minimum(torch.maximum(actions, self._low), self._high)  # rounding may step over an end
