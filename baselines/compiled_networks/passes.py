"""The passes through a table of layers, forward and backward, compiled.

Everything that flows lies in one vector of cells: block after block, of each block sample after sample, of each sample
``rows`` x ``width`` numbers. What a layer does is told by a row of the table:

==========  =====================================================================================
DENSE       Every row of every sample times weights, plus biases; then, where asked for, a ReLU.
GATHER      Every cell is one of the sample's in the source, or 0: what a convolution looks at.
SPREAD      Every cell of the source is added to one of the target, or lost; plus biases: where a transposed one writes.
COPY        The source becomes one of several alike, of which all but the last have ``FIRST`` 1.
JOIN        The source becomes some columns of the target, which several sources fill.
NORMALISE   Every column by its mean and variance over all rows of all samples, scaled and moved; then a ReLU.
==========  =====================================================================================
"""

import numpy as np

from procgen_bench.baselines.compiled_networks import kernels
from procgen_bench.core.compiled import njit

DENSE, GATHER, SPREAD, JOIN, NORMALISE, COPY = range(6)
#: Columns of the table. ``FIRST``: where weights, scales or places begin, or the first column that is filled.
#: ``SECOND``: where biases begin; -1: there are none. ``THIRD``: where moments begin, or whether weights are turned.
KIND, SOURCE, ROWS, WIDTH, TARGET, TARGET_ROWS, TARGET_WIDTH, FIRST, SECOND, THIRD, RELU, DEEPER = range(12)
NUM_COLUMNS = 12


@njit
def forward(layers, places, parameters, moments, cells, capacity, count):
    """Fill every block but the inputs for the first ``count`` of ``capacity`` samples."""
    for layer in layers:
        kind = layer[KIND]
        source = _block(cells, capacity, count, layer[SOURCE], layer[ROWS], layer[WIDTH])
        target = _block(cells, capacity, count, layer[TARGET], layer[TARGET_ROWS], layer[TARGET_WIDTH])
        if kind == DENSE:
            if layer[THIRD]:
                np.dot(source, _matrix(parameters, layer[FIRST], layer[WIDTH], layer[TARGET_WIDTH]), target)
            else:
                np.dot(source, _matrix(parameters, layer[FIRST], layer[TARGET_WIDTH], layer[WIDTH]).T, target)
            if layer[SECOND] >= 0:
                kernels.add_biases(target, parameters[layer[SECOND] :], layer[RELU])
        elif kind == GATHER:
            kernels.gather(source.reshape(count, -1), target.reshape(count, -1), places[layer[FIRST] :])
        elif kind == SPREAD:
            kernels.spread(source.reshape(count, -1), target.reshape(count, -1), places[layer[FIRST] :])
            if layer[SECOND] >= 0:
                kernels.add_biases(target, parameters[layer[SECOND] :], 0)
        elif kind == JOIN:
            target[:, layer[FIRST] : layer[FIRST] + layer[WIDTH]] = source
        elif kind == NORMALISE:
            scales, moves = parameters[layer[FIRST] :], parameters[layer[SECOND] :]
            kernels.normalise(source, scales, moves, moments[layer[THIRD] :], target)
        else:
            target[:] = source


@njit
def backward(layers, places, parameters, moments, cells, slopes, capacity, count, gradient, room):
    """Turn the last block's slopes into the sum of all samples' gradients, and into the slopes of every block before.

    Args:
        slopes: Like ``cells``: how the loss grows with each; the last block's are given.
        gradient: float32 (P,), is written.
        room: float32, as long as the greatest weights.
    """
    gradient[:] = 0
    for layer in layers[::-1]:
        kind = layer[KIND]
        source = _block(cells, capacity, count, layer[SOURCE], layer[ROWS], layer[WIDTH])
        target = _block(cells, capacity, count, layer[TARGET], layer[TARGET_ROWS], layer[TARGET_WIDTH])
        before = _block(slopes, capacity, count, layer[SOURCE], layer[ROWS], layer[WIDTH])
        after = _block(slopes, capacity, count, layer[TARGET], layer[TARGET_ROWS], layer[TARGET_WIDTH])
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
        elif kind == NORMALISE:
            scales = parameters[layer[FIRST] :]
            sums, moves = gradient[layer[FIRST] :], gradient[layer[SECOND] :]
            kernels.unnormalise(source, after, scales, moments[layer[THIRD] :], sums, moves, before)
        elif kind == SPREAD:
            kernels.gather(after.reshape(count, -1), before.reshape(count, -1), places[layer[FIRST] :])
            if layer[SECOND] >= 0:
                kernels.add_columns(after, gradient[layer[SECOND] :])
        elif layer[DEEPER]:
            if kind == GATHER:
                kernels.spread(after.reshape(count, -1), before.reshape(count, -1), places[layer[FIRST] :])
            elif kind == JOIN:
                before[:] = after[:, layer[FIRST] : layer[FIRST] + layer[WIDTH]]
            elif layer[FIRST]:
                before += after
            else:
                before[:] = after


@njit
def _block(cells, capacity, count, offset, rows, width):
    begin = capacity * offset
    return cells[begin : begin + count * rows * width].reshape(count * rows, width)


@njit
def _matrix(parameters, begin, height, width):
    return parameters[begin : begin + height * width].reshape(height, width)
