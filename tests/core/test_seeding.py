"""Noise of rows and of episodes."""

import itertools

import numpy as np
import pytest
from numba import njit
from scipy import stats

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.noise import RowNoise
from procgen_bench.core.seeding import checked_seed, seed_from_parts, stream_from_seed
from procgen_bench.core.streams import advance, below, output

BITS_64 = 2**64 - 1


def splitmix64(state: int) -> tuple[int, int]:
    """Vigna's splitmix64 in Python's integers: the next state and its output."""
    state = (state + 0x9E3779B97F4A7C15) & BITS_64
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & BITS_64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & BITS_64
    return state, z ^ (z >> 31)


@njit
def draws(state, count):
    numbers = np.empty(count, np.uint64)
    for i in range(count):
        state = advance(state)
        numbers[i] = output(state)
    return numbers


@njit
def numbers_below(bits, bound):
    return below(bits, bound)


@pytest.mark.parametrize("state", [0, 1, 1234567, 2**63, BITS_64, 0x9E3779B97F4A7C15])
def test_streams_are_splitmix64(state):
    expected, at = [], state
    for _ in range(1_000):
        at, bits = splitmix64(at)
        expected.append(bits)
    assert draws(np.uint64(state), 1_000).tolist() == expected


def test_published_outputs_of_splitmix64():
    # Of the reference implementation, for the seed 1234567.
    assert draws(np.uint64(1234567), 3).tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 1_000, 2**16])
def test_below_spreads_evenly(bound):
    ends = [numbers_below(np.uint64(bits), bound) for bits in (0, 2**32 - 1)]
    assert ends == [0, bound - 1]
    bits = draws(np.uint64(7), 20_000) & np.uint64(2**32 - 1)
    found = np.array([numbers_below(b, bound) for b in bits])
    assert found.tolist() == [int(b) * bound >> 32 for b in bits]
    if 1 < bound <= 1_000:
        assert stats.chisquare(np.bincount(found, minlength=bound)).pvalue > 1e-3


def test_stream_of_a_seed_is_fixed_and_neighbours_are_far_apart():
    streams = [int(stream_from_seed(seed)) for seed in range(1_000)]
    assert streams == [int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]) for seed in range(1_000)]
    assert len(set(streams)) == 1_000
    assert int(stream_from_seed(0)) == 15793235383387715774
    different_bits = [(one ^ other).bit_count() for one, other in itertools.pairwise(streams)]
    assert 30 < np.mean(different_bits) < 34


def test_no_seed_takes_fresh_entropy():
    assert len({int(stream_from_seed(None)) for _ in range(20)}) == 20


def test_seed_from_parts_is_bound_to_every_part():
    assert seed_from_parts("board", 1, 2) == seed_from_parts("board", 1, 2)
    lists = [
        ("ab", "c"),
        ("a", "bc"),
        ("abc",),
        ("ab", "c", ""),
        ("", "ab", "c"),
        ("1:a", "b"),
        ("a;1:b",),
        ("c", "ab"),
    ]
    assert len({seed_from_parts(*parts) for parts in lists}) == len(lists)
    assert all(0 <= seed_from_parts("x", number) < 2**63 for number in range(1_000))
    assert max(seed_from_parts("x", number) for number in range(1_000)) > 2**62


@pytest.mark.parametrize("seed", [0, 7, 2**70, np.int64(7), np.uint8(255), None])
def test_integers_are_seeds(seed):
    checked = checked_seed(seed)
    assert checked == seed and type(checked) in (int, type(None))
    assert seed is None or stream_from_seed(seed) == stream_from_seed(int(seed))


@pytest.mark.parametrize("seed", [True, np.True_, -1, np.int64(-1), 1.0, np.float64(1), "1", [1], np.array([1])])
def test_all_else_is_none(seed):
    for take in (checked_seed, stream_from_seed):
        with pytest.raises(InvalidOptionError, match=r"^seed is .+, expected an integer of at least 0, or None$"):
            take(seed)


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
