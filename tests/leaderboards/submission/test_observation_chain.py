import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.leaderboards.submission.observation_chain import (
    LINK_BYTES,
    ObservationChain,
    first_difference,
    links_array,
    num_links,
)


def chain_of(observations) -> tuple[bytes, ...]:
    first, *others = observations
    chain = ObservationChain(first)
    for observation in others:
        chain.append(observation)
    return chain.links


def numbers(steps: int) -> list[np.ndarray]:
    """The observations of an episode, the reset's first."""
    return list(np.random.default_rng(7).normal(size=(steps + 1, 3)).astype(np.float32))


@pytest.mark.parametrize(("steps", "links"), [(0, 0), (1, 1), (49, 1), (50, 1), (51, 2), (100, 2), (101, 3), (500, 10)])
def test_one_link_every_fifty_steps_and_one_at_the_end(steps, links):
    chain = chain_of(numbers(steps))
    assert len(chain) == links == num_links(steps) == num_links(np.array([steps]))[0]
    assert all(len(link) == LINK_BYTES for link in chain)
    assert links_array([chain, (), chain]).shape == (2 * links, 16)
    assert links_array([chain]).tobytes() == b"".join(chain)


def test_a_link_is_the_hash_of_all_that_was_observed_up_to_it():
    observations = numbers(120)
    ends = [51, 101, 121]
    hashes = [hashlib.blake2b(b"".join(o.tobytes() for o in observations[:end]), digest_size=16) for end in ends]
    assert chain_of(observations) == tuple(hash_.digest() for hash_ in hashes)


@given(steps=st.integers(1, 170), data=st.data())
def test_a_change_of_one_bit_is_found_in_its_span_of_steps(steps, data):
    observations = numbers(steps)
    at = data.draw(st.integers(0, steps))
    changed = [observation.copy() for observation in observations]
    changed[at].view(np.uint32)[data.draw(st.integers(0, 2))] ^= np.uint32(1 << data.draw(st.integers(0, 31)))
    first, last = first_difference(chain_of(observations), chain_of(changed), steps)
    assert first <= at <= last <= steps and last - first <= 50
    assert first in (0, 51, 101, 151)


def test_an_episode_that_ends_sooner_parts_where_it_ends():
    observations = numbers(120)
    recorded = chain_of(observations)
    assert first_difference(recorded, recorded, 120) is None
    assert first_difference(recorded, chain_of(observations[:81]), 120) == (51, 100)
    assert first_difference(recorded, chain_of(observations[:111]), 120) == (101, 120)
    assert first_difference(recorded, chain_of(observations[:101]), 120) is None  # as far as it went
    assert first_difference((), (), 0) is None


def test_every_part_of_an_observation_counts_and_their_order_does_not():
    parts = {"a": np.zeros(2, np.float32), "b": {"c": np.ones(3), "d": np.int64(4)}}
    assert chain_of([parts] * 3) == chain_of([{"b": {"d": np.int64(4), "c": np.ones(3)}, "a": parts["a"]}] * 3)
    for other in ({**parts, "a": -parts["a"]}, {**parts, "b": {"c": np.ones(3), "d": np.int64(5)}}):
        assert not set(chain_of([parts] * 3)) & set(chain_of([other] * 3))
        assert chain_of([parts, parts, parts]) != chain_of([parts, parts, other])


def test_what_was_observed_may_be_overwritten_later():
    buffer = np.zeros(3)
    chain = ObservationChain(buffer)
    chain.append(buffer)
    links = chain.links
    buffer[:] = 1
    assert chain.links == links == chain_of([np.zeros(3)] * 2)
