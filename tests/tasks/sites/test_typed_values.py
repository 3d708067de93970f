"""What a line says of itself decides which values it is to hold."""

import re
from dataclasses import replace

import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites import PrimitiveLibrary, templates
from procgen_bench.tasks.sites.elements import Behaviour, Element
from procgen_bench.tasks.sites.library import PUBLISHED_LIBRARY, named_apart
from procgen_bench.tasks.sites.pattern_values import values_of_pattern
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.profiles import passes_luhn, value_lists
from procgen_bench.tasks.sites.typed_values import TOKENS, token_of, values_of_line

PATTERNS = [
    r"[0-9]{3}-[0-9]{3}-[0-9]{4}",
    r"\d{5}(-\d{4})?",
    r"[A-Z]{1,2}[0-9][0-9A-Z]? [0-9][A-Z]{2}",
    r"(0[1-9]|1[0-2])/[0-9]{2}",
    r"#[0-9a-fA-F]{6}",
    r"^[^@\s]+@[a-z.]+\.[a-z]{2,3}$",
    r"(?:AB|CD)+-\w*",
    r"[a-z\-.]{2,}",
    r"a?b+?c",
    r"\(\d{3}\) .{4}",
]


def line(**attributes: str) -> Element:
    return Element("input", attributes=tuple(attributes.items()), behaviour=Behaviour.TYPE)


def typed(name: str, field: str, **attributes: str) -> Primitive:
    """A published line of text that says more of itself."""

    def told(element: Element) -> Element:
        if element.tag == "input":
            return replace(element, attributes=(*element.attributes, *attributes.items()))
        return replace(element, children=tuple(map(told, element.children)))

    return Primitive(name, "input", told(templates.text_input(name)), field, name)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_texts_of_patterns_keep_to_them(pattern):
    values = values_of_pattern(pattern)
    assert 3 <= len(values) == len(set(values)) <= 64
    assert all(re.fullmatch(pattern, value) and value == value.strip() for value in values)


@pytest.mark.parametrize(
    "pattern",
    [
        *["(?=.*[0-9]).{8,}", "(a+)+b", r"(.)\1", r"\bx", "[", "(", "a)", "*", "[]", r"\p{L}+", "a{2", "\\"],
        *["[a-z&&[aeiou]]{2}", "[a-z--b]", "(((a{99}){99}){99})", "(" * 500 + "a" + ")" * 500],
    ],
)
def test_of_others_no_text_is_made(pattern):
    assert values_of_pattern(pattern) == ()


@pytest.mark.parametrize(
    "pattern", [*PATTERNS, "[^a-c]+", r"\S{2,4}", r"\D\W?", ".*x", "(ab|a)(bc|c)?", "(a|b{0,2}){2}"]
)
def test_texts_are_taken_as_by_a_matcher(pattern):
    texts = (
        "",
        "a",
        "ab",
        "abc",
        "bb",
        "xyz",
        "d!",
        "12345-6789",
        "07/29",
        "A1 1AA",
        "me@here.org",
        "aab",
        "x y",
        "-x",
    )
    for text in texts:
        assert (values_of_pattern(pattern, (text,)) == (text,)) is bool(re.fullmatch(pattern, text)), text


def test_no_pattern_is_matched_against_for_long():
    assert values_of_pattern(r"(\S|.|[^ ]|\w)*!", tuple(value_lists()["username"]))


def test_texts_that_are_wanted_are_taken_where_the_pattern_takes_them():
    codes = value_lists()["cccvv"]
    assert values_of_pattern(r"\d{3,4}", codes) == codes
    assert not set(values_of_pattern(r"\d{4}", codes)) & set(codes)


def test_every_word_has_values_of_its_form():
    forms = {
        "tel": r"\+1 \d{3}-555-01\d\d",
        "tel-national": r"\(\d{3}\) 555-01\d\d",
        "tel-local": r"555-01\d\d",
        "one-time-code": r"\d{6}",
        "cc-csc": r"\d{3}",
        "cc-exp": r"(0[1-9]|1[0-2])/\d\d",
        "cc-exp-month": r"0[1-9]|1[0-2]",
        "cc-exp-year": r"20\d\d",
        "postal-code": r"\d{5}",
        "email": r"[a-z]+@[a-z.]+",
    }
    for token in TOKENS:
        values = values_of_line(line(autocomplete=token))
        assert 10 <= len(values) == len(set(values)) <= 64
        assert all(re.fullmatch(forms.get(token, ".+"), value) for value in values), token
    assert all(map(passes_luhn, values_of_line(line(autocomplete="cc-number"))))
    assert values_of_line(line(type="tel")) == values_of_line(line(autocomplete="tel"))
    assert values_of_line(line(type="text")) == ()


def test_what_a_line_is_about_is_its_word_or_its_name():
    assert token_of("section-a work tel", "Anything") == "tel"
    assert token_of("off", "Card number:") == "cc-number" and token_of("", "ZIP code") == "postal-code"
    assert token_of("on", "Nick") == token_of("", "Colour of the card") == ""


def test_libraries_draw_such_values():
    library = PrimitiveLibrary(
        (typed("own_phone", "call", autocomplete="tel"), typed("own_plate", "plate", pattern="[A-Z]{2} [0-9]{3}"))
    )
    assert all("555-01" in value for value in library.value_lists["call"])
    assert all(re.fullmatch("[A-Z]{2} [0-9]{3}", value) for value in library.value_lists["plate"])
    assert PrimitiveLibrary.from_json(library.to_json()) == library


@pytest.mark.parametrize("attributes", [{"autocomplete": "shoe-size"}, {"pattern": "(?=a)b"}])
def test_what_nothing_is_known_of_is_refused(attributes):
    with pytest.raises(InvalidTaskError, match=next(iter(attributes))):
        PrimitiveLibrary((typed("own_line", "line", **attributes),))


def test_names_and_fields_that_are_taken_get_numbers():
    options = tuple(Element("option", text=option) for option in ("Texas", "Ohio"))
    states = Element("select", behaviour=Behaviour.SELECT, children=options)
    (first,) = named_apart([Primitive("state", "multi-selection", states, "state", "State")], PUBLISHED_LIBRARY)
    assert (first.name, first.field) == ("state_2", "state_2")
    (same,) = named_apart([typed("town", "city")], PUBLISHED_LIBRARY)
    assert (same.name, same.field) == ("town", "city")
