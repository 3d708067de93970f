import pytest

from procgen_bench.engine.rendering import wrapped


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
