"""QLearner: deep Q-learning (Mnih et al., 2015), whatever its network, its loss and its exploration."""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.parts.flat_choices import FlatChoices
from procgen_bench.baselines.parts.off_policy import OffPolicyLearner
from procgen_bench.baselines.parts.replay import Replay, Transitions
from procgen_bench.baselines.parts.replay_settings import OffPolicySettings
from procgen_bench.baselines.policies.arrays import Arrays, below, network_arrays
from procgen_bench.baselines.policies.tensors import Tensors, optimizer_arrays, restore_optimizer

#: Next values as they are.
UNBOUNDED = (-np.inf, np.inf)


class QValues(Protocol):
    """A Q-network, its target network and its optimiser."""

    def values(self, observations: Tensors) -> torch.Tensor:
        """Values float32 (n, actions)."""

    def train(self, batches: Transitions, bounds: tuple[float, float]) -> list[dict[str, float]]:
        """A gradient step on each of the minibatches that lie behind each other.

        Args:
            batches: A multiple of the batch size.
            bounds: The least and the greatest value of a next state.

        Returns:
            The ``"loss"`` of each before its step.
        """

    def set_learning_rate(self, rate: float) -> None:
        """Let the optimiser take steps of this size from now on."""

    def state(self) -> Arrays:
        """The optimiser's arrays by name, of any shape and dtype."""

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`state` returned."""


class TorchValues:
    """Computed by torch; for what its methods do see :class:`QValues`.

    Args:
        network: Observations by name (n, ...) -> values, float32 (n, actions).
        target_network: Values what follows.
        optimizer: The network's.
        settings: The learner's.
        loss: Of values, float32 (n, 1), and targets: Huber's by default.
        max_gradient: Maximum norm of the gradient.
        taken_by: The values (n, actions) of actions that were taken, where ``network`` masks some.
    """

    def __init__(
        self,
        network: nn.Module,
        target_network: nn.Module,
        optimizer: torch.optim.Optimizer,
        settings: OffPolicySettings,
        loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] = functional.smooth_l1_loss,
        max_gradient: float = np.inf,
        taken_by: Callable[[Tensors], torch.Tensor] | None = None,
    ):
        self.network, self.target_network, self.optimizer = network, target_network, optimizer
        self._settings, self._loss, self._max_gradient = settings, loss, max_gradient
        self._taken_by = taken_by or network

    def values(self, observations: Tensors) -> torch.Tensor:
        """Values float32 (n, actions)."""
        return self.network(observations)

    def targets(self, batch: Transitions, bounds: tuple[float, float] = UNBOUNDED) -> torch.Tensor:
        """What the values of a minibatch's actions should be, float32 (n, 1), by the target network's best actions."""
        with torch.no_grad():
            following = self.target_network(batch.next_observations).amax(dim=1, keepdim=True).clamp(*bounds)
            return self._settings.targets(batch, following)

    def train(self, batches: Transitions, bounds: tuple[float, float] = UNBOUNDED) -> list[dict[str, float]]:
        """A gradient step on each minibatch; measures also the mean ``"value"`` of its actions."""
        measures, size = [], self._settings.batch_size
        for first in range(0, len(batches), size):
            batch = batches.part(first, size)
            values = self._taken_by(batch.observations).gather(1, batch.actions)
            loss = self._loss(values, self.targets(batch, bounds))
            self.optimizer.zero_grad()
            loss.backward()
            if self._max_gradient < np.inf:
                nn.utils.clip_grad_norm_(self.network.parameters(), self._max_gradient)
            self.optimizer.step()
            measures.append({"loss": loss.item(), "value": values.mean().item()})
        return measures

    def set_learning_rate(self, rate: float) -> None:
        """Let the optimiser take steps of this size from now on."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def state(self) -> Arrays:
        """The optimiser's arrays by name, of any shape and dtype."""
        return optimizer_arrays(self.optimizer)

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`state` returned, in its shapes and dtypes."""
        restore_optimizer(self.optimizer, arrays)


class QLearner(OffPolicyLearner):
    """Takes the action of the greatest value, but for a random one with the probability epsilon, row by row.

    Args:
        choices: The actions.
        network: Observations by name (n, ...) -> values (n, actions).
        make_values: (network, target network) -> what computes and learns with them.
        replay: What is learned from.
        settings: The learner's.
        rng: Draws everything.
        normalised: See :class:`.OffPolicyLearner`.

    Attributes:
        q: What computes and learns.
    """

    def __init__(
        self,
        choices: FlatChoices,
        network: nn.Module,
        make_values: Callable[[Any, Any], QValues],
        replay: Replay,
        settings: OffPolicySettings,
        rng: np.random.Generator,
        normalised: Iterable[Any] = (),
    ):
        self.choices = choices
        super().__init__(nn.ModuleDict({"q": network}), {}, replay, settings, rng, ["q"], normalised)
        self.q = make_values(self.networks["q"], self.target_networks["q"])

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """The probability of a random action now."""

    @property
    def next_value_bounds(self) -> tuple[float, float]:
        """The least and the greatest value of a next state."""
        return UNBOUNDED

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Actions (n, ...), and the states' ``"values"``, float32 (n,)."""
        values, best = self.q.values(observations).max(dim=1)
        at_random = torch.as_tensor(self.rng.random(len(best)) < self.epsilon, device=self.device)
        drawn = torch.as_tensor(self.rng.integers(self.choices.count, size=len(best)), device=self.device)
        return self.choices.actions(torch.where(at_random, drawn, best)), {"values": values}, memory

    def kept_actions(self, actions: np.ndarray) -> np.ndarray:
        """The actions' numbers, int64 (T, N, 1)."""
        return self.choices.numbers(actions)[..., np.newaxis]

    def state_values(self, observations: Tensors) -> torch.Tensor:
        """The greatest value of an action, float32 (n,)."""
        return self.networks["q"](observations).amax(dim=1)

    def set_learning_rate(self, rate: float) -> None:
        """Let the optimiser take steps of this size from now on."""
        self.q.set_learning_rate(rate)

    def learn(self, batch: Transitions) -> dict[str, float]:
        """Take one gradient step."""
        return self.q.train(batch, self.next_value_bounds)[0]

    def learn_in_turn(self, batches: Transitions) -> list[dict[str, float]]:
        """As the base class, by one call: target networks of Q-learning rest meanwhile."""
        return self.q.train(batches, self.next_value_bounds)

    def policy_weights(self) -> Arrays:
        """The network's weights by name: arrays of their shapes and dtypes."""
        return network_arrays(self.networks["q"])

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """And the optimiser's arrays by name, of any shape and dtype."""
        arrays, values = super().state()
        return arrays | {f"q.{name}": array for name, array in self.q.state().items()}, values

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)
        self.q.restore(below(arrays, "q"))
