import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.baselines.papers.sibling_rivalry.coverage import regions_visited

LOW, HIGH = np.array([-0.5, 0.0]), np.array([9.5, 3.0])


@given(st.data(), st.integers(1, 7), st.integers(1, 5), st.integers(1, 12))
def test_regions_are_counted_as_by_hand(data, steps, rows, divisions):
    places = data.draw(arrays(np.float32, (steps, rows, 2), elements=st.floats(-1, 11, width=32)))
    counted = data.draw(arrays(np.bool_, (steps, rows)))
    found = regions_visited(places, counted, LOW, HIGH, divisions)
    for row in range(rows):
        visited = set()
        for step in range(steps):
            if counted[step, row]:
                x, y = (float(value) for value in places[step, row])
                column, line = int((x + 0.5) / 10 * divisions // 1), int(y / 3 * divisions // 1)
                visited.add((min(max(column, 0), divisions - 1), min(max(line, 0), divisions - 1)))
        assert found[row] == len(visited)


def test_a_walk_through_all_regions_counts_them_all():
    x, y = np.meshgrid(np.arange(10), [0.5, 1.5, 2.5])
    places = np.stack([x.ravel(), y.ravel()], axis=1)[:, None]
    counted = np.ones((30, 1), np.bool_)
    assert regions_visited(places, counted, LOW, HIGH, 3) == [9]
    assert regions_visited(places, counted, LOW, HIGH, 1) == [1]
    assert regions_visited(places, ~counted, LOW, HIGH, 3) == [0]


def test_the_far_sides_belong_to_the_last_regions():
    places = np.array([[[9.5, 3.0]], [[9.4, 2.9]]])
    assert regions_visited(places, np.ones((2, 1), np.bool_), LOW, HIGH, 5) == [1]
