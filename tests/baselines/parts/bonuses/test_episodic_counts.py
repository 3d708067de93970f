from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.baselines.parts.bonuses.episodic_counts import EpisodicCounts

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
