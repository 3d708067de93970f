"""Soft actor-critic (Haarnoja et al., 2018) under a teacher, with hindsight replay in goal environments."""

import math
from types import MappingProxyType

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.action_kinds import check_bounded
from procgen_bench.baselines.methods.sac_settings import SACConfiguration
from procgen_bench.baselines.parts.encoders import own_network
from procgen_bench.baselines.parts.off_policy import OffPolicyLearner
from procgen_bench.baselines.parts.replay import Goals, Hindsight, Replay, Transitions
from procgen_bench.baselines.parts.space_features import SpaceFeatures, dense_layers, normalising
from procgen_bench.baselines.policies.arrays import Arrays, named_space, network_arrays
from procgen_bench.baselines.policies.tensors import Tensors, normal_draws, torch_seeded_from
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.baselines.training.method import Context, RowsOptions
from procgen_bench.baselines.training.player import Player
from procgen_bench.engine.goal_env import GoalRows

#: Bounds of the logarithm of the actor's standard deviations, as in the published source.
_LOG_DEVIATIONS = (-20.0, 2.0)
#: What the density of squashed actions is kept above, as in stable-baselines3.
_LEAST_SLOPE = 1e-6
#: Entropy, for each number of an action, that the weight of the entropy is learned for, as in the published source.
_TARGET_ENTROPY = -1.0


class SquashedRange:
    """Reals squashed into the range of an action space by a hyperbolic tangent.

    Args:
        space: A bounded vector.

    Raises:
        UnsupportedActionsError: It is another space.
    """

    def __init__(self, space: spaces.Space):
        check_bounded(space)
        assert isinstance(space, spaces.Box)
        self.size, self.low, self.high = space.shape[0], space.low, space.high
        self._low, self._high = torch.as_tensor(space.low), torch.as_tensor(space.high)

    def actions(self, reals: torch.Tensor) -> torch.Tensor:
        """Reals (n, k) -> actions (n, k)."""
        low, high = self._low.to(reals.device), self._high.to(reals.device)
        actions = low + (torch.tanh(reals) + 1) / 2 * (high - low)
        return torch.minimum(torch.maximum(actions, low), high)  # rounding may step over an end

    def scaled(self, actions: np.ndarray) -> np.ndarray:
        """Actions (..., k) -> the same with their range scaled to [-1, 1]."""
        return 2 * (actions - self.low) / (self.high - self.low) - 1


class SquashedActor(nn.ModuleDict):
    """Observations -> means and log-deviations of the reals that are squashed."""

    def __init__(self, observation_space: spaces.Dict, size: int, width: int, layers: int, network: str = ""):
        features = SpaceFeatures(observation_space, network)
        inputs = width if layers else features.features_dim
        parts = {"features": features, "dense": dense_layers(features.features_dim, 0, width, layers)}
        super().__init__(parts | {"mean": nn.Linear(inputs, size), "log_deviation": nn.Linear(inputs, size)})

    def forward(self, observations: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
        """By name (n, ...) -> (n, k) each."""
        dense = self["dense"](self["features"](observations))
        return self["mean"](dense), self["log_deviation"](dense).clamp(*_LOG_DEVIATIONS)

    def drawn(self, observations: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
        """By name (n, ...) -> scaled actions (n, k) in [-1, 1] by torch's generator, and log-probabilities (n, 1)."""
        means, log_deviations = self(observations)
        noise = torch.normal(torch.zeros_like(means), torch.ones_like(means))
        actions = torch.tanh(means + log_deviations.exp() * noise)
        log_normal = -0.5 * noise.square() - log_deviations - 0.5 * math.log(2 * math.pi)
        log_slope = torch.log(1 - actions.square() + _LEAST_SLOPE)
        return actions, (log_normal - log_slope).sum(dim=1, keepdim=True)


class TwinCritic(nn.Module):
    """Two values of an action, by layers of their own behind the same features."""

    def __init__(self, observation_space: spaces.Dict, size: int, width: int, layers: int, network: str = ""):
        super().__init__()
        self.features = SpaceFeatures(observation_space, network)
        inputs = self.features.features_dim + size
        self.heads = nn.ModuleList(dense_layers(inputs, 1, width, layers) for _ in range(2))

    def forward(self, observations: Tensors, actions: torch.Tensor) -> torch.Tensor:
        """By name (n, ...), and scaled actions (n, k) -> (n, 2)."""
        given = torch.cat([self.features(observations), actions], dim=1)
        return torch.cat([head(given) for head in self.heads], dim=1)


class SAC(OffPolicyLearner):
    """Draws from a normal distribution, squashed into the actions' range.

    Args:
        observation_space: Of one row, by name.
        action_space: Of one row: a bounded vector.
        configuration: The method's settings.
        rng: Draws everything.
        goals: Says what a goal earns; ``None``: there are none.
    """

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Space,
        configuration: SACConfiguration,
        rng: np.random.Generator,
        goals: Goals | None = None,
    ):
        self.range, self.configuration = SquashedRange(action_space), configuration
        device, rate = torch.device(configuration.device), configuration.learning_rate
        sizes = self.range.size, configuration.width, configuration.layers, configuration.network
        with torch_seeded_from(rng, device):
            self.actor = SquashedActor(observation_space, *sizes).to(device)
            self.critic = TwinCritic(observation_space, *sizes).to(device)
        self.log_entropy_weight = nn.Parameter(torch.full((1,), math.log(configuration.entropy_weight), device=device))
        learned = {
            "actor": self.actor.parameters(),
            "critic": self.critic.parameters(),
            "entropy": iter([self.log_entropy_weight]),
        }
        networks = nn.ModuleDict({"actor": self.actor, "critic": self.critic})
        networks.register_parameter("log_entropy_weight", self.log_entropy_weight)
        replay = Replay(
            configuration.buffer_size,
            observation_space,
            np.zeros(self.range.size, np.float32),
            configuration.num_envs,
            rng,
            device,
            Hindsight(goals, configuration.hindsight) if goals is not None else None,
            least_steps=configuration.rollout_steps,
        )
        optimizers = {name: torch.optim.Adam(own, rate, fused=True) for name, own in learned.items()}
        settings = configuration.off_policy
        super().__init__(networks, optimizers, replay, settings, rng, ["critic"], normalising(networks))
        self.target_entropy = _TARGET_ENTROPY * self.range.size

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Actions, and the states' ``"values"``; uniform ones until learning starts."""
        means, log_deviations = self.actor(observations)
        if self.steps < self.settings.learning_starts:
            uniform = self.rng.uniform(-1, 1, means.shape).astype(np.float32)
            chosen = torch.atanh(torch.as_tensor(uniform, device=self.device))
        else:
            normal = self.rng.standard_normal(means.shape, np.float32)
            chosen = means + log_deviations.exp() * torch.as_tensor(normal, device=self.device)
        return self.range.actions(chosen), {"values": self._value_of(observations, means)}, memory

    def kept_actions(self, actions: np.ndarray) -> np.ndarray:
        """Actions scaled to [-1, 1]."""
        return self.range.scaled(actions)

    def state_values(self, observations: Tensors) -> torch.Tensor:
        """The value of the mean action, by the more sceptical critic."""
        return self._value_of(observations, self.actor(observations)[0])

    def learn(self, batch: Transitions) -> dict[str, float]:
        """One gradient step of the entropy's weight, of the critics, and of the actor."""
        actions, log_probabilities = self.actor.drawn(batch.observations)
        entropy_weight = self.log_entropy_weight.detach().exp()
        measures = {"ent_coef": entropy_weight.item()}
        surplus = (log_probabilities + self.target_entropy).detach()
        measures["ent_coef_loss"] = self._step("entropy", -(self.log_entropy_weight * surplus).mean())
        with torch.no_grad():
            next_actions, next_log_probabilities = self.actor.drawn(batch.next_observations)
            following = self.target_networks["critic"](batch.next_observations, next_actions)
            soft = following.amin(dim=1, keepdim=True) - entropy_weight * next_log_probabilities
            targets = self.settings.targets(batch, soft)
        values = self.critic(batch.observations, batch.actions)
        losses = [functional.mse_loss(values[:, place : place + 1], targets) for place in range(2)]
        measures["critic_loss"] = self._step("critic", 0.5 * (losses[0] + losses[1]))
        least = self.critic(batch.observations, actions).amin(dim=1, keepdim=True)
        measures["actor_loss"] = self._step("actor", (entropy_weight * log_probabilities - least).mean())
        return measures

    def policy_weights(self) -> Arrays:
        """The actor's weights."""
        return network_arrays(self.actor)

    def _step(self, name: str, loss: torch.Tensor) -> float:
        """Take a gradient step with the optimiser of this name."""
        optimizer = self.optimizers[name]
        optimizer.zero_grad()
        loss.backward(inputs=optimizer.param_groups[0]["params"])
        optimizer.step()
        return loss.item()

    def _value_of(self, observations: Tensors, means: torch.Tensor) -> torch.Tensor:
        return self.critic(observations, torch.tanh(means)).amin(dim=1)


class SquashedPolicy(WeightedPolicy):
    """Takes the mean of the actor's normal distribution, or draws from it, squashed into the actions' range.

    Args:
        environment_id: What it plays.
        stochastic: Whether it draws.
        width: Units in each dense layer.
        layers: Dense layers.
        network: A person's own, ``module:Class``; see :class:`.OwnEncoder`.
    """

    network: SquashedActor
    size_limits = MappingProxyType({"width": 4_096, "layers": 16})
    takes_network = True

    def __init__(self, environment_id: str, stochastic: bool, width: int = 128, layers: int = 2, network: str = ""):
        with gymnasium.make(environment_id) as env:
            self._range, space = SquashedRange(env.action_space), named_space(env.observation_space)
        actor = SquashedActor(space, self._range.size, width, layers, network)
        super().__init__(actor, stochastic, noise_width=2 * self._range.size)

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions float32 (n, k); there is no state."""
        chosen, log_deviations = self.network(observations)
        if self.stochastic:
            chosen = chosen + log_deviations.exp() * normal_draws(noise)
        return self._range.actions(chosen), {}


def rows_options(environment_id: str, configuration: SACConfiguration) -> RowsOptions:
    """Rows as the environment has them."""
    return RowsOptions(configuration.num_envs, configuration.rollout_steps)


def make_players(context: Context) -> list[Player]:
    """One learner."""
    configuration = context.configuration
    own_network(configuration.network)
    with torch.random.fork_rng(devices=[]):
        policy = SquashedPolicy(context.benchmark.environment_id, configuration.stochastic, **configuration.sizes)
    goals = context.rows.env if isinstance(context.rows.env, GoalRows) else None
    spaces_of_rows = context.rows.observation_space, context.rows.env.single_action_space
    learner = SAC(*spaces_of_rows, configuration, context.rng("learner"), goals)
    return [Player(learner, policy, configuration.sizes)]
