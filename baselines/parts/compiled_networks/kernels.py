"""What the layers of a compiled network do with rows of numbers, and how slopes go back through them.

Arrays of parameters, gradients, moments and places go on behind what belongs to the layer.
"""

import numpy as np

from procgen_bench.core.compiled import njit

#: What batch normalisation adds to variances, as torch's does.
_LEAST_VARIANCE = 1e-5


@njit
def add_biases(target, biases, relu):
    """Add to every row; then, where asked for, nothing stays below zero."""
    if relu:
        for row in range(len(target)):
            for column in range(target.shape[1]):
                target[row, column] = max(target[row, column] + biases[column], np.float32(0))
    else:
        for row in range(len(target)):
            for column in range(target.shape[1]):
                target[row, column] += biases[column]


@njit
def stop_at_zero(values, slopes):
    """A ReLU's slopes: none where it is at zero."""
    for row in range(len(values)):
        for column in range(values.shape[1]):
            slopes[row, column] = slopes[row, column] if values[row, column] > 0 else np.float32(0)


@njit
def add_columns(slopes, sums):
    """Add the columns' sums."""
    for row in range(len(slopes)):
        for column in range(slopes.shape[1]):
            sums[column] += slopes[row, column]


@njit
def gather(source, target, places):
    """Sample by sample, cell c of the target is cell places[c] of the source; 0 where that is -1.

    Args:
        source: float32 (n, cells, channels).
        target: float32 (n, C, channels), is written.
        places: int64 (C, ...).
    """
    for sample in range(len(source)):
        for cell in range(target.shape[1]):
            place = places[cell]
            for channel in range(source.shape[2]):
                target[sample, cell, channel] = source[sample, place, channel] if place >= 0 else np.float32(0)


@njit
def spread(source, target, places):
    """Sample by sample, cell c of the source is added to cell places[c] of the target, which begins with zeros.

    Args:
        source: float32 (n, C, channels).
        target: float32 (n, cells, channels), is written.
        places: int64 (C, ...).
    """
    target[:] = 0
    for sample in range(len(source)):
        for cell in range(source.shape[1]):
            place = places[cell]
            if place >= 0:
                for channel in range(source.shape[2]):
                    target[sample, place, channel] += source[sample, cell, channel]


@njit
def ones(source, target, places):
    """Sample by sample, cell c of the target is zeros and a one, at the category that the source has in places[c].

    Args:
        source: float32 (n, cells), categories from 0; -1: none.
        target: float32 (n, C, categories), is written.
        places: int64 (C, ...); -1: zeros.
    """
    target[:] = 0
    for sample in range(len(source)):
        for cell in range(target.shape[1]):
            place = places[cell]
            if place >= 0 and source[sample, place] >= 0:
                target[sample, cell, int(source[sample, place])] = 1


@njit(error_model="numpy")
def normalise(source, scales, moves, moments, target):
    """Batch normalisation (Ioffe and Szegedy, 2015), with a ReLU.

    Args:
        source: float32 (n, w).
        scales, moves: float32 (w, ...).
        moments: float32 (2 w, ...): the means and inverse deviations of this batch, are written.
        target: float32 (n, w), is written.
    """
    count, width = source.shape
    mean, inverse = moments[:width], moments[width : 2 * width]
    mean[:] = 0
    inverse[:] = 0
    for row in range(count):
        for column in range(width):
            mean[column] += source[row, column]
    mean /= np.float32(count)
    for row in range(count):
        for column in range(width):
            away = source[row, column] - mean[column]
            inverse[column] += away * away
    for column in range(width):
        inverse[column] = 1 / np.sqrt(inverse[column] / np.float32(count) + np.float32(_LEAST_VARIANCE))
    for row in range(count):
        for column in range(width):
            normal = (source[row, column] - mean[column]) * inverse[column]
            target[row, column] = max(normal * scales[column] + moves[column], np.float32(0))


@njit(error_model="numpy")
def unnormalise(source, after, scales, moments, scale_sums, move_sums, before):
    """Slopes through batch normalisation; ``after`` is behind its ReLU's slopes.

    Args:
        source: float32 (n, w), what was normalised.
        after: float32 (n, w), the target's slopes.
        scales: float32 (w, ...).
        moments: As :func:`normalise` left them.
        scale_sums, move_sums: float32 (w, ...), the gradients, are added to.
        before: float32 (n, w), the source's slopes, is written.
    """
    count, width = source.shape
    mean, inverse = moments[:width], moments[width : 2 * width]
    sums = np.zeros((2, width), np.float32)
    for row in range(count):
        for column in range(width):
            normal = (source[row, column] - mean[column]) * inverse[column]
            sums[0, column] += after[row, column]
            sums[1, column] += after[row, column] * normal
    for column in range(width):
        move_sums[column] += sums[0, column]
        scale_sums[column] += sums[1, column]
    sums /= np.float32(count)
    for row in range(count):
        for column in range(width):
            normal = (source[row, column] - mean[column]) * inverse[column]
            rest = after[row, column] - sums[0, column] - normal * sums[1, column]
            before[row, column] = scales[column] * inverse[column] * rest
