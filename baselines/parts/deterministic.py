"""Deterministic policy gradients (Lillicrap et al., 2016) for goals: networks, learner, policy."""

from abc import abstractmethod
from collections.abc import Mapping

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.parts.goal_networks import Actor, VectorEncoder
from procgen_bench.baselines.parts.hierarchy import SHIPPED, HierarchicalPolicy, training_options
from procgen_bench.baselines.parts.off_policy import OffPolicyLearner
from procgen_bench.baselines.parts.replay import Replay, Transitions
from procgen_bench.baselines.parts.replay_settings import OffPolicySettings
from procgen_bench.baselines.policies.arrays import Arrays, network_arrays
from procgen_bench.baselines.policies.tensors import Tensors, array_leaves
from procgen_bench.core.errors import InvalidPolicyError

#: Factor of the actor's outputs before tanh: the published source's. Actions begin, and long stay, near the middle.
OUTPUT_SCALE = 0.005


class Normalising(nn.Module):
    """A network, or a part of one, that is given what training sees (before it learns), for running moments of it."""

    @abstractmethod
    def update_normaliser(self, observations: Tensors) -> None:
        """Let observations by name (n, ...), of any dtype, count."""


def make_deterministic_actor(observation_space: spaces.Space, action_space: spaces.Box) -> nn.Sequential:
    """Observations (n, ...) by name -> actions (n, k), scaled so that their range is [-1, 1]."""
    return nn.Sequential(*Actor(observation_space, int(np.prod(action_space.shape))), _ScaledTanh())


class _ScaledTanh(nn.Module):
    def forward(self, outputs: torch.Tensor) -> torch.Tensor:
        return torch.tanh(OUTPUT_SCALE * outputs)


class Critic(nn.Module):
    """Values of actions, which enter the first layer, as in the published source."""

    def __init__(self, observation_space: spaces.Space, action_space: spaces.Box):
        super().__init__()
        seen = array_leaves(observation_space)
        leaves = {name: seen[name] for name in ("observation", "desired_goal")}
        self.encoder = VectorEncoder(leaves | {"action": spaces.Box(-1, 1, action_space.shape)})
        self.head = nn.Linear(self.encoder.features, 1)

    def forward(self, observations: Tensors, actions: torch.Tensor) -> torch.Tensor:
        """Observations (n, ...) by name and scaled actions, float32 (n, k) -> values, float32 (n, 1)."""
        return self.head(self.encoder(observations | {"action": actions}))


class DDPG(OffPolicyLearner):
    """Bounded actions, which its networks know scaled to [-1, 1]; some rows act at random in every step.

    Args:
        action_space: Of one row: a bounded vector.
        actor: Observations by name (n, ...) -> scaled actions (n, k).
        critic: These and scaled actions (n, k) -> values (n, 1).
        optimizers: Of the ``"actor"`` and the ``"critic"``.
        replay: What is learned from.
        settings: The learner's.
        rng: Draws everything.
        epsilon: Probability of a uniformly random action.
        noise: Standard deviation of the Gaussian behaviour noise, for scaled actions.
        action_l2: Weight, in the actor's loss, of the mean square of the environment's actions, measured from the
            middle of their range.
        actor_every: Gradient steps of the critic for one of the actor.
        greedy_rows: How many rows, the first ones, act without noise, so that it is seen how well the actor does.
    """

    def __init__(
        self,
        action_space: spaces.Box,
        actor: nn.Module,
        critic: nn.Module,
        optimizers: Mapping[str, torch.optim.Optimizer],
        replay: Replay,
        settings: OffPolicySettings,
        rng: np.random.Generator,
        epsilon: float,
        noise: float,
        action_l2: float,
        actor_every: int = 1,
        greedy_rows: int = 0,
    ):
        self.actor, self.critic, self.actor_every, self.greedy_rows = actor, critic, actor_every, greedy_rows
        self.epsilon, self.noise, self.action_l2 = epsilon, noise, action_l2
        self._low, self._high = action_space.low, action_space.high
        self._reach = torch.as_tensor((self._high - self._low) / 2, device=settings.device)
        networks = nn.ModuleDict({"actor": actor, "critic": critic})
        normalisers = [part for part in networks.modules() if isinstance(part, Normalising)]
        super().__init__(networks, optimizers, replay, settings, rng, ["actor", "critic"], normalisers)

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Actions, float32 (n, k), with noise, or some at random, and the states' ``"values"``, float32 (n,)."""
        best = self.actor(observations)
        chosen = best.cpu().numpy()
        noisy = np.clip(chosen + self.rng.normal(0, self.noise, chosen.shape), -1, 1)
        uniform = self.rng.uniform(-1, 1, chosen.shape)
        at_random = self.rng.random((len(chosen), 1)) < self.epsilon
        scaled = np.where(at_random, uniform, noisy).astype(np.float32)
        scaled[: self.greedy_rows] = chosen[: self.greedy_rows]
        actions = np.clip(self._low + (scaled + 1) / 2 * (self._high - self._low), self._low, self._high)
        return torch.as_tensor(actions, device=self.device), {"values": self.critic(observations, best)[:, 0]}, memory

    def kept_actions(self, actions: np.ndarray) -> np.ndarray:
        """Scaled actions, float32 (T, N, k) in [-1, 1]."""
        return 2 * (actions - self._low) / (self._high - self._low) - 1

    def state_values(self, observations: Tensors) -> torch.Tensor:
        """The critic's values, float32 (n,), of the actor's actions."""
        return self.critic(observations, self.actor(observations))[:, 0]

    def targets(self, batch: Transitions) -> torch.Tensor:
        """What the values of a minibatch's actions should be, float32 (n, 1), by the target networks."""
        with torch.no_grad():
            actions = self.target_networks["actor"](batch.next_observations)
            return self.settings.targets(batch, self.target_networks["critic"](batch.next_observations, actions))

    def learn(self, batch: Transitions) -> dict[str, float]:
        """One gradient step of the critic, then, if it is due, one of the actor."""
        values = self.critic(batch.observations, batch.actions)
        critic_loss = functional.mse_loss(values, self.targets(batch))
        self.optimizers["critic"].zero_grad()
        critic_loss.backward()
        self.optimizers["critic"].step()
        measures = {"critic_loss": critic_loss.item(), "value": values.mean().item()}
        return measures | (self._learn_to_act(batch) if self.gradient_steps % self.actor_every == 0 else {})

    def _learn_to_act(self, batch: Transitions) -> dict[str, float]:
        chosen = self.actor(batch.observations)
        squared_action = (self._reach * chosen).square().mean()
        actor_loss = self.action_l2 * squared_action - self.critic(batch.observations, chosen).mean()
        actor_loss = actor_loss + self.further_actor_loss(batch.observations, chosen)
        self.optimizers["actor"].zero_grad()
        actor_loss.backward(inputs=list(self.actor.parameters()))  # the critic's gradients would cost as much again
        self.optimizers["actor"].step()
        return {"actor_loss": actor_loss.item(), "squared_action": squared_action.item()}

    def further_actor_loss(self, observations: Tensors, chosen: torch.Tensor) -> torch.Tensor | float:
        """A subclass's addition to the actor's loss, of the scaled actions, float32 (n, k), that it now chooses."""
        return 0.0

    def policy_weights(self) -> Arrays:
        """The actor's weights by name: arrays of their shapes and dtypes."""
        return network_arrays(self.actor)


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
