"""A method in one file: REINFORCE, in any environment, under any teacher.

From top to bottom: the settings, which are the options of ``procgen-bench train own-reinforce``; the policy, which is
evaluated and exported; the learner, which acts and updates; ``rows_options`` and ``make_players``,
which a run asks for what it needs.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import gymnasium
import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.parts.space_features import SpaceFeatures, dense_layers, normalising
from procgen_bench.baselines.policies.arrays import Arrays, below, named_space, network_arrays
from procgen_bench.baselines.policies.tensors import Tensors, optimizer_arrays, restore_optimizer
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.baselines.training.learner import Learner, Rollout
from procgen_bench.baselines.training.method import Context, RowsOptions
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.settings import AMOUNT, COUNT, SHARE, RolloutConfiguration, option
from procgen_bench.core.seeding import seed_from_parts


@dataclass(frozen=True)
class ReinforceConfiguration(RolloutConfiguration):
    """What is inherited, ``--teacher`` and ``--num-envs`` among it, is the same for every method."""

    #: As the entry point calls it.
    method: ClassVar[str] = "own-reinforce"

    rollout_steps: int = option(64, "Steps of every row between updates; an episode should fit in.", COUNT)
    learning_rate: float = option(3e-3, "Learning rate of Adam.", AMOUNT)
    discount: float = option(0.97, "Discount factor.", SHARE)
    entropy_weight: float = option(0.01, "Weight of the entropy bonus.", AMOUNT)
    baseline_decay: float = option(0.9, "Share of the mean return that an update leaves.", SHARE)
    width: int = option(64, "Units in the hidden layer.", COUNT)


class ReinforcePolicy(WeightedPolicy):
    """Draws from the distribution that the network's outputs make, or takes its most likely action."""

    #: Arguments of the constructor that a policy's folder may set, and the greatest that it may.
    size_limits = MappingProxyType({"width": 4_096})

    def __init__(self, environment_id: str, stochastic: bool, width: int = 64):
        with gymnasium.make(environment_id) as env:
            observation_space, self.actions = named_space(env.observation_space), actions_of(env.action_space)
        features = SpaceFeatures(observation_space)
        layers = dense_layers(features.features_dim, self.actions.num_outputs, width, 1)
        super().__init__(nn.Sequential(features, layers), stochastic, self.actions.noise_width)

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions (n, ...); calls nothing but torch, so that it can be exported. It keeps no state."""
        return self.actions.play(self.network(observations), noise if self.stochastic else None), {}


class Reinforce(Learner[Rollout]):
    """Makes actions likelier by how much more was earned after them than on the average.

    Args:
        policy: Whose network is trained.
        configuration: The settings.
        rng: Draws the actions; nothing else here is random.
    """

    def __init__(self, policy: ReinforcePolicy, configuration: ReinforceConfiguration, rng: np.random.Generator):
        self.device = torch.device(configuration.device)
        self.network, self.actions = policy.network.to(self.device), policy.actions
        self.configuration, self.rng = configuration, rng
        self.optimizer = torch.optim.Adam(self.network.parameters(), configuration.learning_rate)
        self.mean_return = 0.0

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Actions (N, ...); nothing has to be noted of them, and there is no memory."""
        outputs = self.network(observations)
        noise = self.rng.random((len(outputs), self.actions.noise_width), np.float32)
        return self.actions.play(outputs, torch.as_tensor(noise, device=self.device)), {}, memory

    def update(self, rollout: Rollout) -> dict[str, float]:
        """One gradient step on the steps whose return is known, and that the teacher lets it learn from."""
        for reader in normalising(self.network):
            reader.update_normaliser({name: array.flatten(0, 1) for name, array in rollout.observations.items()})
        returns, known = returns_to_go(rollout.rewards, rollout.ends, self.configuration.discount)
        usable = known & rollout.train
        if not usable.any():
            return {}
        chosen = torch.as_tensor(usable.reshape(-1), device=self.device)
        observations = {name: array.flatten(0, 1)[chosen] for name, array in rollout.observations.items()}
        actions = rollout.actions.flatten(0, 1)[chosen]
        advantages = torch.as_tensor(returns[usable] - np.float32(self.mean_return), device=self.device)
        log_probabilities, entropies = self.actions.evaluate(self.network(observations), actions)
        policy_loss = -(log_probabilities * advantages).mean()
        entropy = entropies.mean()
        self.optimizer.zero_grad()
        (policy_loss - self.configuration.entropy_weight * entropy).backward()
        self.optimizer.step()
        decay = self.configuration.baseline_decay
        self.mean_return = decay * self.mean_return + (1 - decay) * float(returns[usable].mean())
        return {"policy_loss": policy_loss.item(), "entropy": entropy.item(), "baseline": self.mean_return}

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """All that the next step depends on: the network, Adam's moments, the baseline, the generator."""
        arrays = {f"network.{name}": array for name, array in self.policy_weights().items()}
        arrays |= {f"optimizer.{name}": array for name, array in optimizer_arrays(self.optimizer).items()}
        return arrays, {"mean_return": self.mean_return, "rng": self.rng.bit_generator.state}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Take all of it back."""
        self.network.load_state_dict({name: torch.as_tensor(a) for name, a in below(arrays, "network").items()})
        restore_optimizer(self.optimizer, below(arrays, "optimizer"))
        self.mean_return, self.rng.bit_generator.state = values["mean_return"], values["rng"]

    def policy_weights(self) -> Arrays:
        """The weights that :class:`ReinforcePolicy` plays with."""
        return network_arrays(self.network)


def returns_to_go(rewards: np.ndarray, ends: np.ndarray, discount: float) -> tuple[np.ndarray, np.ndarray]:
    """The discounted sums of the rewards from each step to the end of its episode.

    Args:
        rewards: float32 (T, N).
        ends: bool (T, N), whether an episode ended with the step.
        discount: The discount factor.

    Returns:
        The sums, float32 (T, N), and whether each is known, bool (T, N): of the last episode in a row only the
        beginning was collected.
    """
    returns, known = np.zeros_like(rewards), np.zeros_like(ends)
    after, is_over = np.zeros_like(rewards[0]), np.zeros_like(ends[0])
    for step in reversed(range(len(rewards))):
        after = rewards[step] + discount * np.where(ends[step], 0, after)
        is_over = is_over | ends[step]
        returns[step], known[step] = after, is_over
    return returns, known


def rows_options(environment_id: str, configuration: ReinforceConfiguration) -> RowsOptions:
    """The rows that the method needs: how many, and how many steps of each between updates."""
    return RowsOptions(configuration.num_envs, configuration.rollout_steps)


def make_players(context: Context) -> list[Player]:
    """The run's one player; the run itself, its rows, its teacher and its folder are the package's."""
    configuration, sizes = context.configuration, {"width": context.configuration.width}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_from_parts("network", context.seed))
        # Two of them: one is trained, the other plays evaluations with copies of its weights.
        trained, playing = (
            ReinforcePolicy(context.benchmark.environment_id, configuration.stochastic, **sizes) for _ in "12"
        )
    return [Player(Reinforce(trained, configuration, context.rng("learner")), playing, sizes)]
