"""PolicyGradient: proximal policy optimisation (Schulman et al., 2017), of which A2C is the case of one plain epoch."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from procgen_bench.baselines.actions.choice import Actions
from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.learning.learner import Learner
from procgen_bench.baselines.learning.rollout import Rollout
from procgen_bench.baselines.named_arrays import Arrays, below
from procgen_bench.baselines.networks.space_encoder import SpaceEncoder
from procgen_bench.baselines.optimizer_arrays import optimizer_arrays, restore_optimizer
from procgen_bench.baselines.policy_gradient.advantages import generalised_advantages, values_after
from procgen_bench.baselines.policy_gradient.configuration import PolicyGradientConfiguration
from procgen_bench.baselines.policy_gradient.network import ActorCritic


class PolicyGradient(Learner):
    """An actor-critic that is trained on clipped ratios of probabilities.

    Args:
        network: Actor and critic.
        actions: The distribution that is made of the actor's outputs.
        configuration: The method's settings.
        rng: What actions and minibatches are drawn by.
        device: Where to reckon.
    """

    learns_values = True

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
        outputs, values, memory = self.network(observations, memory)
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
        following = values_after(values, last_values, rollout.truncations, cut_values)
        advantages = np.empty_like(values)
        generalised_advantages(
            rollout.rewards,
            values,
            following,
            rollout.terminations,
            rollout.ends,
            settings.discount,
            settings.gae_lambda,
            advantages,
        )
        self._advantages = advantages
        return advantages

    def update(self, rollout: Rollout) -> dict[str, float]:
        """Some epochs of minibatches over the steps that may be learned from."""
        if not rollout.train.any():
            return {}
        advantages = self.advantages(rollout) if self._advantages is None else self._advantages
        self._advantages = None
        self.network.see({name: array.flatten(0, 1) for name, array in rollout.observations.items()})
        data = _TrainingData(rollout, self.network.encoder, advantages, self.device)
        measures = [
            self._step(*self._evaluated(data, chosen), data.of(chosen))
            for _ in range(self.configuration.epochs)
            for chosen in self._minibatches(data)
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
        return {name: tensor.cpu().numpy().copy() for name, tensor in self.network.state_dict().items()}

    def _minibatches(self, data: "_TrainingData") -> Iterator[torch.Tensor]:
        """Indices of steps, or with memory of whole rows, drawn without replacement."""
        order = torch.as_tensor(self.rng.permutation(data.num_rows if self.memory_width else len(data.places)))
        chosen = order if self.memory_width else data.places[order]
        size = -(-len(chosen) // self.configuration.minibatches)
        yield from chosen.to(self.device).split(size)

    def _evaluated(
        self, data: "_TrainingData", chosen: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Log-probabilities, entropies and values (n,) of the chosen steps under the present network."""
        if self.memory_width:
            outputs, values = self.network.unroll(*data.sequences(chosen))
        else:
            outputs, values, _ = self.network.read(data.prepared(chosen), data.no_memory(len(chosen)))
        log_probabilities, entropies = self.actions.evaluate(outputs, data.of(chosen)["actions"])
        return log_probabilities, entropies, values

    def _step(self, log_probabilities, entropies, values, kept: Tensors) -> dict[str, float]:
        """One gradient step."""
        settings, weights = self.configuration, kept["weights"]
        total = weights.sum()
        mean = (kept["advantages"] * weights).sum() / total
        spread = (((kept["advantages"] - mean) ** 2 * weights).sum() / total).sqrt()
        advantages = (kept["advantages"] - mean) / (spread + 1e-8) if settings.normalise else kept["advantages"]
        ratios = (log_probabilities - kept["log_probabilities"]).exp()
        if settings.clip_range > 0:
            clipped = ratios.clamp(1 - settings.clip_range, 1 + settings.clip_range)
            gains = torch.minimum(advantages * ratios, advantages * clipped)
        else:  # the plain policy gradient
            gains = advantages * log_probabilities
        policy_loss = -(gains * weights).sum() / total
        value_loss = (functional.mse_loss(values, kept["returns"], reduction="none") * weights).sum() / total
        entropy = (entropies * weights).sum() / total
        loss = policy_loss + settings.value_weight * value_loss - settings.entropy_weight * entropy
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), settings.max_gradient)
        self.optimizer.step()
        measures = {"policy_loss": policy_loss, "value_loss": value_loss, "entropy": entropy}
        return {name: float(value.detach()) for name, value in measures.items()}


class _TrainingData:
    """A rollout as tensors: of single steps, time first and flat, or of whole rows.

    Args:
        rollout: What was collected, of T steps in N rows.
        encoder: The network's, which prepares what was observed.
        advantages: float32 (T, N).
        device: Where to reckon.
    """

    def __init__(self, rollout: Rollout, encoder: SpaceEncoder, advantages: np.ndarray, device: torch.device):
        self._rollout, self._device = rollout, device
        with torch.no_grad():
            self._prepared = encoder.prepare({name: a.flatten(0, 1) for name, a in rollout.observations.items()})
        self.num_rows = rollout.train.shape[1]
        self.places = torch.as_tensor(np.flatnonzero(rollout.train))
        returns = advantages + rollout.aux["values"].cpu().numpy()
        columns = {"advantages": advantages, "returns": returns, "weights": rollout.train.astype(np.float32)}
        self._flat = {name: torch.as_tensor(column, device=device) for name, column in columns.items()}
        self._flat |= {"log_probabilities": rollout.aux["log_probabilities"], "actions": rollout.actions}

    def of(self, chosen: torch.Tensor) -> Tensors:
        """What was kept of the chosen steps, or of all steps of the chosen rows."""
        if self._by_row:
            return {name: column[:, chosen].flatten(0, 1) for name, column in self._flat.items()}
        return {name: column.flatten(0, 1)[chosen] for name, column in self._flat.items()}

    def prepared(self, chosen: torch.Tensor) -> Tensors:
        """What was seen before the chosen steps."""
        return {name: array[chosen] for name, array in self._prepared.items()}

    def sequences(self, rows: torch.Tensor) -> tuple[Tensors, torch.Tensor, torch.Tensor]:
        """What was seen (T, n, ...), memory (n, m) and starts (T, n) of the chosen rows."""
        starts = torch.as_tensor(self._rollout.starts, device=self._device)[:, rows]
        shape = self._rollout.train.shape
        seen = {name: array.unflatten(0, shape)[:, rows] for name, array in self._prepared.items()}
        return seen, self._rollout.memory[rows], starts

    def no_memory(self, count: int) -> torch.Tensor:
        """(n, 0)."""
        return self._rollout.memory[:1, :0].expand(count, 0)

    @property
    def _by_row(self) -> bool:
        return self._rollout.memory.shape[1] > 0
