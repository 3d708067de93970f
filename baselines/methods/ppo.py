"""PPO, recurrent PPO and A2C under a teacher, in any environment: loss and learner."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch

from procgen_bench.baselines.methods.ppo_settings import (
    ActorCriticConfiguration,
    PolicyGradientConfiguration,
)
from procgen_bench.baselines.parts.actor_critic import ActorCritic, ActorPolicy, Evaluated
from procgen_bench.baselines.parts.distributions import Actions
from procgen_bench.baselines.parts.encoders import own_network
from procgen_bench.baselines.parts.policy_gradient import policy_gradient_loss, rollout_advantages
from procgen_bench.baselines.policies.arrays import Arrays, below, network_arrays
from procgen_bench.baselines.policies.tensors import Tensors, optimizer_arrays, restore_optimizer, rows_of
from procgen_bench.baselines.training.learner import Learner, Rollout
from procgen_bench.baselines.training.method import Context, RowsOptions, cooling, rng_of, seed_of_player
from procgen_bench.baselines.training.player import Player
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.registrations import environment_type
from procgen_bench.core.seeding import seed_from_parts


@dataclass(frozen=True)
class Minibatch:
    """Single steps, or with memory all steps of some rows, time first.

    Attributes:
        prepared: What was seen before each step, as the network prepared it: by name (n, ...), with memory (T, n, ...).
        kept: By name (n, ...) or (T * n, ...): ``"actions"``, what the learner noted of them but for the values, as
            ``"log_probabilities"``, ``"advantages"``, ``"returns"``, and ``"weights"``, 0 where a step may not be
            learned from.
        memory: float32 (n, M), before the first step.
        starts: bool (T, n), where episodes begin; ``None`` of single steps.
    """

    prepared: Tensors
    kept: Tensors
    memory: torch.Tensor
    starts: torch.Tensor | None


class Judged(NamedTuple):
    """What a network says of n steps that were taken, float32 (n,) each; ``from_uniform``: how far the uniform
    distribution diverges from those over actions; ``evaluated``: what else an :class:`.ActorCritic` says."""

    log_probabilities: torch.Tensor
    entropies: torch.Tensor
    from_uniform: torch.Tensor | None
    values: torch.Tensor
    evaluated: Evaluated | None = None


def minibatches_of(
    rollout: Rollout,
    prepare: Callable[[Tensors], Tensors],
    advantages: np.ndarray,
    count: int,
    rng: np.random.Generator,
    further: Mapping[str, np.ndarray] = MappingProxyType({}),
) -> list[Minibatch]:
    """A rollout in random parts of equal size.

    They are made once, for all passes over the rollout: gathering the steps again for each took a tenth of the time.

    Args:
        rollout: What was collected, of T steps in N rows.
        prepare: What the network requires of observations by name (n, ...).
        advantages: float32 (T, N).
        count: Parts.
        rng: Draws which step, or with memory which row, is in which part.
        further: Further columns (T, N, ...) to keep of each step.
    """
    device = rollout.memory.device
    returns = advantages + rollout.aux["values"].cpu().numpy()
    parts = [torch.as_tensor(part, device=device) for part in parts_of(rollout, count, rng)]
    columns = {"advantages": advantages, "returns": returns, "weights": rollout.train.astype(np.float32)}
    columns |= further
    kept = {name: torch.as_tensor(column, device=device) for name, column in columns.items()}
    kept |= {name: noted for name, noted in rollout.aux.items() if name != "values"} | {"actions": rollout.actions}
    with torch.no_grad():
        prepared = prepare({name: array.flatten(0, 1) for name, array in rollout.observations.items()})
    if not rollout.memory.shape[1]:
        nothing = rollout.memory[:1]
        kept = {name: column.flatten(0, 1) for name, column in kept.items()}
        return [
            Minibatch(rows_of(prepared, part), rows_of(kept, part), nothing.expand(len(part), 0), None)
            for part in parts
        ]
    starts = torch.as_tensor(rollout.starts, device=device)
    in_order = {name: array.unflatten(0, rollout.train.shape) for name, array in prepared.items()}
    return [
        Minibatch(
            {name: array[:, part] for name, array in in_order.items()},
            {name: column[:, part].flatten(0, 1) for name, column in kept.items()},
            rollout.memory[part],
            starts[:, part],
        )
        for part in parts
    ]


def parts_of(rollout: Rollout, count: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Random parts of equal size of the steps that may be learned from; with memory, of the rows that have any.

    Returns:
        Places int64 (n,) each, of steps among T * N, or of rows.
    """
    candidates = np.flatnonzero(rollout.train.any(axis=0) if rollout.memory.shape[1] else rollout.train)
    chosen = rng.permutation(candidates)
    size = -(-len(chosen) // count)
    return [chosen[first : first + size] for first in range(0, len(chosen), size)]


def adapted_entropy_weight(weight: float, entropy: float, target: float) -> float:
    """The entropy's weight in the next update: by up to 5 % greater below the target, or smaller above it."""
    apart = float(np.clip((target - entropy) / target, -1.0, 1.0))
    return float(np.clip(weight * np.exp(0.05 * apart), 1e-4, 1.0))


def make_optimizer(
    configuration: PolicyGradientConfiguration, parameters: Iterable[torch.nn.Parameter]
) -> torch.optim.Optimizer:
    """The optimiser, with the epsilons that stable-baselines3 gives it."""
    if configuration.optimiser == "adam":
        return torch.optim.Adam(parameters, lr=configuration.learning_rate, eps=1e-5, fused=True)
    return torch.optim.RMSprop(parameters, lr=configuration.learning_rate, alpha=0.99, eps=1e-5)


class AdvantageLearner(Learner[Rollout]):
    """A learner of generalised advantages; subclasses of an algorithm may add to what is learned.

    Attributes:
        network: What is trained.
        configuration: Settings with a ``discount`` and a ``gae_lambda``.
    """

    network: Any
    configuration: Any
    #: Of the newest rollout, where a teacher has asked for them.
    _advantages: np.ndarray | None = None

    @abstractmethod
    def critic_values(self, observations: Tensors, memory: torch.Tensor) -> np.ndarray:
        """The critic's values float32 (n,), as returns, of observations (n, ...) seen with this memory (n, M)."""

    @torch.inference_mode()
    def values(self, observations: Tensors) -> np.ndarray:
        """The critic's values float32 (N,) of first observations."""
        memory = torch.zeros(len(next(iter(observations.values()))), self.memory_width, device=self.device)
        return self.critic_values(observations, memory)

    @torch.inference_mode()
    def advantages(self, rollout: Rollout) -> np.ndarray:
        """Generalised advantages float32 (T, N), in the rewards' units."""
        values = rollout.aux["values"].cpu().numpy()
        last_values = self.critic_values(rollout.last_observations, rollout.last_memory)
        cut_values = self.critic_values(rollout.cut_observations, rollout.cut_memory)
        self._advantages = self.estimate_advantages(rollout, values, last_values, cut_values)
        return self._advantages

    def estimate_advantages(
        self, rollout: Rollout, values: np.ndarray, last_values: np.ndarray, cut_values: np.ndarray
    ) -> np.ndarray:
        """See :func:`.rollout_advantages`."""
        return rollout_advantages(rollout, values, last_values, cut_values, *self.discounts)

    def trained_parameters(self) -> Iterable[torch.nn.Parameter]:
        """What the optimiser changes."""
        return self.network.parameters()

    def further_columns(self, rollout: Rollout) -> dict[str, np.ndarray]:
        """What the loss needs of each step besides what is always kept, by name (T, N, ...)."""
        return {}


class PolicyGradient(AdvantageLearner):
    """An actor-critic that is trained on clipped ratios of probabilities.

    Args:
        network: Actor and critic.
        actions: The distribution that is made of the actor's outputs.
        configuration: The method's settings.
        rng: What actions and minibatches are drawn by.
        device: Where it computes.

    Attributes:
        share_left: The share of its rates that is left at present; a run that cools down says.
    """

    share_left: Callable[[], float]

    def __init__(
        self,
        network: ActorCritic,
        actions: Actions,
        configuration: PolicyGradientConfiguration,
        rng: np.random.Generator,
        device: str = "cpu",
    ):
        self.device = torch.device(device)
        self.network = network.to(self.device)
        self.actions, self.configuration, self.rng = actions, configuration, rng
        self.discounts, self.memory_width = (configuration.discount, configuration.gae_lambda), network.memory_width
        self.rates = {"learning_rate": configuration.learning_rate, "entropy_weight": configuration.entropy_weight}
        self.share_left = lambda: 1.0
        self.optimizer = make_optimizer(configuration, self.trained_parameters())

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Actions drawn from the distribution, with their ``"log_probabilities"`` and the states' ``"values"``."""
        noise = self.rng.random((len(memory), self.actions.noise_width), np.float32)
        return self._act(observations, memory, noise)

    def _act(
        self, observations: Tensors, memory: torch.Tensor, noise: np.ndarray
    ) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """The same with uniform noise float32 (N, ...)."""
        outputs, values, memory = self.network.read(self.network.prepare(observations), memory)
        actions = self.actions.play(outputs, torch.as_tensor(noise, device=self.device))
        log_probabilities, _ = self.actions.evaluate(outputs, actions)
        return actions, {"log_probabilities": log_probabilities, "values": values}, memory

    def critic_values(self, observations: Tensors, memory: torch.Tensor) -> np.ndarray:
        """The critic's values float32 (n,), as returns, of observations (n, ...) seen with this memory (n, M)."""
        return self.network(observations, memory)[1].cpu().numpy()

    def gradient_norms(self, rollout: Rollout) -> np.ndarray:
        """See :meth:`.Learner.gradient_norms`; the advantages are in the rewards' units, and not normalised."""
        advantages = self.advantages(rollout) if self._advantages is None else self._advantages
        norms, parameters = np.empty_like(rollout.rewards), [*self.trained_parameters()]
        for row, first, end in rollout.episode_parts:
            own = np.zeros((len(norms), 1), np.bool_)
            own[first:end] = True
            part = replace(rollout.of(np.array([row])), train=own)
            unshuffled = np.random.default_rng(0)  # a single minibatch
            (minibatch,) = minibatches_of(part, self.network.prepare, advantages[:, [row]], 1, unshuffled)
            kept = minibatch.kept
            gains = self.judged(minibatch).log_probabilities * kept["advantages"] * kept["weights"]
            gradients = torch.autograd.grad(gains.sum() / (end - first), parameters, allow_unused=True)
            norms[first:end, row] = sum(float(one.double().square().sum()) for one in gradients if one is not None)
        return norms

    def update(self, rollout: Rollout) -> dict[str, float]:
        """Some epochs of minibatches over the steps that may be learned from; then the entropy's weight follows."""
        if not rollout.train.any():
            return {}
        advantages = self.advantages(rollout) if self._advantages is None else self._advantages
        self._advantages = None
        flat = {name: array.flatten(0, 1) for name, array in rollout.observations.items()}
        self.network.update_normaliser(flat)
        measures, target = self._learn(rollout, flat, advantages), self.configuration.entropy_target
        if target > 0:
            measures["entropy_weight"] = self.rates["entropy_weight"]
            weight = adapted_entropy_weight(self.rates["entropy_weight"], measures["entropy"], target)
            self.rates = {**self.rates, "entropy_weight": weight}
        return measures

    def _learn(self, rollout: Rollout, observations: Tensors, advantages: np.ndarray) -> dict[str, float]:
        """The epochs of :meth:`update`; the rollout's observations are by name (T * N, ...)."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate("learning_rate")
        count, further = self.configuration.minibatches, self.further_columns(rollout)
        minibatches = minibatches_of(rollout, self.network.prepare, advantages, count, self.rng, further)
        measures: list[dict[str, float]] = []
        for minibatch in minibatches * self.configuration.epochs:
            own = self._step(minibatch, is_first=not measures)
            if own is None:
                break
            measures.append(own)
        return {name: float(np.mean([measure[name] for measure in measures])) for name in measures[0]}

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """The network, the optimiser and the generator."""
        arrays = {f"network.{name}": array for name, array in self.policy_weights().items()}
        arrays |= {f"optimizer.{name}": array for name, array in optimizer_arrays(self.optimizer).items()}
        return arrays, {"rng": self.rng.bit_generator.state}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        self.network.load_state_dict({name: torch.as_tensor(a) for name, a in below(arrays, "network").items()})
        restore_optimizer(self.optimizer, below(arrays, "optimizer"))
        self.rng.bit_generator.state = values["rng"]

    def policy_weights(self) -> Arrays:
        """The network's weights, the critic's among them."""
        return network_arrays(self.network)

    def rate(self, name: str) -> float:
        """What is left at present of a rate."""
        return self.rates[name] * self.share_left()

    def judged(self, minibatch: Minibatch) -> Judged:
        """What the network says of the minibatch's steps."""
        evaluated = self.network.evaluate(minibatch.prepared, minibatch.memory, minibatch.starts)
        log_probabilities, entropies = self.actions.evaluate(evaluated.outputs, minibatch.kept["actions"])
        apart = self.actions.from_uniform(evaluated.outputs) if self.configuration.barrier_weight > 0 else None
        return Judged(log_probabilities, entropies, apart, evaluated.values, evaluated)

    def loss(self, minibatch: Minibatch) -> tuple[torch.Tensor, dict[str, float]]:
        """What a gradient step makes smaller, and its parts, the ``"divergence"`` from the acting policy among them."""
        return self.policy_loss(self.judged(minibatch), minibatch.kept)

    def policy_loss(self, judged: Judged, kept: Tensors) -> tuple[torch.Tensor, dict[str, float]]:
        """The same of what the network says of n steps, and what was kept of them, by name (n,)."""
        settings, weights, total = self.configuration, kept["weights"], kept["weights"].sum()
        if settings.normalise:
            mean = (kept["advantages"] * weights).sum() / total
            spread = (((kept["advantages"] - mean) ** 2 * weights).sum() / total).sqrt()
            kept = kept | {"advantages": (kept["advantages"] - mean) / (spread + 1e-8)}
        sizes = settings.clip_range, settings.value_weight, self.rate("entropy_weight")
        loss, measures = policy_gradient_loss(judged.log_probabilities, judged.entropies, judged.values, kept, *sizes)
        if settings.barrier_weight > 0 and judged.from_uniform is not None:
            loss = loss + settings.barrier_weight * (judged.from_uniform * weights).sum() / total
        return loss, measures

    def _step(self, minibatch: Minibatch, is_first: bool) -> dict[str, float] | None:
        """One gradient step; ``None``: none is taken, as the policy has moved too far; the first one always is."""
        loss, measures = self.loss(minibatch)
        settings = self.configuration
        if settings.max_kl and not is_first and measures["divergence"] > settings.max_kl:
            return None
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), settings.max_gradient)
        self.optimizer.step()
        return measures


SettingsT = TypeVar("SettingsT", bound=PolicyGradientConfiguration)


def shared_rows(configuration: SettingsT, num_players: int) -> SettingsT:
    """A player's settings where so many share the rows: its minibatches are as large as those of one who has all."""
    return replace(configuration, minibatches=max(1, round(configuration.minibatches / num_players)))


def rows_options(environment_id: str, configuration: ActorCriticConfiguration) -> RowsOptions:
    """Rows whose observations learners prefer."""
    shown = environment_type(environment_id)
    return RowsOptions(
        configuration.num_envs,
        configuration.rollout_steps,
        steps_per_action=configuration.action_repeat,
        is_repeated=configuration.action_repeat > 1,
        options={"staggered": True, **shown.vector_learning_options(), **shown.learning_options()},
    )


def actor_critic(
    benchmark: Benchmark,
    configuration: ActorCriticConfiguration,
    seed: int,
    policy_type: type[ActorPolicy] = ActorPolicy,
) -> tuple[ActorPolicy, ActorCritic]:
    """A policy that is evaluated, and a network of its kind to be trained."""
    own_network(configuration.network)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_from_parts("network", seed))
        policy, trained = (
            policy_type(benchmark.environment_id, configuration.stochastic, **configuration.sizes) for _ in range(2)
        )
    return policy, trained.network


def make_players(context: Context) -> list[Player]:
    """A learner for each of the teacher's players."""
    players, configuration, names = [], context.configuration, context.rows.teacher.players
    for name in names:
        own_seed = seed_of_player(name, context.seed)
        policy, network = actor_critic(context.benchmark, configuration, own_seed)
        settings, rng = shared_rows(configuration, len(names)), rng_of("learner", own_seed)
        learner = PolicyGradient(network, policy.actions, settings, rng, configuration.device)
        learner.share_left = cooling(configuration.cooldown, context.rows, context.steps)
        players.append(Player(learner, policy, configuration.sizes, name))
    return players
