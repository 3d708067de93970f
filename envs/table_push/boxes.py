"""The table's blocks as few solid boxes: neighbours of one type are merged."""

import numpy as np


def merged_rectangles(mask: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Disjoint rectangles that together are the cells of ``mask`` (bool (rows, columns)).

    The largest one that is left is taken first; of equals, the first by row, column and then the longer along rows.

    Returns:
        (first row, first column, number of rows, number of columns) of each.
    """
    left, rectangles = mask.copy(), []
    while left.any():
        row, column, height, width = max(_candidates(left), key=lambda found: found[2] * found[3])
        left[row : row + height, column : column + width] = False
        rectangles.append((row, column, height, width))
    return rectangles


def _candidates(mask: np.ndarray):
    """Every rectangle of true cells."""
    rows, columns = mask.shape
    for row, column in np.argwhere(mask).tolist():
        widest = columns - column
        for height in range(1, rows - row + 1):
            line = mask[row + height - 1, column : column + widest]
            widest = int(np.argmin(line)) if not line.all() else widest
            if not widest:
                break
            for width in range(1, widest + 1):
                yield row, column, height, width
