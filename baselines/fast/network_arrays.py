"""What compiled passes know of a network: a table of layers, and the arrays that they read and write.

Everything that flows lies in one vector of cells: block after block, of each block sample after sample, of each sample
``rows`` x ``width`` numbers. A row of the table says what a layer does:

===========  ===========================================================================================================
DENSE        Every row of every sample times weights, plus biases; then, where asked for, a ReLU.
ONES         Every place's category becomes as many zeros and a one as there are categories.
GATHER       Every row is one of the sample's in the source, or zeros: what a convolution looks at.
SPREAD       Every row of the source is added to one of the target, or lost; plus biases: where a transposed one writes.
COPY         The source becomes one of several alike, of which all but the last have ``FIRST`` 1.
JOIN         The source becomes some columns of the target, which several sources fill.
NORMALISE    Every column by its mean and variance over all rows of all samples, scaled and moved; then a ReLU.
CODED        The sum of those rows of a table that codes name, and of others times numbers, plus biases; then a ReLU.
MEMORY       A gated recurrent unit: all samples of a pass are steps of some rows, in the order of time.
LONG_MEMORY  A long short-term memory: the same.
POOL         Sums, and maxima, of the rows of all elements that an owner has of a set; see :mod:`.sets`.
PICK         Every element's row is that of an element of another set of the same sample, and some numbers.
LOOK_UP      A convolution of zeros and ones: each cell sums those rows of weights that its neighbours' numbers name,
             plus biases; then, where asked for, a ReLU.
===========  ===========================================================================================================
"""

from typing import NamedTuple

import numpy as np

from procgen_bench.baselines.fast.sets import SetArrays
from procgen_bench.core.compiled import njit

DENSE, ONES, GATHER, SPREAD, JOIN, NORMALISE, COPY, CODED, MEMORY, LONG_MEMORY, POOL, PICK, LOOK_UP = range(13)
#: Columns of the table. ``FIRST``: where weights, scales or places begin, or the first column that is filled.
#: ``SECOND``: where biases begin; -1: there are none. ``THIRD``: where moments begin, whether weights are turned, how
#: long the rows are that places stand for, how many codes there are, where a memory's own cells begin, what sums are
#: divided by, or how wide entries are, whose block begins at ``FIRST``; or where places begin, if weights do first.
#: ``FOURTH``: where the block begins that says where episodes begin, and which row a sample is of; or how many cells a
#: cell looks at. ``SOURCE_SET``, ``TARGET_SET``: whose rows they are; 0: samples'.
KIND, SOURCE, ROWS, WIDTH, TARGET, TARGET_ROWS, TARGET_WIDTH, FIRST, SECOND, THIRD, RELU, DEEPER, FOURTH = range(13)
SOURCE_SET, TARGET_SET = 13, 14
NUM_COLUMNS = 15


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
        sets: What samples have different numbers of.
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
    sets: SetArrays


@njit
def block_of(cells, capacity, count, offset, rows, width):
    """A block's numbers, those of every row of every sample: (count * rows, width), a view."""
    begin = capacity * offset
    return cells[begin : begin + count * rows * width].reshape(count * rows, width)


@njit
def matrix_of(parameters, begin, height, width):
    """Some of these as float32 (height, width), a view."""
    return parameters[begin : begin + height * width].reshape(height, width)
