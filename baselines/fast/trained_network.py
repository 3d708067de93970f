"""TrainedNetwork: a module, and Adam that trains it, in compiled code where it can be and by torch elsewhere."""

from abc import abstractmethod
from typing import Any

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.fast.adam import CompiledAdam
from procgen_bench.baselines.fast.compiled_network import CompiledNetwork
from procgen_bench.baselines.fast.layer_table import Block, LayerTable
from procgen_bench.baselines.policies.arrays import Arrays, below, network_arrays
from procgen_bench.baselines.policies.tensors import optimizer_arrays, restore_optimizer


class CompilableModule(nn.Module):
    """Inputs by name (n, ...) -> outputs (n, k)."""

    #: Whether :meth:`compile_into` can tell all that :meth:`forward` does.
    is_compilable: bool = True

    @abstractmethod
    def compile_into(self, table: LayerTable) -> Block:
        """Write the network into a table, with its inputs by their names; returns the block of its outputs."""


class TrainedNetwork:
    """A module that learns from a loss's gradient by its outputs.

    Args:
        module: What is trained.
        rate: Adam's learning rate.
        capacity: Samples of one pass, at most.
        decay: Weight decay apart from the gradient.
    """

    def __init__(self, module: CompilableModule, rate: float, capacity: int, decay: float = 0.0):
        self.module = module
        self._passes: Any = (
            _Compiled(module, rate, capacity, decay) if module.is_compilable else _ByTorch(module, rate, decay)
        )

    def forward(self, given: Arrays) -> np.ndarray:
        """Inputs by name (n, ...) -> float32 (n, k), until the next pass."""
        return self._passes.forward(given)

    def learn(self, gradients: np.ndarray) -> None:
        """A step of Adam, from the loss's gradient by the outputs (n, k) of the last forward pass."""
        self._passes.learn(gradients)

    def input_gradients(self, names: list[str], gradients: np.ndarray) -> list[np.ndarray]:
        """From the same, the gradients by inputs (n, ...), which are deep; nothing is learned."""
        return self._passes.input_gradients(names, gradients)

    def state(self) -> Arrays:
        """Weights, statistics, and the optimiser's moments."""
        return network_arrays(self.module) | {f"adam.{name}": array for name, array in self._passes.state().items()}

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`state` returned."""
        self.module.load_state_dict({name: torch.tensor(arrays[name]) for name in self.module.state_dict()})
        self._passes.restore(below(arrays, "adam"))


class _Compiled:
    def __init__(self, module: CompilableModule, rate: float, capacity: int, decay: float):
        table = LayerTable()
        self._network = CompiledNetwork(module, table, module.compile_into(table), capacity)
        self._adam = CompiledAdam(self._network.arrays, rate, decay=decay)
        self.state, self.restore = self._adam.state, self._adam.restore

    def forward(self, given: Arrays) -> np.ndarray:
        return self._network.forward(given)

    def learn(self, gradients: np.ndarray) -> None:
        self._network.backward(gradients)
        self._adam.step()

    def input_gradients(self, names: list[str], gradients: np.ndarray) -> list[np.ndarray]:
        self._network.backward(gradients)
        return [self._network.input_gradients(name, len(gradients)) for name in names]


class _ByTorch:
    def __init__(self, module: CompilableModule, rate: float, decay: float):
        self._module = module
        self._adam = torch.optim.AdamW(module.parameters(), rate, weight_decay=decay, fused=True)
        self._outputs = torch.empty(0)

    def forward(self, given: Arrays) -> np.ndarray:
        self._outputs = self._module({name: torch.as_tensor(array) for name, array in given.items()})
        return self._outputs.detach().numpy()

    def learn(self, gradients: np.ndarray) -> None:
        self._adam.zero_grad()
        self._outputs.backward(torch.as_tensor(gradients))
        self._adam.step()

    def state(self) -> Arrays:
        return optimizer_arrays(self._adam)

    def restore(self, arrays: Arrays) -> None:
        restore_optimizer(self._adam, arrays)
