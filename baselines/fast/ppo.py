"""FastPolicyGradient: PPO's learner whose acting and updates are compiled."""

from typing import Any, Self

import numpy as np
import torch

from procgen_bench.baselines.fast.actor_critic import (
    CompiledActorCritic,
    LossWeights,
    ObservationReader,
    is_compilable,
)
from procgen_bench.baselines.fast.coded_features import CodedFeatures, is_codable
from procgen_bench.baselines.fast.view_features import ViewFeatures
from procgen_bench.baselines.methods.ppo import PolicyGradient, parts_of
from procgen_bench.baselines.policies.arrays import Arrays, below
from procgen_bench.baselines.policies.tensors import Tensors, restore_optimizer
from procgen_bench.baselines.training.learner import Rollout


class FastPolicyGradient(PolicyGradient):
    """Computes what :class:`.PolicyGradient` says; once an observation comes that it cannot take, torch goes on.

    The arguments are those of :class:`.PolicyGradient`, whose network :func:`.is_compilable`.
    """

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        settings = self.configuration
        rates = settings.learning_rate, settings.max_gradient
        self.compiled: CompiledActorCritic | None = CompiledActorCritic(
            self.network, self.actions, self.make_reader(), *rates, settings.optimiser == "rmsprop"
        )

    def make_reader(self) -> ObservationReader:
        """What the network's encoder does, for compiled code."""
        encoder = self.network.encoder
        return CodedFeatures(encoder) if is_codable(encoder) else ViewFeatures(encoder.own)

    def critic_targets(self, returns: np.ndarray) -> np.ndarray:
        """What the critic's head is to say of returns, both float32 (T, N)."""
        return returns

    @classmethod
    def of(cls, learner: PolicyGradient) -> Self | None:
        """The twin of a learner that has learned nothing; ``None``: the learner does what compiled code does not."""
        if not cls.takes(learner):
            return None
        twin = cls(learner.network, learner.actions, learner.configuration, learner.rng, str(learner.device))
        twin.share_left = learner.share_left
        return twin

    @staticmethod
    def takes(learner: Any) -> bool:
        """Whether compiled code does all that a learner does."""
        return type(learner) is PolicyGradient and is_compilable(learner.network, learner.actions)

    def _act(
        self, observations: Tensors, memory: torch.Tensor, noise: np.ndarray
    ) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        encoded = self._encoded(observations)
        if encoded is None or self.compiled is None:
            return super()._act(observations, memory, noise)
        actions, log_probabilities, values, memory = self.compiled.act(encoded, noise, memory)
        return actions, {"log_probabilities": log_probabilities, "values": values}, memory

    def critic_values(self, observations: Tensors, memory: torch.Tensor) -> np.ndarray:
        """See :meth:`.PolicyGradient.critic_values`; in one thread, as several take longer to begin than this takes."""
        if self.compiled is None:
            return super().critic_values(observations, memory)
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            return super().critic_values(observations, memory)
        finally:
            torch.set_num_threads(threads)

    def _learn(self, rollout: Rollout, observations: Tensors, advantages: np.ndarray) -> dict[str, float]:
        encoded = self._encoded(observations)
        if encoded is None or self.compiled is None:
            return super()._learn(rollout, observations, advantages)
        settings = self.configuration
        columns = {name: rollout.aux[name].numpy() for name in ("log_probabilities", "values")}
        columns |= {"advantages": advantages, "returns": self.critic_targets(advantages + columns["values"])}
        columns["weights"] = rollout.train.astype(np.float32)
        flat = {name: column.ravel() for name, column in columns.items()}
        weights = settings.value_weight, self.rate("entropy_weight"), settings.barrier_weight
        loss = LossWeights(settings.clip_range, *weights, settings.normalise, settings.max_kl)
        flat["actions"] = rollout.actions.flatten(0, 1).numpy()
        parts = parts_of(rollout, settings.minibatches, self.rng)
        begun = rollout.memory.numpy(), rollout.starts
        return self.compiled.train(encoded, parts, settings.epochs, flat, loss, self.rate("learning_rate"), *begun)

    def gradient_norms(self, rollout: Rollout) -> np.ndarray:
        """See :meth:`.Learner.gradient_norms`."""
        advantages = self.advantages(rollout) if self._advantages is None else self._advantages
        encoded = self._encoded({name: array.flatten(0, 1) for name, array in rollout.observations.items()})
        if encoded is None or self.compiled is None:
            return super().gradient_norms(rollout)
        old, actions = rollout.aux["log_probabilities"].numpy(), rollout.actions.flatten(0, 1).numpy()
        flat = {"advantages": advantages.ravel(), "log_probabilities": old.ravel(), "actions": actions}
        begun = rollout.memory.numpy(), rollout.starts
        return self.compiled.gradient_norms(encoded, [*rollout.episode_parts], flat, *begun)

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """The network, the optimiser and the generator."""
        if self.compiled is not None:
            restore_optimizer(self.optimizer, self.compiled.optimizer_arrays())
        arrays, values = super().state()
        return arrays, values | {"compiled": self.compiled is not None}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)
        if not values["compiled"]:
            self.compiled = None
        if self.compiled is not None:
            self.compiled.restore_optimizer(below(arrays, "optimizer"))

    def _encoded(self, observations: Tensors) -> np.ndarray | None:
        """Observations as compiled code takes them; ``None``: torch is to compute, now and from now on."""
        if self.compiled is None:
            return None
        encoded = self.compiled.encode({name: array.numpy() for name, array in observations.items()})
        if encoded is None:
            restore_optimizer(self.optimizer, self.compiled.optimizer_arrays())
            self.compiled = None
        return encoded


def twin_of(learner: PolicyGradient) -> PolicyGradient:
    """The twin of a learner that has learned nothing; where there is none, the learner itself."""
    return FastPolicyGradient.of(learner) or learner
