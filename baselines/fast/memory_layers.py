"""Layers with memory: their inputs, outputs and parameters, around the gates of each kind."""

import numpy as np

from procgen_bench.baselines.fast import gated_memory, kernels, long_memory
from procgen_bench.baselines.fast.network_arrays import (
    FIRST,
    FOURTH,
    KIND,
    MEMORY,
    SECOND,
    TARGET_WIDTH,
    THIRD,
    WIDTH,
    block_of,
    matrix_of,
)
from procgen_bench.core.compiled import njit


@njit
def remember(network, count, layer, source, target):
    """Let the layer take its steps: from what is given by what is seen (count, gates), to what is known (count, w)."""
    width, gates, steps = layer[TARGET_WIDTH], layer[WIDTH], network.steps[0]
    weights = matrix_of(network.parameters, layer[FIRST], width, gates)
    biases = network.parameters[layer[SECOND] :]
    entries = block_of(network.cells, network.capacity, count, layer[FOURTH], 1, 2)
    kept = block_of(network.cell_gradients, network.capacity, count // steps, layer[THIRD], 1, gates)
    given = source, steps, weights, biases, network.memories, entries, kept
    if layer[KIND] == MEMORY:
        gated_memory.remember(*given, *_gated_cells(network, count, layer), target)
    else:
        long_memory.remember(*given, *_long_cells(network, count, layer), target)


@njit
def forget(network, count, layer, after, before):
    """Find the gradients of the input (count, gates) and of the parameters from those of the output (count, w)."""
    width, gates, steps = layer[TARGET_WIDTH], layer[WIDTH], network.steps[0]
    weights = matrix_of(network.parameters, layer[FIRST], width, gates)
    entries = block_of(network.cells, network.capacity, count, layer[FOURTH], 1, 2)
    of_kept = before
    if layer[KIND] == MEMORY:
        of_kept = block_of(network.cell_gradients, network.capacity, count, layer[THIRD], 1, gates)
        own = _gated_cells(network, count, layer)
        gated_memory.forget(after, steps, weights, entries, *own, before, of_kept)
    else:
        long_memory.forget(after, steps, weights, entries, *_long_cells(network, count, layer)[1:], before)
    room, gradient = network.room, network.parameter_gradients
    known_before = _own(network, count, layer, 0, 1)
    np.dot(known_before.T, of_kept, matrix_of(room, 0, width, gates))
    gradient[layer[FIRST] : layer[FIRST] + gates * width] += room[: gates * width]
    kernels.add_columns(of_kept, gradient[layer[SECOND] :])


@njit
def _gated_cells(network, count, layer):
    """What was before, gates, new memories, and what of these is from the old ones."""
    before, gates = _own(network, count, layer, 0, 1), _own(network, count, layer, 1, 2)
    return before, gates, _own(network, count, layer, 3, 1), _own(network, count, layer, 4, 1)


@njit
def _long_cells(network, count, layer):
    """What was known before, gates, cells before and after, and the hyperbolic tangents of the latter."""
    before, gates = _own(network, count, layer, 0, 1), _own(network, count, layer, 1, 4)
    cells = _own(network, count, layer, 5, 1), _own(network, count, layer, 6, 1), _own(network, count, layer, 7, 1)
    return before, gates, *cells


@njit
def _own(network, count, layer, place, times):
    """Of what a layer keeps of a pass, some blocks of its width: (count, times * w)."""
    width = layer[TARGET_WIDTH]
    return block_of(network.cells, network.capacity, count, layer[THIRD] + place * width, 1, times * width)
