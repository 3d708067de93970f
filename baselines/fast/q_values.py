"""CompiledValues: gradient steps of Q-learning in compiled code, where the network can be compiled."""

from typing import Self

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.fast.adam import CompiledAdam, take_step
from procgen_bench.baselines.fast.compiled_network import CompiledNetwork
from procgen_bench.baselines.fast.layer_table import LayerTable
from procgen_bench.baselines.fast.modalities import compile_encoder
from procgen_bench.baselines.fast.passes import backward, enter, forward, outputs, prepare
from procgen_bench.baselines.parts.modality_encoder import ModalityEncoder
from procgen_bench.baselines.parts.replay import Transitions
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.core.compiled import njit


def is_compilable(network: nn.ModuleDict) -> bool:
    """Whether a network of ``"features"`` and a ``"head"`` is of layers that a table can hold."""
    encoder = getattr(network["features"], "encoder", None)
    return isinstance(encoder, ModalityEncoder) and encoder.is_compilable


class CompiledValues:
    """A Q-network and its target network on the CPU; see :class:`.TorchValues`, whose steps these are.

    Args:
        network: What is learned: ``"features"`` and a ``"head"``.
        target_network: Values what follows.
        learning_rate: Adam's.
        max_gradient: Maximum norm of the gradient.
        discount: Discount factor.
        batch_size: Transitions of each gradient step.
        num_rows: Rows that act.
    """

    def __init__(
        self,
        network: nn.ModuleDict,
        target_network: nn.ModuleDict,
        learning_rate: float,
        max_gradient: float,
        discount: float,
        batch_size: int,
        num_rows: int,
    ):
        self._batch, self._discount = batch_size, np.float32(discount)
        self._online, self._target = (_compiled(own, max(batch_size, num_rows)) for own in (network, target_network))
        self._adam = CompiledAdam(self._online.arrays, learning_rate, max_gradient)

    @classmethod
    def of(cls, network: nn.ModuleDict, target_network: nn.ModuleDict, **settings: float) -> Self | None:
        """One for a network on the CPU that :func:`is_compilable`; else ``None``."""
        if next(network.parameters()).device.type != "cpu" or not is_compilable(network):
            return None
        return cls(network, target_network, **settings)  # type: ignore[arg-type]  # whole numbers are among them

    def values(self, observations: Tensors) -> torch.Tensor:
        """Values float32 (n, actions) of the observations by name (n, ...) of the rows that act."""
        return torch.from_numpy(self._online.forward(_arrays(observations)))

    def train(self, batches: Transitions, bounds: tuple[float, float]) -> list[dict[str, float]]:
        """Gradient steps on minibatches that lie behind each other; see :meth:`.TorchValues.train`."""
        losses = _take_steps(
            self._online.arrays,
            self._target.arrays,
            self._adam.arrays,
            self._batch,
            self._online.encode(_arrays(batches.observations)),
            self._target.encode(_arrays(batches.next_observations)),
            batches.actions.numpy()[:, 0],
            batches.rewards.numpy()[:, 0],
            self._discount * (1 - batches.terminations.numpy()[:, 0]),
            np.array(bounds, np.float32),
        )
        return [{"loss": loss} for loss in losses.tolist()]

    def set_learning_rate(self, rate: float) -> None:
        """Let the optimiser take steps of this size from now on."""
        self._adam.set_rate(rate)

    def state(self) -> Arrays:
        """The optimiser's arrays; the networks are the learner's."""
        return self._adam.state()

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`state` returned."""
        self._adam.restore(arrays)


@njit(error_model="numpy")
def _take_steps(online, target, optimizer, batch, observations, following, actions, rewards, discounts, bounds):
    """Gradient steps on minibatches that lie behind each other, down the mean Huber loss.

    Args:
        online: :class:`.NetworkArrays` of what is learned.
        target: Of what values the next states.
        optimizer: :class:`.AdamArrays`.
        batch: Transitions of each step.
        observations: Written ones of n transitions, see :func:`.enter`.
        following: The next ones, written in the same way.
        actions: int64 (n,).
        rewards: float32 (n,).
        discounts: float32 (n,), 0 where episodes end.
        bounds: float32 (2,): the least and the greatest value of a next state.

    Returns:
        float64 (n / batch,), the loss before each step.
    """
    losses = np.zeros(len(actions) // batch)
    for step in range(len(losses)):
        first = step * batch
        enter(target, following, len(actions), first, batch)
        next_values = forward(target, batch)
        prepare(online)
        enter(online, observations, len(actions), first, batch)
        values = forward(online, batch)
        gradients = outputs(online, online.cell_gradients, batch)
        gradients[:] = 0
        for sample in range(batch):
            drawn = first + sample
            value = min(max(next_values[sample].max(), bounds[0]), bounds[1])
            error = values[sample, actions[drawn]] - (rewards[drawn] + discounts[drawn] * value)
            cut = min(max(error, np.float32(-1)), np.float32(1))
            gradients[sample, actions[drawn]] = cut / np.float32(batch)
            losses[step] += cut * (error - cut / 2) / batch
        backward(online, batch)
        take_step(online, optimizer)
    return losses


def _arrays(tensors: Tensors) -> Arrays:
    return {name: tensor.numpy() for name, tensor in tensors.items()}


def _compiled(network: nn.ModuleDict, capacity: int) -> CompiledNetwork:
    table = LayerTable()
    encoder = network["features"].encoder
    assert isinstance(encoder, ModalityEncoder)
    block = compile_encoder(encoder, table)
    dense = [module for module in network["head"].modules() if isinstance(module, nn.Linear)]
    for module in dense:
        block = table.dense(block, module, relu=module is not dense[-1])
    return CompiledNetwork(network, table, block, capacity)
