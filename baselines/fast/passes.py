"""The passes through a table of layers, forward and backward, compiled; see :mod:`.network_arrays`."""

import numpy as np

from procgen_bench.baselines.fast import kernels, memory_layers
from procgen_bench.baselines.fast import sets as set_kernels
from procgen_bench.baselines.fast.network_arrays import (
    CODED,
    DEEPER,
    DENSE,
    FIRST,
    FOURTH,
    GATHER,
    JOIN,
    KIND,
    LONG_MEMORY,
    LOOK_UP,
    MEMORY,
    NORMALISE,
    ONES,
    PICK,
    POOL,
    RELU,
    ROWS,
    SECOND,
    SOURCE,
    SOURCE_SET,
    SPREAD,
    TARGET,
    TARGET_ROWS,
    TARGET_SET,
    TARGET_WIDTH,
    THIRD,
    WIDTH,
    block_of,
    matrix_of,
)
from procgen_bench.core.compiled import njit


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
        written: float32 (n * widths of all inputs,): sample after sample, of each its sets' numbers first.
    """
    column = network.sets.width
    total = column + network.inputs[:, 1].sum()
    set_kernels.enter_sets(network.sets, written, total, chosen, network.cells, network.capacity)
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
    """Let ``count`` of written samples, which have no sets, from the ``first`` on, be the inputs.

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
    cells, capacity, parameters, sets = network.cells, network.capacity, network.parameters, network.sets
    sets.sizes[0] = count
    for layer in network.layers:
        kind, given, made = layer[KIND], sets.sizes[layer[SOURCE_SET]], sets.sizes[layer[TARGET_SET]]
        source = block_of(cells, capacity, given, layer[SOURCE], layer[ROWS], layer[WIDTH])
        target = block_of(cells, capacity, made, layer[TARGET], layer[TARGET_ROWS], layer[TARGET_WIDTH])
        if kind == DENSE:
            if layer[THIRD]:
                np.dot(source, matrix_of(parameters, layer[FIRST], layer[WIDTH], layer[TARGET_WIDTH]), target)
            else:
                np.dot(source, matrix_of(parameters, layer[FIRST], layer[TARGET_WIDTH], layer[WIDTH]).T, target)
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
        elif kind == LOOK_UP:
            rows, biases = _in_rows(source, count, layer[WIDTH]), parameters[layer[SECOND] :]
            weights = _looked_up(parameters, layer)
            kernels.look_up(rows, network.places[layer[THIRD] :], layer[FOURTH], weights, biases, layer[RELU], target)
        elif kind in (MEMORY, LONG_MEMORY):
            memory_layers.remember(network, count, layer, source, target)
        elif kind == POOL:
            set_kernels.pool(source, sets.bounds[layer[SOURCE_SET]], layer[THIRD], target)
        elif kind == PICK:
            entries = block_of(cells, capacity, made, layer[FIRST], 1, layer[THIRD])
            set_kernels.pick(sets, layer[SOURCE_SET], layer[TARGET_SET], source, entries, target)
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
    sets = network.sets
    for layer in network.layers[::-1]:
        kind, given, made = layer[KIND], sets.sizes[layer[SOURCE_SET]], sets.sizes[layer[TARGET_SET]]
        offset, rows, width = layer[SOURCE], layer[ROWS], layer[WIDTH]
        source = block_of(network.cells, network.capacity, given, offset, rows, width)
        before = block_of(network.cell_gradients, network.capacity, given, offset, rows, width)
        offset, rows, width = layer[TARGET], layer[TARGET_ROWS], layer[TARGET_WIDTH]
        target = block_of(network.cells, network.capacity, made, offset, rows, width)
        after = block_of(network.cell_gradients, network.capacity, made, offset, rows, width)
        if layer[RELU]:
            kernels.stop_at_zero(target, after)
        if kind == DENSE:
            size = layer[TARGET_WIDTH] * layer[WIDTH]
            if layer[THIRD]:
                np.dot(source.T, after, matrix_of(room, 0, layer[WIDTH], layer[TARGET_WIDTH]))
                if layer[DEEPER]:
                    np.dot(after, matrix_of(parameters, layer[FIRST], layer[WIDTH], layer[TARGET_WIDTH]).T, before)
            else:
                np.dot(after.T, source, matrix_of(room, 0, layer[TARGET_WIDTH], layer[WIDTH]))
                if layer[DEEPER]:
                    np.dot(after, matrix_of(parameters, layer[FIRST], layer[TARGET_WIDTH], layer[WIDTH]), before)
            gradient[layer[FIRST] : layer[FIRST] + size] += room[:size]
            if layer[SECOND] >= 0:
                kernels.add_columns(after, gradient[layer[SECOND] :])
        elif kind == CODED:
            kernels.add_to_rows(source, layer[THIRD], after, network.table_gradients)
            kernels.add_columns(after, gradient[layer[SECOND] :])
        elif kind == LOOK_UP:
            rows, places = _in_rows(source, count, layer[WIDTH]), network.places[layer[THIRD] :]
            kernels.add_to_looked_up(rows, places, layer[FOURTH], after, _looked_up(gradient, layer))
            kernels.add_columns(after, gradient[layer[SECOND] :])
        elif kind in (MEMORY, LONG_MEMORY):
            memory_layers.forget(network, count, layer, after, before)
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
            elif kind == POOL:
                set_kernels.unpool(source, target, after, sets.bounds[layer[SOURCE_SET]], layer[THIRD], before)
            elif kind == PICK:
                entries = block_of(network.cells, network.capacity, made, layer[FIRST], 1, layer[THIRD])
                set_kernels.unpick(sets, layer[SOURCE_SET], layer[TARGET_SET], entries, after, before)
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
def _in_rows(block, count, width):
    return block.reshape(count, -1, width)


@njit
def _looked_up(parameters, layer):
    """The weights of a layer that looks them up, a row for each; its biases come behind them."""
    width = layer[TARGET_WIDTH]
    return matrix_of(parameters, layer[FIRST], (layer[SECOND] - layer[FIRST]) // width, width)
