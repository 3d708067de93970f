"""Noise of rows and of episodes."""

import numpy as np
from scipy import stats

from procgen_bench.core.noise import RowNoise
from procgen_bench.core.seeding import seed_from_parts, stream_from_seed
from procgen_bench.core.streams import advance, output


def drawn(noise, rows, times):
    return np.stack([noise.draw(rows) for _ in range(times)])


def test_numbers_are_those_of_the_row_streams():
    """As a compiled kernel would draw them, one after the other, whatever the width."""
    noise = RowNoise(3)
    noise.begin(0, 17)
    state = stream_from_seed(seed_from_parts("noise", "episode", 17))
    for number in drawn(noise, 1, 4).ravel():
        state = np.uint64(advance(state))
        assert number == np.float32((int(output(state)) >> 40) / 2**24)


def test_numbers_are_uniform_and_independent():
    numbers = drawn(RowNoise(5), 200, 100)
    assert numbers.dtype == np.float32
    assert numbers.min() >= 0 and numbers.max() < 1
    assert stats.kstest(numbers.ravel()[:20_000], "uniform").pvalue > 1e-3
    for axis in range(3):
        first, second = (np.delete(numbers, index, axis).ravel() for index in (0, -1))
        assert abs(np.corrcoef(first, second)[0, 1]) < 0.015


def test_an_episode_draws_the_same_in_any_row_beside_any_others():
    one, other = RowNoise(2), RowNoise(2)
    one.begin(0, 5)
    other.seed(9)
    drawn(other, 3, 4)
    other.begin(6, 5)
    assert np.array_equal(drawn(one, 1, 3)[:, 0], drawn(other, 8, 3)[:, 6])


def test_rows_without_an_episode_draw_by_the_seed():
    noise = RowNoise(2)
    noise.seed(3)
    first = drawn(noise, 4, 2)
    assert not np.array_equal(drawn(noise, 4, 2), first)
    noise.seed(3)
    assert np.array_equal(drawn(noise, 4, 2), first)
    noise.seed(4)
    assert not np.isin(drawn(noise, 4, 2), first).any()


def test_no_noise_is_an_empty_array():
    assert RowNoise(0).draw(3).shape == (3, 0)
