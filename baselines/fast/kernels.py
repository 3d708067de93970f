"""What the layers of a compiled network do with rows of numbers, and how gradients go back through them.

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
def stop_at_zero(values, gradients):
    """A ReLU's gradients: none where it is at zero."""
    for row in range(len(values)):
        for column in range(values.shape[1]):
            gradients[row, column] = gradients[row, column] if values[row, column] > 0 else np.float32(0)


@njit
def add_columns(gradients, sums):
    """Add the columns' sums."""
    for row in range(len(gradients)):
        for column in range(gradients.shape[1]):
            sums[column] += gradients[row, column]


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
    """Gradients through batch normalisation; ``after`` is behind its ReLU's gradients.

    Args:
        source: float32 (n, w), what was normalised.
        after: float32 (n, w), the target's gradients.
        scales: float32 (w, ...).
        moments: As :func:`normalise` left them.
        scale_sums, move_sums: float32 (w, ...), the gradients, are added to.
        before: float32 (n, w), the source's gradients, is written.
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


@njit
def mix(weights, mixed, shares, table):
    """Make a coded layer's table: each of its rows is a sum of the weights' rows, by their shares.

    Args:
        weights: float32 (features * width, ...), by feature.
        mixed: int64 (M, 2), a row of the table and a feature.
        shares: float32 (M,).
        table: float32 (rows, width), is written.
    """
    width = table.shape[1]
    table[:] = 0
    for number in range(len(mixed)):
        begin, share = mixed[number, 1] * width, shares[number]
        # Rows of their own, as places behind an offset keep the compiler from adding several at once.
        source, target = weights[begin : begin + width], table[mixed[number, 0]]
        for column in range(width):
            target[column] += share * source[column]


@njit
def unmix(table_gradients, mixed, shares, gradients):
    """Add the gradients of such a table to those of its weights."""
    width = table_gradients.shape[1]
    for number in range(len(mixed)):
        begin, share = mixed[number, 1] * width, shares[number]
        source, target = table_gradients[mixed[number, 0]], gradients[begin : begin + width]
        for column in range(width):
            target[column] += share * source[column]


@njit
def sum_rows(source, num_codes, table, biases, relu, target):
    """Sums of the rows of a table that codes name, and of its last ones times numbers; a ReLU where asked for.

    Args:
        source: float32 (n, num_codes + k): rows of the table, and k numbers for its last k rows.
        table: float32 (rows, width).
        biases: float32 (width, ...).
        target: float32 (n, width), is written.
    """
    width, first = table.shape[1], len(table) - source.shape[1]
    for sample in range(len(source)):
        for column in range(width):
            target[sample, column] = biases[column]
        for place in range(num_codes):
            row = np.uint64(source[sample, place])
            for column in range(width):
                target[sample, column] += table[row, column]
        for place in range(num_codes, source.shape[1]):
            number = source[sample, place]
            if number != 0:
                for column in range(width):
                    target[sample, column] += number * table[first + place, column]
        if relu:
            for column in range(width):
                target[sample, column] = max(target[sample, column], np.float32(0))


@njit
def add_to_rows(source, num_codes, gradients, table_gradients):
    """Gradients (n, width) of such sums, added to those of the table's rows."""
    width, first = table_gradients.shape[1], len(table_gradients) - source.shape[1]
    for sample in range(len(source)):
        for place in range(num_codes):
            row = np.uint64(source[sample, place])
            for column in range(width):
                table_gradients[row, column] += gradients[sample, column]
        for place in range(num_codes, source.shape[1]):
            number = source[sample, place]
            if number != 0:
                for column in range(width):
                    table_gradients[first + place, column] += number * gradients[sample, column]


@njit
def look_up(source, places, reach, weights, biases, relu, target):
    """A convolution of zeros and ones, of which only the ones are there; a ReLU where asked for.

    Args:
        source: float32 (n, cells, depth): the channels that are one in a cell; -1: none.
        places: int64 (cells of the result * reach, ...): the cells that each looks at.
        reach: How many that are.
        weights: float32 (channels * reach, width), by channel, and by which of the cells it is in.
        biases: float32 (width, ...).
        target: float32 (n * cells of the result, width), is written.
    """
    width, cells = target.shape[1], len(target) // len(source)
    for at in range(len(target)):
        sample, begin, own = at // cells, at % cells * reach, target[at]
        for column in range(width):
            own[column] = biases[column]
        for number in range(reach):
            place = places[begin + number]
            for entry in range(source.shape[2]):
                channel = source[sample, place, entry]
                if channel >= 0:
                    row = _row(channel, reach, number)
                    for column in range(width):
                        own[column] += weights[row, column]
        if relu:
            for column in range(width):
                own[column] = max(own[column], np.float32(0))


@njit
def add_to_looked_up(source, places, reach, gradients, weight_gradients):
    """Gradients (n * cells, width) of such sums, added to those of the weights."""
    width, cells = gradients.shape[1], len(gradients) // len(source)
    for at in range(len(gradients)):
        sample, begin = at // cells, at % cells * reach
        for number in range(reach):
            place = places[begin + number]
            for entry in range(source.shape[2]):
                channel = source[sample, place, entry]
                if channel >= 0:
                    row = _row(channel, reach, number)
                    for column in range(width):
                        weight_gradients[row, column] += gradients[at, column]


@njit
def _row(channel, reach, number):
    """Without a sign, for which the compiler would look at every access."""
    return np.uint64(channel) * np.uint64(reach) + np.uint64(number)
