"""Sets in compiled networks: rows of numbers, as many as a sample has, through the same layers.

The rows of all samples of a pass lie behind each other, without gaps, so that nothing is computed for rows that are not
there. A set belongs to samples, or to the elements of another set: the literals of the options of a goal, say. Set 0
is that of the samples themselves.

What a sample is given begins with the numbers of its sets, set after set: how many elements each owner has, and the
elements' rows, behind each other, in as much room as the most of them take.
"""

from typing import NamedTuple

import numpy as np

from procgen_bench.core.compiled import njit


class SetArrays(NamedTuple):
    """The sets of a network as the passes know them.

    Attributes:
        owners: int64 (S,), the set to whose elements each belongs; 0: samples.
        counts: int64 (S, 2): the column of what a sample is given in which the counts of its elements begin, one for
            each owner, and how many these are.
        inputs: int64 (I, 4): of every input that is a set's, where its block begins, how wide its rows are, the set,
            and the column in which rows begin.
        width: Numbers of a sample that are its sets'.
        sizes: int64 (S,), elements in the pass.
        bounds: int64 (S, ...): where the elements of each owner begin, and where the last ones end.
    """

    owners: np.ndarray
    counts: np.ndarray
    inputs: np.ndarray
    width: int
    sizes: np.ndarray
    bounds: np.ndarray


@njit
def enter_sets(sets, written, width, chosen, cells, capacity):
    """Let the sets of some written samples (their places) be the inputs.

    Args:
        sets: :class:`SetArrays`.
        written: float32 (n * width,): sample after sample.
        width: Numbers of a sample.
        chosen: int64 (k,).
        cells: See :class:`.NetworkArrays`; blocks of inputs are written.
        capacity: Samples of one pass, at most.
    """
    sets.sizes[0] = len(chosen)
    for own in range(1, len(sets.owners)):
        owner, bounds, total = sets.owners[own], sets.bounds[own], 0
        bounds[0], place = 0, 0
        for sample in range(len(chosen)):
            begin = chosen[sample] * width + sets.counts[own, 0]
            owned = 1 if owner == 0 else sets.bounds[owner, sample + 1] - sets.bounds[owner, sample]
            for number in range(owned):
                total += int(written[begin + number])
                place += 1
                bounds[place] = total
        sets.sizes[own] = total
    for begin, row_width, own, column in sets.inputs:
        for sample in range(len(chosen)):
            source = chosen[sample] * width + column
            first, end = rows_of_sample(sets, own, sample)
            target = capacity * begin + first * row_width
            for entry in range((end - first) * row_width):
                cells[target + entry] = written[source + entry]


@njit
def rows_of_sample(sets, own, sample):
    """The first element of a set that is a sample's, and the first one behind those."""
    owner, bounds = sets.owners[own], sets.bounds
    if owner == 0:
        return bounds[own, sample], bounds[own, sample + 1]
    return bounds[own, bounds[owner, sample]], bounds[own, bounds[owner, sample + 1]]


@njit
def pool(source, bounds, divisor, target):
    """Sums of each owner's rows, divided, and, where there is room for it, their greatest numbers, at least 0.

    Args:
        source: float32 (rows, w), the set's.
        bounds: int64 (owners + 1, ...), see :class:`SetArrays`.
        divisor: Of the sums.
        target: float32 (owners, w) or (owners, 2 w), is written.
    """
    width, share = source.shape[1], np.float32(1 / divisor)
    target[:] = 0
    for owner in range(len(target)):
        for row in range(bounds[owner], bounds[owner + 1]):
            for column in range(width):
                target[owner, column] += source[row, column]
            for column in range(target.shape[1] - width):
                target[owner, width + column] = max(target[owner, width + column], source[row, column])
        for column in range(width):
            target[owner, column] *= share


@njit(error_model="numpy")
def unpool(source, target, after, bounds, divisor, before):
    """Gradients through :func:`pool`; rows that have the greatest number together share its gradient.

    Args:
        source, bounds, divisor, target: As :func:`pool` left them.
        after: float32, like ``target``: its gradients.
        before: float32 (rows, w), the source's gradients, is written.
    """
    width, share = source.shape[1], np.float32(1 / divisor)
    greatest = target.shape[1] - width
    alike = np.empty(greatest, np.float32)
    for owner in range(len(target)):
        first, end = bounds[owner], bounds[owner + 1]
        alike[:] = 0
        for row in range(first, end):
            for column in range(greatest):
                alike[column] += np.float32(source[row, column] == target[owner, width + column])
        for row in range(first, end):
            for column in range(width):
                before[row, column] = share * after[owner, column]
            for column in range(greatest):
                if source[row, column] == target[owner, width + column]:
                    before[row, column] += after[owner, width + column] / alike[column]


@njit
def pick(sets, picked, own, source, entries, target):
    """Each row of a set is one of its sample's rows of another set, which its first entry names, and its other entries.

    Args:
        sets: :class:`SetArrays`.
        picked: The other set.
        own: The set.
        source: float32 (rows, w), the other set's.
        entries: float32 (own rows, 1 + k): the place among the sample's rows, and k numbers.
        target: float32 (own rows, w + k), is written.
    """
    width = source.shape[1]
    for sample in range(sets.sizes[0]):
        begin, _ = rows_of_sample(sets, picked, sample)
        first, end = rows_of_sample(sets, own, sample)
        for row in range(first, end):
            named = begin + int(entries[row, 0])
            for column in range(width):
                target[row, column] = source[named, column]
            for column in range(1, entries.shape[1]):
                target[row, width + column - 1] = entries[row, column]


@njit
def unpick(sets, picked, own, entries, after, before):
    """Gradients ``after`` (own rows, w + k) through :func:`pick`: ``before``, float32 (rows, w), is written."""
    before[:] = 0
    for sample in range(sets.sizes[0]):
        begin, _ = rows_of_sample(sets, picked, sample)
        first, end = rows_of_sample(sets, own, sample)
        for row in range(first, end):
            named = begin + int(entries[row, 0])
            for column in range(before.shape[1]):
                before[named, column] += after[row, column]
