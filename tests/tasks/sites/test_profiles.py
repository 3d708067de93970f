import hashlib
import json
import re

import pytest

from procgen_bench.tasks.sites import PRIMITIVES
from procgen_bench.tasks.sites.formed_values import is_number
from procgen_bench.tasks.sites.library import PUBLISHED_LIBRARY
from procgen_bench.tasks.sites.primitives import FIELDS
from procgen_bench.tasks.sites.profiles import LIST_LENGTH, passes_luhn, value_lists

#: SHA-256 over all lists in their order: tasks name values by their places.
GOLDEN = "bf26f5e273faaf52907ae9553561a63b27fee7f913511b3b0617ba762a1cecbf"

FORMS = {
    "addressline1": r"\d{1,3} [A-Z][a-z]+ (Street|Avenue|Road|Lane)",
    "addressline2": r"(Flat|Floor|Suite|Unit) \d{1,2}",
    "captcha": r"[a-z]+",
    "cccvv": r"\d{3}",
    "ccexpdate": r"(0[1-9]|1[0-2])/(2[7-9]|3[0-6])",
    "ccnumber": r"4\d{3}( \d{4}){3}",
    "departureairport": r"[A-Z][A-Za-z ]+ \([A-Z]{3}\)",
    "departuredate": r"202[78]-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])",
    "password": r"[a-z]+-[a-z]+-\d\d",
    "state": r"CA|NY",
    "username": r"[a-z]+\.[a-z]+\d\d",
    "zipcode": r"\d{5}",
}


def test_lists_are_the_published_ones():
    content = json.dumps({field: list(values) for field, values in value_lists().items()})
    assert hashlib.sha256(content.encode()).hexdigest() == GOLDEN


def test_every_field_has_its_values():
    assert list(value_lists()) == list(FIELDS)
    options = {p.field: p.options for p in PRIMITIVES.values() if p.active and p.options}
    for field, values in value_lists().items():
        assert len(set(values)) == len(values)
        assert len(values) == LIST_LENGTH or field in options
        assert values == options.get(field, values)


@pytest.mark.parametrize("field", FORMS)
def test_values_look_like_what_they_are(field):
    assert all(re.fullmatch(FORMS[field], value) for value in value_lists()[field])


def test_card_numbers_pass_luhn_s_check_and_no_neighbour_does():
    for number in value_lists()["ccnumber"]:
        assert passes_luhn(number)
        for place, digit in enumerate(number):
            if digit.isdigit():
                wrong = number[:place] + str((int(digit) + 1) % 10) + number[place + 1 :]
                assert not passes_luhn(wrong)


@pytest.mark.parametrize(
    ("number", "passes"),
    [("79927398713", True), ("79927398710", False), ("4539 1488 0343 6467", True), ("8273123273520569", False)],
)
def test_luhn_s_check_on_known_numbers(number, passes):
    assert passes_luhn(number) is passes


@pytest.mark.parametrize(
    ("text", "numeric"),
    [("3", True), ("042", True), ("-1.5e3", True), (".5", True), ("5.", False), ("+5", False), (" 5", False),
     ("1e999", False), ("Ada", False), ("\u0663", False), ("0x1", False), ("4539 1488", False)],
)  # fmt: skip
def test_lines_of_numbers_take_what_html_calls_one(text, numeric):
    assert is_number(text) is numeric


def test_airports_of_one_place_differ():
    lists = value_lists()
    assert sorted(lists["departureairport"]) == sorted(lists["destinationairport"])
    assert lists["departureairport"] != lists["destinationairport"]


def test_listed_profile_takes_values_by_place():
    city, state = value_lists()["city"], value_lists()["state"]
    assert PUBLISHED_LIBRARY.profile(["city", "state"], {"state": 1, "city": 5, "cc": 0}) == (
        ("city", city[5]),
        ("state", state[1]),
    )
