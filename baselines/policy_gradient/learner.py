"""PolicyGradient: proximal policy optimisation (Schulman et al., 2017), of which A2C is the case of one plain epoch."""

from typing import Any

import numpy as np
import torch

from procgen_bench.baselines.actions.choice import Actions
from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.learning.learner import Learner
from procgen_bench.baselines.learning.rollout import Rollout
from procgen_bench.baselines.named_arrays import Arrays, below, network_arrays
from procgen_bench.baselines.optimizer_arrays import optimizer_arrays, restore_optimizer
from procgen_bench.baselines.policy_gradient.advantages import rollout_advantages
from procgen_bench.baselines.policy_gradient.configuration import PolicyGradientConfiguration
from procgen_bench.baselines.policy_gradient.loss import policy_gradient_loss
from procgen_bench.baselines.policy_gradient.minibatches import Minibatch, minibatches_of
from procgen_bench.baselines.policy_gradient.network import ActorCritic


class PolicyGradient(Learner[Rollout]):
    """An actor-critic that is trained on clipped ratios of probabilities.

    Args:
        network: Actor and critic.
        actions: The distribution that is made of the actor's outputs.
        configuration: The method's settings.
        rng: What actions and minibatches are drawn by.
        device: Where to reckon.
    """

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
        self.memory_width = network.memory_width
        self.optimizer = configuration.make_optimizer(network.parameters())
        self._advantages: np.ndarray | None = None

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Actions drawn from the distribution, with their ``"log_probabilities"`` and the states' ``"values"``."""
        outputs, values, memory = self.network.read(self.network.prepare(observations), memory)
        noise = self.rng.random((len(outputs), self.actions.noise_width), np.float32)
        actions = self.actions.play(outputs, torch.as_tensor(noise, device=self.device))
        log_probabilities, _ = self.actions.evaluate(outputs, actions)
        return actions, {"log_probabilities": log_probabilities, "values": values}, memory

    @torch.inference_mode()
    def values(self, observations: Tensors) -> np.ndarray:
        """The critic's values float32 (N,) of first observations."""
        memory = torch.zeros(len(next(iter(observations.values()))), self.memory_width, device=self.device)
        return self.network(observations, memory)[1].cpu().numpy()

    @torch.inference_mode()
    def advantages(self, rollout: Rollout) -> np.ndarray:
        """Generalised advantages float32 (T, N)."""
        settings = self.configuration
        values = rollout.aux["values"].cpu().numpy()
        last_values = self.network(rollout.last_observations, rollout.last_memory)[1].cpu().numpy()
        cut_values = self.network(rollout.cut_observations, rollout.cut_memory)[1].cpu().numpy()
        self._advantages = rollout_advantages(
            rollout, values, last_values, cut_values, settings.discount, settings.gae_lambda
        )
        return self._advantages

    def update(self, rollout: Rollout) -> dict[str, float]:
        """Some epochs of minibatches over the steps that may be learned from."""
        if not rollout.train.any():
            return {}
        advantages = self.advantages(rollout) if self._advantages is None else self._advantages
        self._advantages = None
        self.network.see({name: array.flatten(0, 1) for name, array in rollout.observations.items()})
        minibatches = minibatches_of(
            rollout, self.network.prepare, advantages, self.configuration.minibatches, self.rng
        )
        measures = [
            self._step(*self._evaluated(minibatch), minibatch.kept)
            for _ in range(self.configuration.epochs)
            for minibatch in minibatches
        ]
        return {name: float(np.mean([measure[name] for measure in measures])) for name in measures[0]}

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """The network, the optimiser and the generator."""
        arrays = {f"network.{name}": array for name, array in self.policy_weights().items()}
        arrays |= {f"optimizer.{name}": array for name, array in optimizer_arrays(self.optimizer).items()}
        return arrays, {"rng": self.rng.bit_generator.state}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        self.network.load_state_dict({name: torch.as_tensor(a) for name, a in below(arrays, "network").items()})
        restore_optimizer(self.optimizer, below(arrays, "optimizer"))
        self.rng.bit_generator.state = values["rng"]

    def policy_weights(self) -> Arrays:
        """The network's weights, the critic's among them."""
        return network_arrays(self.network)

    def _evaluated(self, minibatch: Minibatch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Log-probabilities, entropies and values (n,) of the minibatch's steps under the present network."""
        if minibatch.starts is None:
            outputs, values, _ = self.network.read(minibatch.prepared, minibatch.memory)
        else:
            outputs, values = self.network.unroll(minibatch.prepared, minibatch.memory, minibatch.starts)
        log_probabilities, entropies = self.actions.evaluate(outputs, minibatch.kept["actions"])
        return log_probabilities, entropies, values

    def _step(self, log_probabilities, entropies, values, kept: Tensors) -> dict[str, float]:
        """One gradient step."""
        settings, weights = self.configuration, kept["weights"]
        total = weights.sum()
        mean = (kept["advantages"] * weights).sum() / total
        spread = (((kept["advantages"] - mean) ** 2 * weights).sum() / total).sqrt()
        if settings.normalise:
            kept = kept | {"advantages": (kept["advantages"] - mean) / (spread + 1e-8)}
        loss, measures = policy_gradient_loss(
            log_probabilities,
            entropies,
            values,
            kept,
            settings.clip_range,
            settings.value_weight,
            settings.entropy_weight,
        )
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), settings.max_gradient)
        self.optimizer.step()
        return measures
