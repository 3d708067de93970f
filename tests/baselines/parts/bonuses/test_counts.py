from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.baselines.papers.sibling_rivalry.coverage import regions_visited
from procgen_bench.baselines.parts.bonuses.episodic_counts import EpisodicCounts
from procgen_bench.baselines.parts.bonuses.running_moments import RunningMoments, discounted_sums

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


ROWS = 3


def walks(steps, seed):
    """Places before and after the steps of rows whose episodes end now and then, and whether these begin."""
    rng = np.random.default_rng(seed)
    starts, ends = np.zeros((steps, ROWS), bool), rng.random((steps, ROWS)) < 0.2
    starts[0], starts[1:] = True, ends[:-1]
    before, after = np.zeros((2, steps, ROWS, 2), np.float32)
    places = np.zeros((ROWS, 2), np.float32)
    for step in range(steps):
        places[starts[step]] = rng.integers(2, size=(starts[step].sum(), 2))
        before[step] = places
        places = np.clip(places + rng.integers(-1, 2, size=(ROWS, 2)), 0, 2).astype(np.float32)
        after[step] = places
    return {"place": before}, {"place": after}, starts


def counted(before, after, starts):
    """As by hand."""
    visits, counts = [Counter() for _ in range(ROWS)], np.zeros(starts.shape, int)
    for step, row in np.ndindex(starts.shape):
        if starts[step, row]:
            visits[row] = Counter([tuple(before["place"][step, row])])
        state = tuple(after["place"][step, row])
        visits[row][state] += 1
        counts[step, row] = visits[row][state]
    return counts


@given(st.integers(2, 30), st.integers(0, 2**32 - 1), st.data())
def test_visits_are_counted_as_by_hand_in_parts_and_by_restored_counts(steps, seed, data):
    before, after, starts = walks(steps, seed)
    cut = data.draw(st.integers(1, steps - 1))
    counts, found = EpisodicCounts(ROWS), []
    for part in (slice(0, cut), slice(cut, steps)):
        shown, following = ({"place": side["place"][part]} for side in (before, after))
        found.append(counts.visit(shown, following, starts[part]))
        other = EpisodicCounts(ROWS)
        other.restore(counts.state())
        counts = other
    assert np.concatenate(found).tolist() == counted(before, after, starts).tolist()


@pytest.mark.parametrize("sabotage", ["never restarts", "the first state does not count"])
def test_sabotaged_counts_differ(sabotage):
    before, after, starts = walks(60, 0)
    shown = {"place": before["place"] + 100} if sabotage.startswith("the first") else before
    begins = starts if sabotage.startswith("the first") else np.arange(60)[:, np.newaxis] * np.ones(ROWS) == 0
    found = EpisodicCounts(ROWS).visit(shown, after, begins)
    assert not np.array_equal(found, counted(before, after, starts))


def test_minus_zero_is_zero_and_every_part_of_a_state_counts():
    place, door = np.zeros((3, 1, 1), np.float32), np.array([0, 0, 1], np.uint8).reshape(3, 1, 1)
    place[1] = -0.0
    states = {"place": place, "door": door}
    assert EpisodicCounts(1).visit(states, states, np.array([[True], [False], [False]])).ravel().tolist() == [2, 3, 1]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_moments_in_parts_are_those_of_the_whole(sizes, seed):
    values = np.random.default_rng(seed).normal(3, 100, (sum(sizes), 2, 3))
    moments = RunningMoments((2, 3))
    for part in np.split(values, np.cumsum(sizes)[:-1]):
        moments = moments.updated(part)
    assert moments.count == len(values)
    assert np.allclose(moments.mean, values.mean(axis=0))
    assert np.allclose(moments.deviation, values.std(axis=0))


def test_updating_leaves_the_old_moments_and_a_restored_copy_goes_on():
    first = RunningMoments().updated(np.array([1.0, 2.0]))
    copy = RunningMoments()
    copy.restore(first.state())
    assert all(isinstance(array, np.ndarray) for array in first.state().values())
    second = first.updated(np.array([9.0]))
    assert (first.count, first.mean, first.variance) == (2, 1.5, 0.25)
    assert (second.count, second.mean) == (3, 4.0)
    assert copy.updated(np.array([9.0])).state() == second.state()
    assert RunningMoments().deviation == 1.0


def test_sums_are_discounted_once_a_step():
    values = np.array([[1.0, 0.0], [2.0, 4.0], [3.0, 0.0]])
    expected = [[1, 0], [2.5, 4], [4.25, 2]]
    assert discounted_sums(values, 0.5) == pytest.approx(np.array(expected))
    assert values[1, 0] == 2.0


def test_sums_are_restored_and_reset():
    values, starts = np.ones((3, 2)), np.array([[False, True], [False, False], [True, False]])
    sums = discounted_sums(values, 0.5, starts, before=np.array([4.0, 4.0]))
    assert sums == pytest.approx(np.array([[3, 1], [2.5, 1.5], [1, 1.75]]))
