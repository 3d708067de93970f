"""The words that observations are made of: texts as numbers of a fixed, versioned vocabulary."""

import re
from functools import cache
from types import MappingProxyType

import numpy as np

from procgen_bench.tasks.sites.elements import CHECKED, HIDDEN, VISITED
from procgen_bench.tasks.sites.pages import PAGE_CLASSES
from procgen_bench.tasks.sites.primitives import EVERY_PRIMITIVE, FIELDS
from procgen_bench.tasks.sites.profiles import value_lists
from procgen_bench.tasks.sites.wording import wording

#: Raised when a token's number comes to mean something else.
VERSION = 2
#: Tokens of one text; those beyond are left out.
TEXT_LENGTH = 10
#: Number of no token, which fills texts up.
PADDING = 0
#: Numbers that words outside the vocabulary share, by a hash of the word.
NUM_BUCKETS = 64

#: Two digits at most, or letters: signs between them tell nothing.
_TOKEN = re.compile(r"\d{1,2}|[^\W\d_]+")
_FNV_OFFSET, _FNV_PRIME = 0x811C9DC5, 0x01000193

#: Tags by number, from 1; 0 is no element.
TAGS = (
    *("a", "button", "div", "footer", "form", "h2", "h4", "h5", "h6", "header", "img", "input", "label"),
    *("li", "main", "nav", "ol", "option", "p", "select", "small", "span", "ul"),
)
TAG_NUMBERS = MappingProxyType({tag: number for number, tag in enumerate(TAGS, start=1)})


def words_of(text: str) -> list[str]:
    """The words of a text, in small letters; digits in pairs from the left: ``"Flat 123"`` has flat, 12 and 3."""
    return _TOKEN.findall(text.lower())


@cache
def vocabulary() -> dict[str, int]:
    """Number of every known word and class, from 1; the buckets of unknown ones follow."""
    texts, classes = [CHECKED, *FIELDS], {HIDDEN, VISITED, *PAGE_CLASSES}
    for primitive in EVERY_PRIMITIVE.values():
        for element in primitive.root:
            texts += [element.text, *(value for _, value in element.attributes)]
            classes |= set(element.classes)
    for values in value_lists().values():
        texts += values
    for synonyms in wording().values():
        texts += synonyms.values()
    pairs = [f"{number:02}" for number in range(100)] + [str(digit) for digit in range(10)]
    words = sorted({word for text in texts for word in words_of(text)} | classes | set(pairs))
    return {word: number for number, word in enumerate(words, start=1)}


@cache
def num_tokens() -> int:
    """Numbers that tokens can have: padding, the known words, the buckets."""
    return 1 + len(vocabulary()) + NUM_BUCKETS


@cache
def token(word: str) -> int:
    """Number of a word, or of an element's class."""
    known = vocabulary()
    return known[word] if word in known else 1 + len(known) + _hash(word) % NUM_BUCKETS


def tokenise(text: str) -> np.ndarray:
    """The first ten words of a text as numbers: int16 (10,), filled up with 0."""
    tokens = np.zeros(TEXT_LENGTH, np.int16)
    words = words_of(text)[:TEXT_LENGTH]
    tokens[: len(words)] = [token(word) for word in words]
    return tokens


def _hash(word: str) -> int:
    """FNV-1a, 32 bits."""
    value = _FNV_OFFSET
    for byte in word.encode():
        value = (value ^ byte) * _FNV_PRIME & 0xFFFFFFFF
    return value
