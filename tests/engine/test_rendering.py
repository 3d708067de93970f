import time

import pytest

from procgen_bench.engine.rendering import Pace, wrapped


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("one", ["one"]),
        ("one two three", ["one two", "three"]),
        ("r: go   n: new", ["r: go  ", "n: new"]),
        ("immeasurable one two", ["immeasurable", "one two"]),
    ],
)
def test_text_is_broken_at_spaces(text, lines):
    assert wrapped(text, lambda part: len(part) <= 8) == lines
    assert " ".join(lines) == text


def test_a_pace_lets_no_more_rounds_through_than_it_has():
    pace, began = Pace(50.0), time.monotonic()
    for _ in range(5):
        pace.wait()
    assert time.monotonic() - began >= 4 / 50
