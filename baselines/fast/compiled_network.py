"""CompiledNetwork: a torch module, and compiled code that computes with the same parameters."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.linalg.cython_blas  # noqa: F401 - what compiled products call is to be there when its threads are limited
import torch
from threadpoolctl import threadpool_limits
from torch import nn

from procgen_bench.baselines.fast.layer_table import Block, LayerTable
from procgen_bench.baselines.fast.network_arrays import NetworkArrays, block_of
from procgen_bench.baselines.fast.passes import backward, forward, outputs, prepare, refresh
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.engine.row_thread_pool import RowThreadPool, first_failure

#: Fewest samples for which a thread of its own is worth waking.
_FEWEST = 64


class CompiledNetwork:
    """Goes forward and backward through a table of layers.

    The module's parameters become views on one vector: what either changes, the other sees. BLAS computes a product in
    one thread, for these are too small to be shared out: several threads pass parts of the samples, each of which has
    cells and gradients of its own.

    Args:
        module: Whose parameters they are, all of which the table knows.
        table: The network.
        output: Its last block.
        capacity: Samples, at most, of each part.
        threads: Parts, at most, that passes may be in at once.

    Attributes:
        parts: The network as compiled code knows it, part by part. Parameters, what is made of them, and memories are
            the same arrays in all.
    """

    def __init__(self, module: nn.Module, table: LayerTable, output: Block, capacity: int, threads: int = 1):
        assert {*table.parameters} == {*module.parameters()}
        threadpool_limits(1, user_api="blas")
        self._inputs = table.inputs
        self._orders = table.parameters
        parameters = np.concatenate(
            [own.detach().permute(order).numpy().ravel() for own, order in table.parameters.items()]
        )
        for parameter, view in self.by_parameter(parameters).items():
            parameter.data = torch.from_numpy(view)
        codes, self._parameters, self._version = table.codes, list(table.parameters), -1
        arrays = NetworkArrays(
            layers=table.layers(),
            places=table.places(),
            inputs=np.array([[block.offset, block.width] for _, block in table.inputs.values()], np.int64),
            output=np.array([output.offset, output.rows * output.width], np.int64),
            parameters=parameters,
            parameter_gradients=np.zeros_like(parameters),
            moments=np.zeros(table.num_moments, np.float32),
            cells=np.zeros(capacity * table.num_cells, np.float32),
            cell_gradients=np.zeros(capacity * table.num_cells, np.float32),
            room=np.empty(max(parameter.numel() for parameter in table.parameters), np.float32),
            capacity=capacity,
            mixed=codes.mixed,
            shares=codes.shares,
            table=np.zeros((codes.num_rows, table.code_width), np.float32),
            table_gradients=np.zeros((codes.num_rows, table.code_width), np.float32),
            stale=np.ones(1, np.int64),
            memories=np.zeros((0, 0), np.float32),
            steps=np.ones(1, np.int64),
            sets=table.set_arrays(capacity),
        )
        self._table = table
        self.parts = [arrays, *(_beside(arrays) for _ in range(threads - 1))]
        self._pool = RowThreadPool(threads)

    @property
    def arrays(self) -> NetworkArrays:
        """The network as compiled code knows it, where passes are in one part: the first."""
        return self.parts[0]

    def shares(self, count: int, steps: int = 1) -> list[tuple[int, int]]:
        """Which of ``count`` rows (from, to), of so many steps each, are whose in passes of all parts."""
        parts = min(len(self.parts), count, max(count * steps // _FEWEST, 1))
        return [*pairwise(count * number // parts for number in range(parts + 1))]

    def each(self, count: int, work: Callable[[int], Any]) -> list[Any]:
        """What comes of ``work`` for each of the first ``count`` parts, by its number, in a thread of its own."""
        if count == 1:
            return [work(0)]
        done, failed = self._pool.each([*range(count)], work)
        if failed:
            raise first_failure(failed)
        return [done[number] for number in range(count)]

    def add_gradients(self, count: int) -> None:
        """Let the gradients that the first ``count`` parts found be the first one's, added in their order."""
        for part in self.parts[1:count]:
            np.add(self.arrays.parameter_gradients, part.parameter_gradients, out=self.arrays.parameter_gradients)
            np.add(self.arrays.table_gradients, part.table_gradients, out=self.arrays.table_gradients)

    def notice_changes(self) -> None:
        """Before passes: see whether torch has changed the parameters since the last ones."""
        version = sum(parameter._version for parameter in self._parameters)
        if version != self._version:
            self._version = version
            self.arrays.stale[0] = 1

    def refresh(self) -> None:
        """Before passes in several parts: make what only changes with the parameters, where they have changed."""
        self.notice_changes()
        refresh(self.arrays)

    def remember(self, memories: np.ndarray, steps: int, samples: int) -> None:
        """Begin passes of ``steps`` steps from memories float32 (rows, width), of so many samples a part at most."""
        self.arrays.steps[0] = steps
        memories = np.ascontiguousarray(memories, np.float32)
        for number, own in enumerate(self.parts):
            if samples > own.capacity:
                cells, gradients = (np.zeros(samples * (len(own.cells) // own.capacity), np.float32) for _ in range(2))
                sets = self._table.set_arrays(samples)
                own = own._replace(cells=cells, cell_gradients=gradients, capacity=samples, sets=sets)
            self.parts[number] = own._replace(memories=memories)

    def encode(self, given: Arrays) -> np.ndarray:
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

    def backward(self, gradients: np.ndarray) -> None:
        """Find the gradient, from the loss's by the outputs (n, outputs) of the last forward pass."""
        prepare(self.arrays)
        outputs(self.arrays, self.arrays.cell_gradients, len(gradients))[:] = gradients
        backward(self.arrays, len(gradients))

    def input_gradients(self, name: str, count: int) -> np.ndarray:
        """float32 (count, width), after a backward pass: the loss's gradient by a deep input; until the next pass."""
        block = self._inputs[name][1]
        return block_of(self.arrays.cell_gradients, self.arrays.capacity, count, block.offset, 1, block.width)

    def _write(self, given: Arrays, cells: np.ndarray, capacity: int, begins: np.ndarray) -> None:
        for (name, (writer, block)), begin in zip(self._inputs.items(), begins, strict=True):
            writer.write(given[name], block_of(cells, capacity, len(given[name]), begin, 1, block.width))

    def by_parameter(self, vector: np.ndarray) -> dict[nn.Parameter, np.ndarray]:
        """What a vector like the parameters' holds of each: views of the parameters' shapes."""
        views, begin = {}, 0
        for parameter, order in self._orders.items():
            own = vector[begin : begin + parameter.numel()].reshape([parameter.shape[axis] for axis in order])
            views[parameter] = own.transpose(np.argsort(order))
            begin += own.size
        return views


def _beside(arrays: NetworkArrays) -> NetworkArrays:
    """The same network with cells and gradients of its own."""
    own = ("parameter_gradients", "moments", "cells", "cell_gradients", "room", "table_gradients")
    sets = arrays.sets._replace(sizes=arrays.sets.sizes.copy(), bounds=arrays.sets.bounds.copy())
    return arrays._replace(sets=sets, **{name: np.zeros_like(getattr(arrays, name)) for name in own})
