"""The passes through a table of layers, forward and backward, compiled.

Everything that flows lies in one vector of cells: block after block, of each block sample after sample, of each sample
``rows`` x ``width`` numbers. A row of the table says what a layer does:

==========  =====================================================================================
DENSE       Every row of every sample times weights, plus biases; then, where asked for, a ReLU.
ONES        Every place's category becomes as many zeros and a one as there are categories.
GATHER      Every row is one of the sample's in the source, or zeros: what a convolution looks at.
SPREAD      Every row of the source is added to one of the target, or lost; plus biases: where a transposed one writes.
COPY        The source becomes one of several alike, of which all but the last have ``FIRST`` 1.
JOIN        The source becomes some columns of the target, which several sources fill.
NORMALISE   Every column by its mean and variance over all rows of all samples, scaled and moved; then a ReLU.
CODED       The sum of those rows of a table that codes name, and of others times numbers, plus biases; then a ReLU.
MEMORY      A gated recurrent unit: all samples of a pass are steps of some rows, in the order of time.
==========  =====================================================================================
"""

from typing import NamedTuple

import numpy as np

from procgen_bench.baselines.fast import gated_memory, kernels
from procgen_bench.core.compiled import njit

DENSE, ONES, GATHER, SPREAD, JOIN, NORMALISE, COPY, CODED, MEMORY = range(9)
#: Columns of the table. ``FIRST``: where weights, scales or places begin, or the first column that is filled.
#: ``SECOND``: where biases begin; -1: there are none. ``THIRD``: where moments begin, whether weights are turned, how
#: long the rows are that places stand for, how many codes there are, or where a memory's own cells begin. ``FOURTH``:
#: where the block begins that says where episodes begin, and which row a sample is of.
KIND, SOURCE, ROWS, WIDTH, TARGET, TARGET_ROWS, TARGET_WIDTH, FIRST, SECOND, THIRD, RELU, DEEPER, FOURTH = range(13)
NUM_COLUMNS = 13


class NetworkArrays(NamedTuple):
    """A network as the passes know it.

    Attributes:
        layers: int64 (L, columns), the table.
        places: int64, those of all layers.
        inputs: int64 (I, 2): of every input where its block begins, and how wide it is.
        output: int64 (2,), the same of what comes out.
        parameters: float32 (P,).
        parameter_gradients: float32 (P,): sums of what :func:`backward` found since :func:`prepare`.
        moments: float32, what batch normalisations keep of a pass.
        cells: float32 (capacity * cells of a sample,).
        cell_gradients: float32, like ``cells``: the loss's gradient by each.
        room: float32, as long as the greatest weights.
        capacity: Samples of one pass, at most.
        mixed: int64 (M, 2): a row of the coded layer's table, and a row of its weights.
        shares: float32 (M,), how much of the second is in the first.
        table: float32 (rows, width), the coded layer's; empty where there is none.
        table_gradients: float32 (rows, width), of the table; empty where there is none.
        stale: int64 (1,), 1 where parameters have changed since the table was made, else 0.
        memories: float32 (rows, width), before the first step of a pass; empty where nothing is remembered.
        steps: int64 (1,), steps of each row in a pass.
    """

    layers: np.ndarray
    places: np.ndarray
    inputs: np.ndarray
    output: np.ndarray
    parameters: np.ndarray
    parameter_gradients: np.ndarray
    moments: np.ndarray
    cells: np.ndarray
    cell_gradients: np.ndarray
    room: np.ndarray
    capacity: int
    mixed: np.ndarray
    shares: np.ndarray
    table: np.ndarray
    table_gradients: np.ndarray
    stale: np.ndarray
    memories: np.ndarray
    steps: np.ndarray


@njit
def prepare(network):
    """Begin a gradient; before the first pass, and after a step."""
    network.parameter_gradients[:] = 0
    network.table_gradients[:] = 0
    refresh(network)


@njit
def refresh(network):
    """Make what only changes with the parameters, where they have changed; before a pass."""
    if not network.stale[0]:
        return
    network.stale[0] = 0
    for layer in network.layers:
        if layer[KIND] == CODED:
            weights = network.parameters[layer[FIRST] :]
            kernels.mix(weights, network.mixed, network.shares, network.table)


@njit
def finish(network):
    """Let the gradients of the coded layer's table count in those of its weights; after the last backward pass."""
    for layer in network.layers:
        if layer[KIND] == CODED:
            gradients = network.parameter_gradients[layer[FIRST] :]
            kernels.unmix(network.table_gradients, network.mixed, network.shares, gradients)


@njit
def enter_chosen(network, written, chosen):
    """Let some written samples (their places) be the inputs.

    Args:
        written: float32 (n * widths of all inputs,): sample after sample.
    """
    total, column = network.inputs[:, 1].sum(), 0
    for begin, width in network.inputs:
        target = block_of(network.cells, network.capacity, len(chosen), begin, 1, width)
        for sample in range(len(chosen)):
            place = chosen[sample] * total + column
            source, row = written[place : place + width], target[sample]
            for entry in range(width):
                row[entry] = source[entry]
        column += width


@njit
def enter(network, written, num_written, first, count):
    """Let ``count`` of written samples, from the ``first`` on, be the inputs.

    Args:
        written: float32 (num_written * widths of all inputs,): input after input, of each sample after sample.
    """
    column = 0
    for begin, width in network.inputs:
        source = block_of(written, num_written, num_written, column, 1, width)
        target = block_of(network.cells, network.capacity, count, begin, 1, width)
        target[:] = source[first : first + count]
        column += width


@njit
def forward(network, count):
    """Fill every block but the inputs for the first ``count`` samples; returns the outputs float32 (count, k)."""
    cells, capacity, parameters = network.cells, network.capacity, network.parameters
    for layer in network.layers:
        kind = layer[KIND]
        source = block_of(cells, capacity, count, layer[SOURCE], layer[ROWS], layer[WIDTH])
        target = block_of(cells, capacity, count, layer[TARGET], layer[TARGET_ROWS], layer[TARGET_WIDTH])
        if kind == DENSE:
            if layer[THIRD]:
                np.dot(source, _matrix(parameters, layer[FIRST], layer[WIDTH], layer[TARGET_WIDTH]), target)
            else:
                np.dot(source, _matrix(parameters, layer[FIRST], layer[TARGET_WIDTH], layer[WIDTH]).T, target)
            if layer[SECOND] >= 0:
                kernels.add_biases(target, parameters[layer[SECOND] :], layer[RELU])
        elif kind == ONES:
            numbers = source.reshape(count, -1)
            kernels.ones(numbers, _in_rows(target, count, layer[THIRD]), network.places[layer[FIRST] :])
        elif kind == GATHER:
            rows = _in_rows(source, count, layer[THIRD]), _in_rows(target, count, layer[THIRD])
            kernels.gather(*rows, network.places[layer[FIRST] :])
        elif kind == SPREAD:
            rows = _in_rows(source, count, layer[THIRD]), _in_rows(target, count, layer[THIRD])
            kernels.spread(*rows, network.places[layer[FIRST] :])
            if layer[SECOND] >= 0:
                kernels.add_biases(target, parameters[layer[SECOND] :], 0)
        elif kind == CODED:
            biases = parameters[layer[SECOND] :]
            kernels.sum_rows(source, layer[THIRD], network.table, biases, layer[RELU], target)
        elif kind == MEMORY:
            width = layer[TARGET_WIDTH]
            rows = count // network.steps[0]
            gated_memory.remember(
                source,
                network.steps[0],
                _matrix(parameters, layer[FIRST], width, 3 * width),
                parameters[layer[SECOND] :],
                network.memories,
                block_of(cells, capacity, count, layer[FOURTH], 1, 2),
                block_of(network.cell_gradients, capacity, rows, layer[THIRD], 1, 3 * width),
                *_own_cells(network, count, layer),
                target,
            )
        elif kind == JOIN:
            target[:, layer[FIRST] : layer[FIRST] + layer[WIDTH]] = source
        elif kind == NORMALISE:
            scales, moves = parameters[layer[FIRST] :], parameters[layer[SECOND] :]
            kernels.normalise(source, scales, moves, network.moments[layer[THIRD] :], target)
        else:
            target[:] = source
    return outputs(network, cells, count)


@njit
def backward(network, count):
    """Turn the outputs' gradients into the parameters', summed over samples, and into those of every block before.

    ``outputs(network, network.cell_gradients, count)`` are given; ``network.parameter_gradients`` is added to.
    """
    parameters, gradient, room = network.parameters, network.parameter_gradients, network.room
    for layer in network.layers[::-1]:
        kind = layer[KIND]
        offset, rows, width = layer[SOURCE], layer[ROWS], layer[WIDTH]
        source = block_of(network.cells, network.capacity, count, offset, rows, width)
        before = block_of(network.cell_gradients, network.capacity, count, offset, rows, width)
        offset, rows, width = layer[TARGET], layer[TARGET_ROWS], layer[TARGET_WIDTH]
        target = block_of(network.cells, network.capacity, count, offset, rows, width)
        after = block_of(network.cell_gradients, network.capacity, count, offset, rows, width)
        if layer[RELU]:
            kernels.stop_at_zero(target, after)
        if kind == DENSE:
            size = layer[TARGET_WIDTH] * layer[WIDTH]
            if layer[THIRD]:
                np.dot(source.T, after, _matrix(room, 0, layer[WIDTH], layer[TARGET_WIDTH]))
                if layer[DEEPER]:
                    np.dot(after, _matrix(parameters, layer[FIRST], layer[WIDTH], layer[TARGET_WIDTH]).T, before)
            else:
                np.dot(after.T, source, _matrix(room, 0, layer[TARGET_WIDTH], layer[WIDTH]))
                if layer[DEEPER]:
                    np.dot(after, _matrix(parameters, layer[FIRST], layer[TARGET_WIDTH], layer[WIDTH]), before)
            gradient[layer[FIRST] : layer[FIRST] + size] += room[:size]
            if layer[SECOND] >= 0:
                kernels.add_columns(after, gradient[layer[SECOND] :])
        elif kind == CODED:
            kernels.add_to_rows(source, layer[THIRD], after, network.table_gradients)
            kernels.add_columns(after, gradient[layer[SECOND] :])
        elif kind == MEMORY:
            own = _own_cells(network, count, layer)
            of_kept = block_of(network.cell_gradients, network.capacity, count, layer[THIRD], 1, 3 * width)
            gated_memory.forget(
                after,
                network.steps[0],
                _matrix(parameters, layer[FIRST], width, 3 * width),
                block_of(network.cells, network.capacity, count, layer[FOURTH], 1, 2),
                *own,
                before,
                of_kept,
            )
            np.dot(own[0].T, of_kept, _matrix(room, 0, width, 3 * width))
            gradient[layer[FIRST] : layer[FIRST] + 3 * width * width] += room[: 3 * width * width]
            kernels.add_columns(of_kept, gradient[layer[SECOND] :])
        elif kind == NORMALISE:
            scales = parameters[layer[FIRST] :]
            sums, moves = gradient[layer[FIRST] :], gradient[layer[SECOND] :]
            kernels.unnormalise(source, after, scales, network.moments[layer[THIRD] :], sums, moves, before)
        elif kind == SPREAD:
            gradients = _in_rows(after, count, layer[THIRD]), _in_rows(before, count, layer[THIRD])
            kernels.gather(*gradients, network.places[layer[FIRST] :])
            if layer[SECOND] >= 0:
                kernels.add_columns(after, gradient[layer[SECOND] :])
        elif layer[DEEPER]:
            if kind == GATHER:
                gradients = _in_rows(after, count, layer[THIRD]), _in_rows(before, count, layer[THIRD])
                kernels.spread(*gradients, network.places[layer[FIRST] :])
            elif kind == JOIN:
                before[:] = after[:, layer[FIRST] : layer[FIRST] + layer[WIDTH]]
            elif layer[FIRST]:
                before += after
            else:
                before[:] = after


@njit
def outputs(network, cells, count):
    """What belongs to the last block of these cells or gradients: float32 (count, k), a view."""
    return block_of(cells, network.capacity, count, network.output[0], 1, network.output[1])


@njit
def block_of(cells, capacity, count, offset, rows, width):
    """A block's numbers, those of every row of every sample: (count * rows, width), a view."""
    begin = capacity * offset
    return cells[begin : begin + count * rows * width].reshape(count * rows, width)


@njit
def _own_cells(network, count, layer):
    """What a memory keeps of a pass: what was before, gates, new memories, and what of these is from the old ones."""
    width, first = layer[TARGET_WIDTH], layer[THIRD]
    before = block_of(network.cells, network.capacity, count, first, 1, width)
    gates = block_of(network.cells, network.capacity, count, first + width, 1, 2 * width)
    news = block_of(network.cells, network.capacity, count, first + 3 * width, 1, width)
    news_kept = block_of(network.cells, network.capacity, count, first + 4 * width, 1, width)
    return before, gates, news, news_kept


@njit
def _in_rows(block, count, width):
    return block.reshape(count, -1, width)


@njit
def _matrix(parameters, begin, height, width):
    return parameters[begin : begin + height * width].reshape(height, width)
