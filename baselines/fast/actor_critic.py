"""CompiledActorCritic: acting and PPO's updates in compiled code, for dense networks over categories and reals."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.fast.adam import RMSPROP, CompiledAdam
from procgen_bench.baselines.fast.coded_features import CodedFeatures, is_codable
from procgen_bench.baselines.fast.compiled_network import CompiledNetwork
from procgen_bench.baselines.fast.layer_table import AsItIs, LayerTable
from procgen_bench.baselines.fast.policy_gradient import act, train
from procgen_bench.baselines.parts.actor_critic import ActorCritic
from procgen_bench.baselines.parts.distributions import Actions, BoundedActions, DiscreteActions, MultiDiscreteActions
from procgen_bench.baselines.parts.encoders import SpaceEncoder
from procgen_bench.baselines.policies.arrays import Arrays

#: Samples of one pass: their numbers stay in a processor's second cache.
_CAPACITY = 256


def is_compilable(network: ActorCritic, actions: Actions) -> bool:
    """Whether a network is on the CPU, dense, without memory, masks and pointers, and its actions are discrete."""
    return (
        isinstance(actions, DiscreteActions | MultiDiscreteActions)
        and network.critic.weight.device.type == "cpu"
        and is_codable(network.encoder)
        and len(network.trunk) > 0
        and network.memory is None
        and network.actor.is_plain
    )


@dataclass(frozen=True)
class LossWeights:
    """What PPO's loss consists of, and where an update ends; see :class:`.PolicyGradientConfiguration`."""

    clip_range: float
    value_weight: float
    entropy_weight: float
    normalise: bool
    max_kl: float


class CompiledActorCritic:
    """An actor and its critic, and the optimiser that trains them; the network's parameters are views on these.

    Args:
        network: One that :func:`is_compilable`.
        actions: Its actions.
        learning_rate, max_gradient: The optimiser's; see :class:`.AdamArrays`.
        rmsprop: Whether it is RMSprop, not Adam.
    """

    def __init__(
        self, network: ActorCritic, actions: Actions, learning_rate: float, max_gradient: float, rmsprop: bool
    ):
        self._sizes, self._parameters = np.array(actions.sizes, np.int64), list(network.parameters())
        assert isinstance(network.encoder, SpaceEncoder) and not isinstance(actions, BoundedActions)
        self._actions = actions
        self._features = CodedFeatures(network.encoder)
        table = LayerTable()
        block = table.input("", AsItIs(self._features.width))
        dense = [layer for layer in network.trunk if isinstance(layer, nn.Linear)]
        block = table.coded(block, self._features.codes, dense[0], relu=True)
        for layer in dense[1:]:
            block = table.dense(block, layer, relu=True)
        heads = [*network.actor.heads, network.critic]
        block = table.join([table.dense(own, head) for own, head in zip(table.copies(block, len(heads)), heads)])
        self._network = CompiledNetwork(network, table, block, _CAPACITY)
        self._adam = CompiledAdam(self._network.arrays, learning_rate, max_gradient, least=1e-5)
        if rmsprop:
            self._adam.arrays = self._adam.arrays._replace(**RMSPROP)

    def encode(self, observations: Arrays) -> np.ndarray | None:
        """float32 (n, width) of observations by name (n, ...); ``None``: categories are among them that are none."""
        return self._features.encode(observations)

    def act(self, encoded: np.ndarray, noise: np.ndarray) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions (n, ...), their log-probabilities (n,) and the states' values (n,).

        Args:
            encoded: See :meth:`encode`.
            noise: float32 (n, distributions), uniform in [0, 1).
        """
        count = len(encoded)
        actions = np.empty((count, len(self._sizes)), np.int64)
        log_probabilities, values = np.empty(count, np.float32), np.empty(count, np.float32)
        act(self._network.arrays, encoded.ravel(), self._sizes, noise, actions, log_probabilities, values)
        chosen = torch.from_numpy(actions)
        return self._actions.of_indices(chosen), torch.from_numpy(log_probabilities), torch.from_numpy(values)

    def train(
        self,
        encoded: np.ndarray,
        minibatches: list[np.ndarray],
        epochs: int,
        columns: Arrays,
        loss: LossWeights,
        learning_rate: float,
    ) -> dict[str, float]:
        """Some passes over minibatches, each of which is a gradient step.

        Args:
            encoded: See :meth:`encode`.
            minibatches: Places of samples, int64 (k,) each.
            epochs: Passes.
            columns: By name (n,): ``"advantages"``, ``"returns"``, ``"log_probabilities"``; ``"actions"`` (n, ...).
            loss: Its parts.
            learning_rate: The optimiser's from now on.

        Returns:
            Mean measures of the steps that were taken, as :func:`.policy_gradient_loss` has them.
        """
        self._adam.set_rate(learning_rate)
        sums, taken = train(
            self._network.arrays,
            self._adam.arrays,
            encoded.ravel(),
            np.concatenate(minibatches),
            np.cumsum([0, *map(len, minibatches)]),
            epochs,
            self._sizes,
            columns["actions"].reshape(len(encoded), -1),
            columns["log_probabilities"],
            columns["advantages"],
            columns["returns"],
            (loss.clip_range, loss.value_weight, loss.entropy_weight, loss.normalise),
            loss.max_kl,
        )
        means = (sums / taken).tolist()
        return dict(zip(("policy_loss", "value_loss", "entropy", "divergence"), means, strict=True))

    def optimizer_arrays(self) -> Arrays:
        """What the optimiser remembers, in the form of :func:`.optimizer_arrays` of torch's."""
        moments = {name: self._network.by_parameter(vector) for name, vector in self._moments().items()}
        arrays: Arrays = {}
        for index, parameter in enumerate(self._parameters):
            arrays |= {f"{index}.{name}": views[parameter].copy() for name, views in moments.items()}
            arrays[f"{index}.step"] = np.array(self._adam.arrays.steps[0], np.float32)
        return arrays

    def restore_optimizer(self, arrays: Arrays) -> None:
        """Continue from what :meth:`optimizer_arrays` returned."""
        for name, vector in self._moments().items():
            views = self._network.by_parameter(vector)
            for index, parameter in enumerate(self._parameters):
                views[parameter][...] = arrays[f"{index}.{name}"]
        self._adam.arrays.steps[0] = int(arrays["0.step"])

    def _moments(self) -> dict[str, Any]:
        own = self._adam.arrays
        return {"exp_avg": own.mean, "exp_avg_sq": own.square} if own.corrected else {"square_avg": own.square}
