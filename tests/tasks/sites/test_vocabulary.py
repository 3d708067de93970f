import hashlib
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procgen_bench.tasks.sites import PRIMITIVES
from procgen_bench.tasks.sites.pages import PAGE_CLASSES, PAGE_TAGS
from procgen_bench.tasks.sites.profiles import value_lists
from procgen_bench.tasks.sites.vocabulary import (
    NUM_BUCKETS,
    TAGS,
    TEXT_LENGTH,
    VERSION,
    num_tokens,
    token,
    tokenise,
    vocabulary,
    words_of,
)

#: SHA-256 over version, words and tags in their order. A token that comes to mean something else takes a new version.
GOLDEN = "d7d9e8cbb91d1130eba316f887063dc34e24cf09e3a2fd2ba7bf2109d251a37e"


def test_vocabulary_is_the_published_one():
    content = json.dumps([VERSION, vocabulary(), list(TAGS)])
    assert hashlib.sha256(content.encode()).hexdigest() == GOLDEN


def test_numbers_are_those_of_places():
    words = vocabulary()
    assert list(words) == sorted(words) and list(words.values()) == list(range(1, len(words) + 1))
    assert num_tokens() == 1 + len(words) + NUM_BUCKETS < 2**15


def test_everything_shown_is_known():
    texts = [text for values in value_lists().values() for text in values]
    for primitive in PRIMITIVES.values():
        texts.append(primitive.label)
        for element in primitive.root:
            texts += [element.text, *(value for _, value in element.attributes)]
            assert element.tag in TAGS and all(name in vocabulary() for name in element.classes)
    assert all(word in vocabulary() for text in texts for word in words_of(text))
    assert all(name in vocabulary() for name in ("hidden", "visited", "checked", *PAGE_CLASSES))
    assert set(PAGE_TAGS) < set(TAGS)


def test_values_of_a_field_are_told_apart():
    for field, values in value_lists().items():
        assert len({tokenise(value).tobytes() for value in values}) == len(values), field


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("Flat 123", ["flat", "12", "3"]),
        ("4000 1234", ["40", "00", "12", "34"]),
        ("O'Neill-Smith, B.", ["o", "neill", "smith", "b"]),
        ("snake_case", ["snake", "case"]),
        ("\u00c9t\u00e9 \u4e1c\u4eac \U0001f600", ["\u00e9t\u00e9", "\u4e1c\u4eac"]),
        ("<b>&amp;</b>", ["b", "amp", "b"]),
        ("a1b22c333", ["a", "1", "b", "22", "c", "33", "3"]),
    ],
)
def test_words(text, words):
    assert words_of(text) == words


@settings(max_examples=100)
@given(st.text(max_size=60))
def test_tokens_lie_in_range_and_follow_the_words(text):
    tokens, words = tokenise(text), words_of(text)
    assert tokens.dtype == np.int16 and tokens.shape == (TEXT_LENGTH,)
    assert tokens.tolist() == ([token(word) for word in words] + [0] * TEXT_LENGTH)[:TEXT_LENGTH]
    assert all(0 < one < num_tokens() for one in tokens[: len(words)])
    assert np.array_equal(tokenise(text.upper().lower()), tokenise(text.upper())), "case tells nothing"


def fnv_1a(word: str) -> int:
    value = 2166136261
    for byte in word.encode():
        value = ((value ^ byte) * 16777619) % 2**32
    return value


@given(st.text(st.characters(categories=["L"]), min_size=1, max_size=8))
def test_unknown_words_share_the_buckets(word):
    if word not in vocabulary():
        assert token(word) == num_tokens() - NUM_BUCKETS + fnv_1a(word) % NUM_BUCKETS


def test_buckets_are_used_evenly():
    buckets = np.bincount([token(f"word{chr(97 + i % 26)}{chr(97 + i // 26)}") for i in range(676)])[-NUM_BUCKETS:]
    assert buckets.sum() == 676 and buckets.max() < 30
