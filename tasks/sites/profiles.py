"""Profiles: whose data a site asks for. Every field has a list of values, drawn once by a fixed seed."""

import importlib.resources
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import numpy as np
import yaml

from procgen_bench.tasks.sites.primitives import FIELDS, PRIMITIVES

#: Values of a field that takes any text.
LIST_LENGTH = 64
_SEED = 2022


@cache
def value_lists() -> Mapping[str, tuple[str, ...]]:
    """For every field of :data:`~procgen_bench.tasks.sites.primitives.FIELDS` the values that profiles draw from.

    A field that takes any text has 64, no two alike; one that is chosen among options has those.
    """
    rng = np.random.default_rng(_SEED)
    names = yaml.safe_load((importlib.resources.files(__package__) / "data" / "names.yaml").read_text("utf-8"))
    drawn = _drawn_lists(names, rng)
    options = {p.field: p.options for p in PRIMITIVES.values() if p.active and p.options}
    return MappingProxyType({field: options.get(field) or tuple(drawn[field]) for field in FIELDS})


def passes_luhn(number: str) -> bool:
    """Whether the digits of a card's number, blanks left out, have the sum that Luhn's check asks for."""
    digits = [int(digit) for digit in reversed(number) if digit.isdigit()]
    return sum(digit if place % 2 == 0 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(digits)) % 10 == 0


def _drawn_lists(names: dict[str, list[str]], rng: np.random.Generator) -> dict[str, list[str]]:
    def shuffled(list_name: str) -> list[str]:
        return rng.permutation(names[list_name]).tolist()

    def number(low: int, high: int) -> int:
        return int(rng.integers(low, high, endpoint=True))

    def filled(make) -> list[str]:
        """64 values, no two alike."""
        values: dict[str, None] = {}
        while len(values) < LIST_LENGTH:
            values[make(len(values))] = None
        return list(values)

    def choice(list_name: str) -> str:
        return names[list_name][number(0, len(names[list_name]) - 1)]

    def card_number(_: int) -> str:
        digits = "4" + "".join(str(number(0, 9)) for _ in range(14))
        (check,) = (last for last in "0123456789" if passes_luhn(digits + last))
        digits += check
        return " ".join(digits[start : start + 4] for start in range(0, 16, 4))

    def date(_: int) -> str:
        return f"{number(2027, 2028)}-{number(1, 12):02}-{number(1, 28):02}"

    return {
        "addressline1": filled(lambda _: f"{number(1, 199)} {choice('streets')} {choice('street_kinds')}"),
        "addressline2": filled(lambda _: f"{choice('flat_kinds')} {number(1, 60)}"),
        "captcha": shuffled("words"),
        "cccvv": filled(lambda _: f"{number(0, 999):03}"),
        "ccexpdate": filled(lambda _: f"{number(1, 12):02}/{number(27, 36)}"),
        "ccnumber": filled(card_number),
        "city": filled(lambda place: shuffled("cities")[0] if place < 32 else f"New {choice('cities')}"),
        "departureairport": shuffled("airports"),
        "departuredate": filled(date),
        "destinationairport": shuffled("airports"),
        "destinationdate": filled(date),
        "firstname": shuffled("first_names"),
        "fullname": filled(lambda _: f"{choice('first_names')} {choice('last_names')}"),
        "lastname": shuffled("last_names"),
        "password": filled(lambda _: f"{choice('words')}-{choice('words')}-{number(10, 99)}"),
        "text": filled(lambda _: f"{choice('words')} {choice('words')}"),
        "username": filled(lambda _: f"{choice('first_names').lower()}.{choice('last_names').lower()}{number(10, 99)}"),
        "zipcode": filled(lambda _: f"{number(10000, 99999)}"),
    }
