"""Episodes that nothing is learned from take no room in a minibatch, and change nothing."""

from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.baselines.fast.packed_rows import packed_places
from tests.baselines.fast.agreement import assert_gradients_agree
from tests.baselines.fast.test_view import learners, rollout  # noqa: F401

STEPS, ROWS = 12, 25


@pytest.fixture(params=["view, gru", "view, lstm, as published"])
def name(request):
    return request.param


def whole_episodes(starts, share, rng):
    """Which steps may be learned from: those of a share of the episodes, bool (T, N)."""
    numbers = np.cumsum(starts.ravel(order="F")).reshape(starts.shape, order="F")
    numbers += np.arange(starts.shape[1])  # rows that go on from before have an episode of their own
    return (rng.random(numbers.max() + 1) < share)[numbers]


def test_every_step_that_counts_is_there_once_in_its_order():
    rng = np.random.default_rng(0)
    for share, most in ((0.3, 15), (0.8, 23), (1.0, ROWS)):
        starts = rng.random((STEPS, ROWS)) < 0.15
        weights = whole_episodes(starts, share, rng).astype(np.float32)
        weights[:, 7] = 1  # a row that is not asked for
        rows = np.flatnonzero(weights.any(axis=0) & (np.arange(ROWS) != 7))
        packed = packed_places(rows, starts, weights.ravel()).reshape(STEPS, -1)
        counted = packed[weights.ravel()[packed] > 0]
        expected = np.flatnonzero(weights * np.isin(np.arange(ROWS), rows))
        np.testing.assert_array_equal(np.sort(counted), expected)
        assert packed.shape[1] <= most and (packed.shape[1] == len(rows)) == (share == 1)
        steps, columns = np.divmod(packed, ROWS)
        for step, column in np.argwhere(weights.ravel()[packed] > 0):
            own_step, row = steps[step, column], columns[step, column]
            if step == 0:
                assert own_step == 0 or starts[own_step, row]
            elif not starts[own_step, row]:
                assert packed[step - 1, column] == packed[step, column] - ROWS, "the step before"


def test_rows_stay_as_they_are_where_nothing_is_gained():
    """Two rows of episodes of 3, 3 and 4 steps, the longest of which would be put together first."""
    starts = np.zeros((10, 2), bool)
    starts[[0, 3, 6]] = True
    places = packed_places(np.arange(2), starts, np.ones(20, np.float32))
    np.testing.assert_array_equal(places, np.arange(20))


def test_gradients_are_those_of_whole_rows(name, rollout):  # noqa: F811
    train = whole_episodes(rollout.starts, 0.4, np.random.default_rng(1))
    given = replace(rollout, train=train)
    ours, theirs = learners(name, minibatches=1, epochs=1, learning_rate=0.0, max_gradient=1e9)
    places = []
    find = ours.compiled._find_gradient
    ours.compiled._find_gradient = lambda written, minibatch, *others: (
        places.extend(minibatch),
        find(written, minibatch, *others),
    )[1]
    measures = ours.update(given), theirs.update(given)
    assert measures[0] == pytest.approx(measures[1], rel=1e-5, abs=1e-6)
    assert len(places[0]) <= 0.8 * STEPS * train.any(axis=0).sum()
    assert_gradients_agree(ours, theirs, 1e-6)
