"""TrainedNetwork: a module, and Adam that trains it, in compiled code where it can be laid and by torch elsewhere."""

from abc import abstractmethod
from typing import Any

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.parts.compiled_networks.adam import CompiledAdam
from procgen_bench.baselines.parts.compiled_networks.compiled_network import CompiledNetwork
from procgen_bench.baselines.parts.compiled_networks.layer_table import Block, LayerTable
from procgen_bench.baselines.policies.arrays import Arrays, below, network_arrays
from procgen_bench.baselines.policies.tensors import optimizer_arrays, restore_optimizer


class LaidModule(nn.Module):
    """Inputs by name (n, ...) -> outputs (n, k)."""

    #: Whether :meth:`lay` can tell all that :meth:`forward` does.
    can_be_laid: bool = True

    @abstractmethod
    def lay(self, table: LayerTable) -> Block:
        """Write the network into a table, with its inputs by their names; returns the block of its outputs."""


class TrainedNetwork:
    """A module that learns from how a loss grows with its outputs.

    Args:
        module: What is trained.
        rate: Adam's learning rate.
        capacity: Samples of one pass, at most.
        decay: Weight decay apart from the gradient.
    """

    def __init__(self, module: LaidModule, rate: float, capacity: int, decay: float = 0.0):
        self.module = module
        self._passes: Any = (
            _Compiled(module, rate, capacity, decay) if module.can_be_laid else _ByTorch(module, rate, decay)
        )

    def forward(self, given: Arrays) -> np.ndarray:
        """Inputs by name (n, ...) -> float32 (n, k), until the next pass."""
        return self._passes.forward(given)

    def learn(self, slopes: np.ndarray) -> None:
        """A step of Adam, from how the loss grows with the outputs (n, k) of the last forward pass."""
        self._passes.learn(slopes)

    def slopes_of(self, names: list[str], slopes: np.ndarray) -> list[np.ndarray]:
        """Likewise, how the loss grows with inputs (n, ...), which are deep; nothing is learned."""
        return self._passes.slopes_of(names, slopes)

    def state(self) -> Arrays:
        """Weights, statistics, and the optimiser's moments."""
        return network_arrays(self.module) | {f"adam.{name}": array for name, array in self._passes.state().items()}

    def restore(self, arrays: Arrays) -> None:
        """Go on from what :meth:`state` returned."""
        self.module.load_state_dict({name: torch.tensor(arrays[name]) for name in self.module.state_dict()})
        self._passes.restore(below(arrays, "adam"))


class _Compiled:
    def __init__(self, module: LaidModule, rate: float, capacity: int, decay: float):
        table = LayerTable()
        self._network = CompiledNetwork(module, table, module.lay(table), capacity)
        self._adam = CompiledAdam(self._network.arrays, rate, decay=decay)
        self.state, self.restore = self._adam.state, self._adam.restore

    def forward(self, given: Arrays) -> np.ndarray:
        return self._network.forward(given)

    def learn(self, slopes: np.ndarray) -> None:
        self._network.backward(slopes)
        self._adam.step()

    def slopes_of(self, names: list[str], slopes: np.ndarray) -> list[np.ndarray]:
        self._network.backward(slopes)
        return [self._network.input_slopes(name, len(slopes)) for name in names]


class _ByTorch:
    def __init__(self, module: LaidModule, rate: float, decay: float):
        self._module = module
        self._adam = torch.optim.AdamW(module.parameters(), rate, weight_decay=decay, fused=True)
        self._outputs = torch.empty(0)

    def forward(self, given: Arrays) -> np.ndarray:
        self._outputs = self._module({name: torch.as_tensor(array) for name, array in given.items()})
        return self._outputs.detach().numpy()

    def learn(self, slopes: np.ndarray) -> None:
        self._adam.zero_grad()
        self._outputs.backward(torch.as_tensor(slopes))
        self._adam.step()

    def state(self) -> Arrays:
        return optimizer_arrays(self._adam)

    def restore(self, arrays: Arrays) -> None:
        restore_optimizer(self._adam, arrays)
