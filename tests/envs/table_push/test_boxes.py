import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.envs.table_push.boxes import merged_rectangles

masks = arrays(bool, st.tuples(st.integers(1, 7), st.integers(1, 7)))


@given(masks)
def test_rectangles_cover_every_cell_once_and_nothing_else(mask):
    covered = np.zeros(mask.shape, int)
    for row, column, rows, columns in merged_rectangles(mask):
        covered[row : row + rows, column : column + columns] += 1
    assert np.array_equal(covered, mask)


def test_one_box_for_a_flat_table_and_four_around_a_pit():
    flat = np.ones((6, 4), bool)
    assert merged_rectangles(flat) == [(0, 0, 6, 4)]
    flat[2, 1] = False
    assert len(merged_rectangles(flat)) == 4
