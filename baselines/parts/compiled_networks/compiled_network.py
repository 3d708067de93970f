"""CompiledNetwork: a torch module, and compiled code that computes with the same parameters."""

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.parts.compiled_networks.layer_table import Block, LayerTable
from procgen_bench.baselines.parts.compiled_networks.passes import (
    NetworkArrays,
    backward,
    block_of,
    forward,
    outputs,
)
from procgen_bench.baselines.policies.arrays import Arrays


class CompiledNetwork:
    """Goes forward and backward through a table of layers.

    The module's parameters become views on one vector: what either changes, the other sees.

    Args:
        module: Whose parameters they are, all of which the table knows.
        table: The network.
        output: Its last block.
        capacity: Samples, at most.

    Attributes:
        arrays: The network as compiled code knows it.
    """

    def __init__(self, module: nn.Module, table: LayerTable, output: Block, capacity: int):
        assert {*table.parameters} == {*module.parameters()}
        self._inputs = table.inputs
        parameters = _made_one(table.parameters)
        self.arrays = NetworkArrays(
            layers=table.layers(),
            places=table.places(),
            inputs=np.array([[block.offset, block.width] for _, block in table.inputs.values()], np.int64),
            output=np.array([output.offset, output.rows * output.width], np.int64),
            parameters=parameters,
            gradient=np.zeros_like(parameters),
            moments=np.zeros(table.num_moments, np.float32),
            cells=np.zeros(capacity * table.num_cells, np.float32),
            slopes=np.zeros(capacity * table.num_cells, np.float32),
            room=np.empty(max(parameter.numel() for parameter in table.parameters), np.float32),
            capacity=capacity,
        )

    def written(self, given: Arrays) -> np.ndarray:
        """Inputs by name (n, ...), of any number -> float32, as :func:`.enter` takes them."""
        count = len(next(iter(given.values())))
        widths = self.arrays.inputs[:, 1]
        written = np.empty(count * int(widths.sum()), np.float32)
        self._write(given, written, count, np.cumsum(widths) - widths)
        return written

    def forward(self, given: Arrays) -> np.ndarray:
        """Inputs by name (n, ...), of at most ``capacity`` samples -> float32 (n, outputs), until the next pass."""
        self._write(given, self.arrays.cells, self.arrays.capacity, self.arrays.inputs[:, 0])
        return forward(self.arrays, len(next(iter(given.values()))))

    def backward(self, slopes: np.ndarray) -> None:
        """Find the gradient, from how the loss grows with the outputs (n, outputs) of the last forward pass."""
        outputs(self.arrays, self.arrays.slopes, len(slopes))[:] = slopes
        backward(self.arrays, len(slopes))

    def input_slopes(self, name: str, count: int) -> np.ndarray:
        """float32 (count, width), after a backward pass: how the loss grows with a deep input; until the next pass."""
        block = self._inputs[name][1]
        return block_of(self.arrays.slopes, self.arrays.capacity, count, block.offset, 1, block.width)

    def _write(self, given: Arrays, cells: np.ndarray, capacity: int, begins: np.ndarray) -> None:
        for (name, (writer, block)), begin in zip(self._inputs.items(), begins, strict=True):
            writer.write(given[name], block_of(cells, capacity, len(given[name]), begin, 1, block.width))


def _made_one(parameters: dict[nn.Parameter, tuple[int, ...]]) -> np.ndarray:
    """One vector of all parameters, each with its axes in this order, on which they are views from now on."""
    vector = np.concatenate([own.detach().permute(order).numpy().ravel() for own, order in parameters.items()])
    begin = 0
    for parameter, order in parameters.items():
        own = vector[begin : begin + parameter.numel()].reshape([parameter.shape[axis] for axis in order])
        parameter.data = torch.from_numpy(own).permute(*np.argsort(order).tolist())
        begin += own.size
    return vector
