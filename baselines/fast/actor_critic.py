"""CompiledActorCritic: acting and PPO's updates in compiled code, with memory or without, over categories and reals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.fast.adam import RMSPROP, CompiledAdam
from procgen_bench.baselines.fast.coded_features import is_codable
from procgen_bench.baselines.fast.compiled_network import CompiledNetwork
from procgen_bench.baselines.fast.layer_table import AsItIs, Block, LayerTable
from procgen_bench.baselines.fast.network_arrays import block_of
from procgen_bench.baselines.fast.packed_rows import packed_places
from procgen_bench.baselines.fast.passes import finish
from procgen_bench.baselines.fast.policy_gradient import act, begin_step, find_gradient
from procgen_bench.baselines.fast.set_layers import SetTable
from procgen_bench.baselines.fast.view_features import is_compilable_view
from procgen_bench.baselines.parts.actor_critic import ActorCritic
from procgen_bench.baselines.parts.distributions import Actions, BoundedActions, DiscreteActions, MultiDiscreteActions
from procgen_bench.baselines.policies.arrays import Arrays

#: Samples of one pass: their numbers stay in a processor's second cache.
_CAPACITY = 256


class ObservationReader(Protocol):
    """Turns observations into numbers, and what an encoder makes of them into layers."""

    def encode(self, observations: Arrays) -> np.ndarray | None:
        """Observations by name (n, ...) -> float32 (n, k); ``None``: they are such as compiled code does not take."""

    def compile_into(self, table: SetTable, linear: nn.Linear, relu: bool = True) -> Block:
        """Write the encoder into a table, and what a linear module makes of its features, with a ReLU if asked for."""


def is_compilable(network: ActorCritic, actions: Actions) -> bool:
    """Whether a network of categories, pictures of such, and reals :func:`has_compilable_layers`, without attention."""
    return (
        (is_codable(network.encoder) or is_compilable_view(network.encoder))
        and (network.memory is None or type(network) is ActorCritic)  # others attend to what is remembered
        and has_compilable_layers(network, actions)
    )


def has_compilable_layers(network: ActorCritic, actions: Actions) -> bool:
    """Whether a network behind its encoder is on the CPU, dense but for its memory, without masks and pointers, and its
    actions discrete."""
    return (
        isinstance(actions, DiscreteActions | MultiDiscreteActions)
        and network.critic.weight.device.type == "cpu"
        and (len(network.trunk) > 0 or network.memory is not None)
        and network.actor.is_plain
    )


@dataclass(frozen=True)
class LossWeights:
    """What PPO's loss consists of, and where an update ends; see :class:`.PolicyGradientConfiguration`."""

    clip_range: float
    value_weight: float
    entropy_weight: float
    barrier_weight: float
    normalise: bool
    max_kl: float


class CompiledActorCritic:
    """An actor and its critic, and the optimiser that trains them; the network's parameters are views on these.

    Args:
        network: One that :func:`has_compilable_layers`, and nothing else behind its encoder.
        actions: Its actions.
        reader: What its encoder does.
        learning_rate, max_gradient: The optimiser's; see :class:`.AdamArrays`.
        rmsprop: Whether it is RMSprop, not Adam.
    """

    def __init__(
        self,
        network: ActorCritic,
        actions: Actions,
        reader: ObservationReader,
        learning_rate: float,
        max_gradient: float,
        rmsprop: bool,
    ):
        self._sizes, self._parameters = np.array(actions.sizes, np.int64), list(network.parameters())
        assert not isinstance(actions, BoundedActions)
        self._actions, self._reader = actions, reader
        table = SetTable()
        dense = [(layer, True) for layer in network.trunk if isinstance(layer, nn.Linear)]
        dense += [] if network.memory is None else [(network.memory.seen, False)]
        block = reader.compile_into(table, *dense[0])
        entries = None if network.memory is None else table.input("entries", AsItIs(2))
        for layer, relu in dense[1:]:
            block = table.dense(block, layer, relu)
        self._remembered: list[Block] = []
        if network.memory is not None and entries is not None:
            self._remembered = table.memory(block, entries, network.memory.kept)
            block = self._remembered[0]
        block = _say(network, table, block)
        self._network = CompiledNetwork(network, table, block, _CAPACITY, torch.get_num_threads())
        self._adam = CompiledAdam(self._network.arrays, learning_rate, max_gradient, least=1e-5)
        if rmsprop:
            self._adam.arrays = self._adam.arrays._replace(**RMSPROP)

    def encode(self, observations: Arrays) -> np.ndarray | None:
        """float32 (n, width) of observations by name (n, ...); ``None``: categories are among them that are none."""
        return self._reader.encode(observations)

    def act(
        self, encoded: np.ndarray, noise: np.ndarray, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions (n, ...), their log-probabilities (n,), the states' values (n,), and the memory after them (n, M).

        Args:
            encoded: See :meth:`encode`.
            noise: float32 (n, distributions), uniform in [0, 1).
            memory: float32 (n, M), before them.
        """
        network, count = self._network, len(encoded)
        network.refresh()
        shares = network.shares(count)
        if self._remembered:
            greatest = max(end - first for first, end in shares)
            encoded = self._begin(encoded, memory.numpy(), np.ones((1, count), np.float32), greatest)
        actions = np.empty((count, len(self._sizes)), np.int64)
        log_probabilities, values = np.empty(count, np.float32), np.empty(count, np.float32)

        def act_in(number: int) -> None:
            own = slice(*shares[number])
            given = network.parts[number], encoded[own].ravel(), self._sizes, noise[own]
            act(*given, actions[own], log_probabilities[own], values[own])

        network.each(len(shares), act_in)
        if self._remembered:
            after = [
                [block_of(part.cells, part.capacity, end - first, own.offset, 1, own.width) for own in self._remembered]
                for part, (first, end) in zip(network.parts, shares)
            ]
            memory = torch.from_numpy(np.concatenate([np.concatenate(blocks, axis=1) for blocks in after]))
        chosen = self._actions.of_indices(torch.from_numpy(actions))
        return chosen, torch.from_numpy(log_probabilities), torch.from_numpy(values), memory

    def train(
        self,
        encoded: np.ndarray,
        minibatches: list[np.ndarray],
        epochs: int,
        columns: Arrays,
        loss: LossWeights,
        learning_rate: float,
        memory: np.ndarray,
        starts: np.ndarray,
    ) -> dict[str, float]:
        """Some passes over minibatches, each of which is a gradient step.

        Args:
            encoded: See :meth:`encode`; of T steps of N rows, in the order of time.
            minibatches: Places of samples, int64 (k,) each; with memory, of rows, all of whose steps are learned from.
            epochs: Passes.
            columns: By name (n,): ``"advantages"``, ``"returns"``, ``"log_probabilities"``, ``"weights"``, and (n, ...)
                ``"actions"``.
            loss: Its parts.
            learning_rate: The optimiser's from now on.
            memory: float32 (N, M), before the first step.
            starts: bool (T, N), where episodes begin.

        Returns:
            Mean measures of the steps that were taken, as :func:`.policy_gradient_loss` has them.
        """
        self._network.notice_changes()
        self._adam.set_rate(learning_rate)
        steps = len(starts) if self._remembered else 1
        parts = [[part[first:end] for first, end in self._network.shares(len(part), steps)] for part in minibatches]
        if self._remembered:
            given = starts, columns["weights"]
            parts = [[packed_places(own, *given) for own in minibatch] for minibatch in parts]
            greatest = max(len(own) for minibatch in parts for own in minibatch)
            encoded = self._begin(encoded, memory, 1 - starts.astype(np.float32), greatest)
        sums, taken = np.zeros(4), 0
        for minibatch in parts * epochs:
            means = self._find_gradient(encoded.ravel(), minibatch, columns, loss)
            if loss.max_kl > 0 and taken > 0 and means[3] > loss.max_kl:
                break
            self._network.add_gradients(len(minibatch))
            self._adam.step()
            sums += means
            taken += 1
        means = (sums / taken).tolist()
        return dict(zip(("policy_loss", "value_loss", "entropy", "divergence"), means, strict=True))

    def gradient_norms(
        self,
        encoded: np.ndarray,
        parts: Sequence[tuple[int, int, int]],
        columns: Arrays,
        memory: np.ndarray,
        starts: np.ndarray,
    ) -> np.ndarray:
        """See :meth:`.Learner.gradient_norms`; ``parts`` are a rollout's, the rest is as for :meth:`train`."""
        self._network.notice_changes()
        nothing, counted = np.zeros(starts.size, np.float32), np.ones(starts.size, np.float32)
        columns = columns | {"returns": nothing, "weights": counted}
        loss = LossWeights(0.0, 0.0, 0.0, 0.0, normalise=False, max_kl=0.0)
        if self._remembered:
            longest = max(end - first for _, first, end in parts)
            encoded = self._begin(encoded, memory, 1 - starts.astype(np.float32), longest)
        places, norms = np.arange(starts.size).reshape(starts.shape), np.empty(starts.shape, np.float32)
        for row, first, end in parts:
            if self._remembered:
                self._network.remember(memory, end - first, end - first)
            self._find_gradient(encoded.ravel(), [places[first:end, row].copy()], columns, loss)
            finish(self._network.arrays)
            gradient = self._network.arrays.parameter_gradients.astype(np.float64)
            norms[first:end, row] = gradient @ gradient
        return norms

    def _find_gradient(
        self, written: np.ndarray, minibatch: list[np.ndarray], columns: Arrays, loss: LossWeights
    ) -> np.ndarray:
        """Have each thread find the gradient of its own part of a minibatch; returns the measures float64 (4,)."""
        network = self._network
        advantages, weights = columns["advantages"], columns["weights"]
        places = minibatch[0] if len(minibatch) == 1 else np.concatenate(minibatch)
        scale = begin_step(network.arrays, places, advantages, weights, loss.normalise)
        actions = columns["actions"].reshape(len(weights), -1)
        given = self._sizes, actions, columns["log_probabilities"], advantages, columns["returns"], weights
        sizes = loss.clip_range, loss.value_weight, loss.entropy_weight, loss.barrier_weight
        found = network.each(
            len(minibatch),
            lambda number: find_gradient(network.parts[number], written, minibatch[number], *given, sizes, scale),
        )
        return np.sum(found, axis=0)

    def _begin(self, encoded: np.ndarray, memory: np.ndarray, going_on: np.ndarray, samples: int) -> np.ndarray:
        """Go on from memories (N, M) for T steps, of which ``going_on`` (T, N) do not begin an episode.

        Returns:
            What was encoded, float32 (T * N, width + 2), with each sample's entries for the memory.
        """
        self._network.remember(memory, len(going_on), samples)
        rows = np.broadcast_to(np.arange(going_on.shape[1], dtype=np.float32), going_on.shape)
        return np.concatenate([encoded, going_on.reshape(-1, 1), rows.reshape(-1, 1)], axis=1)

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


def _say(network: ActorCritic, table: LayerTable, state: Block) -> Block:
    """What the actor and the critic say of a state, side by side."""
    heads, own_layers = [*network.actor.heads, network.critic], [*network.own_layers]
    states = table.copies(state, len(own_layers) or len(heads))
    states = [table.dense(own, _linear(layer), relu=True) for own, layer in zip(states, own_layers)] or states
    if own_layers:
        states = [*table.copies(states[0], len(heads) - 1), states[1]]
    return table.join([table.dense(own, _linear(head)) for own, head in zip(states, heads)])


def _linear(module: nn.Module) -> nn.Linear:
    assert isinstance(module, nn.Linear)
    return module
