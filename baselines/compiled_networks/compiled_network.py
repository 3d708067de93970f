"""CompiledNetwork: a torch module, and compiled code that computes with the same parameters."""

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.compiled_networks.layer_table import Block, LayerTable
from procgen_bench.baselines.compiled_networks.passes import backward, forward
from procgen_bench.baselines.named_arrays import Arrays


class CompiledNetwork:
    """Goes forward and backward through a table of layers.

    The module's parameters become views on one vector: what either changes, the other sees.

    Args:
        module: Whose parameters they are, all of which the table knows.
        table: The network.
        output: Its last block.
        capacity: Samples, at most.

    Attributes:
        parameters: float32 (P,).
        gradient: float32 (P,): the one that :meth:`backward` found last.
    """

    def __init__(self, module: nn.Module, table: LayerTable, output: Block, capacity: int):
        assert {*table.parameters} == {*module.parameters()}
        self.capacity, self._inputs, self._output = capacity, table.inputs, output
        self._layers, self._places = table.layers(), table.places()
        self.parameters = _made_one(table.parameters)
        self.gradient = np.zeros_like(self.parameters)
        self._moments = np.zeros(table.num_moments, np.float32)
        self._cells = np.zeros(capacity * table.num_cells, np.float32)
        self._slopes = np.zeros_like(self._cells)
        self._room = np.empty(max(parameter.numel() for parameter in table.parameters), np.float32)

    def forward(self, given: Arrays) -> np.ndarray:
        """Inputs by name (n, ...), of at most ``capacity`` samples -> float32 (n, outputs), until the next pass."""
        count = len(next(iter(given.values())))
        for name, (writer, block) in self._inputs.items():
            writer.write(given[name], self._view(self._cells, block, count))
        forward(*self._fixed(), self._cells, self.capacity, count)
        return self._view(self._cells, self._output, count)

    def backward(self, slopes: np.ndarray) -> None:
        """Find the gradient, from how the loss grows with the outputs (n, outputs) of the last forward pass."""
        count = len(slopes)
        self._view(self._slopes, self._output, count)[:] = slopes
        backward(*self._fixed(), self._cells, self._slopes, self.capacity, count, self.gradient, self._room)

    def input_slopes(self, name: str, count: int) -> np.ndarray:
        """float32 (count, width), after a backward pass: how the loss grows with a deep input; until the next pass."""
        return self._view(self._slopes, self._inputs[name][1], count)

    def _fixed(self) -> tuple[np.ndarray, ...]:
        return self._layers, self._places, self.parameters, self._moments

    def _view(self, cells: np.ndarray, block: Block, count: int) -> np.ndarray:
        size = block.rows * block.width
        begin = self.capacity * block.offset
        return cells[begin : begin + count * size].reshape(count, size)


def _made_one(parameters: list[nn.Parameter]) -> np.ndarray:
    """One vector of all parameters, on which they are views from now on."""
    vector = np.concatenate([parameter.detach().numpy().ravel() for parameter in parameters])
    begin = 0
    for parameter in parameters:
        own = vector[begin : begin + parameter.numel()].reshape(tuple(parameter.shape))
        parameter.data = torch.from_numpy(own)
        begin += own.size
    return vector
