"""A long short-term memory in compiled networks: steps in a row, and gradients back through them."""

import numpy as np

from procgen_bench.baselines.fast.gated_memory import sigmoid, tanh
from procgen_bench.core.compiled import njit


@njit
def remember(
    seen, steps, weights, biases, memories, entries, kept, before, gates, cells_before, cells, bounded_cells, after
):
    """Let the unit take ``steps`` steps in R rows, sample by sample in the order of time.

    Args:
        seen: float32 (steps * R, 4 w): what input gates, forget gates, new cells and output gates are given by what is
            seen.
        steps: How many.
        weights: float32 (w, 4 w), by which what is known counts in them.
        biases: float32 (4 w, ...).
        memories: float32 (rows, 2 w): what is known before the first step, and the cells.
        entries: float32 (steps * R, 2): 0 where an episode begins, else 1; and the sample's row among ``memories``.
        kept: float32 (R, 4 w), is written over.
        before: float32 (steps * R, w), what is known before each step, is written.
        gates: float32 (steps * R, 4 w), is written for :func:`forget`.
        cells_before, cells, bounded_cells: float32 (steps * R, w), the same.
        after: float32 (steps * R, w): what is known after each step, is written.
    """
    rows, width = len(seen) // steps, after.shape[1]
    for step in range(steps):
        first, end = step * rows, (step + 1) * rows
        for at in range(first, end):
            goes_on = entries[at, 0]
            own = memories[int(entries[at, 1])]
            known, cell = (own[:width], own[width:]) if step == 0 else (after[at - rows], cells[at - rows])
            for column in range(width):
                before[at, column] = goes_on * known[column]
                cells_before[at, column] = goes_on * cell[column]
        np.dot(before[first:end], weights, kept)
        for row in range(rows):
            at = first + row
            for column in range(2 * width):
                gates[at, column] = sigmoid(seen[at, column] + kept[row, column] + biases[column])
            for column in range(2 * width, 3 * width):
                gates[at, column] = tanh(seen[at, column] + kept[row, column] + biases[column])
            for column in range(3 * width, 4 * width):
                gates[at, column] = sigmoid(seen[at, column] + kept[row, column] + biases[column])
            for column in range(width):
                cell = gates[at, width + column] * cells_before[at, column]
                cell += gates[at, column] * gates[at, 2 * width + column]
                cells[at, column], bounded_cells[at, column] = cell, tanh(cell)
                after[at, column] = gates[at, 3 * width + column] * bounded_cells[at, column]


@njit
def forget(gradients, steps, weights, entries, gates, cells_before, cells, bounded_cells, of_seen):
    """Gradients of what is known after each step (steps * R, w), back through the steps.

    Args:
        gradients: Those that come from elsewhere than the steps behind.
        weights: As :func:`remember` had them.
        entries, gates, cells_before, cells, bounded_cells: As it left them.
        of_seen: float32 (steps * R, 4 w), what is seen's, is written; they are those of the products with the weights,
            too, which are added to it.
    """
    rows, width = len(gradients) // steps, gradients.shape[1]
    later, of_cells = np.zeros((rows, width), np.float32), np.zeros((rows, width), np.float32)
    turned = np.ascontiguousarray(weights.T)
    one = np.float32(1)
    for step in range(steps - 1, -1, -1):
        first, end = step * rows, (step + 1) * rows
        for row in range(rows):
            at = first + row
            goes_on = entries[at, 0]
            for column in range(width):
                enters, stays = gates[at, column], gates[at, width + column]
                new, leaves = gates[at, 2 * width + column], gates[at, 3 * width + column]
                total, bounded = gradients[at, column] + later[row, column], bounded_cells[at, column]
                of_cell = total * leaves * (one - bounded * bounded) + of_cells[row, column]
                of_seen[at, column] = of_cell * new * enters * (one - enters)
                of_seen[at, width + column] = of_cell * cells_before[at, column] * stays * (one - stays)
                of_seen[at, 2 * width + column] = of_cell * enters * (one - new * new)
                of_seen[at, 3 * width + column] = total * bounded * leaves * (one - leaves)
                of_cells[row, column] = goes_on * (of_cell * stays)
        np.dot(of_seen[first:end], turned, later)
        for row in range(rows):
            goes_on = entries[first + row, 0]
            for column in range(width):
                later[row, column] = goes_on * later[row, column]
