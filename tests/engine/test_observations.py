"""Names that observations may not have: a family that declares one cannot be made by its id.

Vectors of observations equal those of Gymnasium, for one observation and for many; what is no array is refused.

Texts of any writing as a Gymnasium space.
"""

import copy
import multiprocessing
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector.utils import (
    batch_space,
    create_shared_memory,
    iterate,
    read_from_shared_memory,
    write_to_shared_memory,
)
from hypothesis import example, given
from hypothesis import strategies as st

from procgen_bench.core.errors import InvalidOptionError, InvalidSpaceError
from procgen_bench.engine.flattening import Flattener
from procgen_bench.engine.observation_keys import check_observation_keys
from procgen_bench.engine.text_space import PADDING, AnyText
from procgen_bench.envs.grid_world.environment import GridWorldEnv, GridWorldVectorEnv
from tests.envs.conformance.space_checks import check_values

LEAF = spaces.Box(0, 1, (2,), np.float32)
REFUSED = ["values", "items", "type", "training", "done", "reward", "action", "next", "is_init", "batch_size"]
REFUSED += ["lambda", "None", "_private", "two words", "a.b", "a/b", "", "1st", 3, "noise", "state_in_0"]


class OwnEnv(GridWorldEnv):
    """A family of another package with an unfortunate key."""

    observation_space = spaces.Dict({**GridWorldEnv.observation_space.spaces, "keys": LEAF})


class OwnVectorEnv(GridWorldVectorEnv):
    single_env_type = OwnEnv


def assert_refused(caught, key) -> None:
    assert repr(key) in str(caught.value) and "\n" not in str(caught.value) and "rename it" in str(caught.value)


@pytest.mark.parametrize("key", REFUSED)
@pytest.mark.parametrize(
    "within", [lambda part: part, lambda part: spaces.Dict(outer=part), lambda part: spaces.Tuple([LEAF, part])]
)
def test_key_is_refused(key, within):
    space = spaces.Dict()
    space.spaces = {key: LEAF}
    with pytest.raises(InvalidSpaceError) as caught:
        check_observation_keys(within(space))
    assert_refused(caught, key)


@pytest.mark.parametrize("key", ["observation", "achieved_goal", "state", "element_values", "match", "new"])
def test_key_is_taken(key):
    check_observation_keys(spaces.Dict({key: LEAF}))


def test_family_is_refused_when_it_is_made():
    spec = EnvSpec("Own-v0", entry_point=OwnEnv, vector_entry_point=OwnVectorEnv)
    with pytest.raises(InvalidSpaceError) as caught:
        gymnasium.make(spec)
    assert_refused(caught, "keys")
    with pytest.raises(InvalidSpaceError) as caught:
        gymnasium.make_vec(spec, num_envs=2, vectorization_mode="vector_entry_point")
    assert_refused(caught, "keys")


SPACES = {
    "box": spaces.Box(-2.0, 5.0, (3, 2), np.float64),
    "bytes": spaces.Box(0, 255, (4,), np.uint8),
    "map": spaces.Box(0, 3, (2, 2, 3), np.uint8),
    "number": spaces.Box(-1.0, 1.0, ()),
    "discrete": spaces.Discrete(4, start=-1),
    "categories": spaces.MultiDiscrete([2, 3], start=[0, 5]),
    "table": spaces.MultiDiscrete([[2, 3], [4, 1]]),
    "bits": spaces.MultiBinary(5),
}
SPACES["all"] = spaces.Dict(dict(SPACES))


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_vectors_are_gymnasiums(space):
    flattener, rows = Flattener(space), batch_space(space, 6)
    rows.seed(3)
    batch = rows.sample()
    expected = [gymnasium.spaces.flatten(space, row).astype(np.float32) for row in iterate(rows, batch)]
    assert np.array_equal(flattener.rows(batch), expected)
    out = np.full_like(expected, np.nan)
    assert flattener.rows(batch, out) is out and np.array_equal(out, expected)
    one = flattener.one(next(iter(iterate(rows, batch))))
    assert np.array_equal(one, expected[0]) and flattener.space.contains(one)
    assert flattener.space.dtype == np.float32


@pytest.mark.parametrize(
    ("space", "why"),
    [
        (spaces.Box(0, 255, (8, 8, 3), np.uint8), "the observation is a picture"),
        (spaces.Dict(view=spaces.Box(0, 255, (8, 8, 3), np.uint8)), "view is a picture"),
        (spaces.Dict(word=spaces.Text(5)), "word is no array but of Text"),
        (spaces.Dict(inner=spaces.Dict(x=spaces.Discrete(2))), "inner is no array but of Dict"),
    ],
)
def test_what_is_no_array_is_refused(space, why):
    with pytest.raises(InvalidOptionError, match=why):
        Flattener(space)


LENGTH = 24
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=LENGTH)


@given(st.lists(TEXTS, min_size=1, max_size=4))
@example(["", "\0", "a\0", "line\nbreak\r\n", "Zoë 日本語 😀", "\U0010ffff" * LENGTH])
def test_every_text_survives(texts):
    check_values(AnyText(LENGTH), texts)
    check_values(
        spaces.Dict(said=AnyText(LENGTH), seen=spaces.Discrete(2)), [{"said": t, "seen": np.int64(1)} for t in texts]
    )


@pytest.mark.parametrize("other", ["x" * (LENGTH + 1), "\ud800", b"bytes", None, 3, ["x"]])
def test_anything_else_is_outside(other):
    assert not AnyText(LENGTH).contains(other)


def test_samples_vary_and_repeat():
    one, other = AnyText(LENGTH), AnyText(LENGTH)
    one.seed(1), other.seed(1)
    samples = [one.sample() for _ in range(50)]
    assert samples == [other.sample() for _ in range(50)] and len({len(text) for text in samples}) > 15
    assert all(one.contains(text) and text.isprintable() for text in samples)


def test_flattened_text_is_the_numbers_of_its_characters():
    assert spaces.flatten(AnyText(4), "a😀").tolist() == [97, 0x1F600, PADDING, PADDING]
    assert spaces.flatten_space(AnyText(4)) == spaces.Box(0, PADDING, (4,), np.int32)


def test_spaces_of_one_length_are_equal():
    assert AnyText(4) == AnyText(4) == pickle.loads(pickle.dumps(AnyText(4)))
    assert AnyText(4) != AnyText(5) and AnyText(4) != spaces.Text(4) and spaces.Text(4) != AnyText(4)
    assert repr(AnyText(4)) == "AnyText(4)"


def test_texts_in_shared_memory_follow_it_and_copies_stay():
    space = AnyText(LENGTH)
    memory = create_shared_memory(space, 2, multiprocessing)
    shared = read_from_shared_memory(space, memory, 2)
    for first in ("before", "日本語", ""):
        write_to_shared_memory(space, 0, first, memory)
        write_to_shared_memory(space, 1, "other", memory)
        assert shared == (first, "other") and shared[0] == first and list(shared) == [first, "other"]
        assert gymnasium.vector.utils.batch_space(space, 2).contains(shared)
    kept, sent = copy.deepcopy(shared), pickle.loads(pickle.dumps(shared))
    write_to_shared_memory(space, 0, "after", memory)
    assert kept == sent == ("", "other") and shared == ("after", "other")
    assert type(kept) is type(sent) is tuple
