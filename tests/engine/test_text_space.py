"""Texts of any writing as a Gymnasium space."""

import copy
import multiprocessing
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory
from hypothesis import example, given
from hypothesis import strategies as st

from procgen_bench.engine.text_space import PADDING, AnyText
from tests.envs.conformance.space_checks import check_values

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
