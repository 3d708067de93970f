"""Values that a line is asked to hold by what it says of itself: its type, ``autocomplete`` and ``pattern``."""

from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType

import numpy as np

from procgen_bench.tasks.sites.elements import Behaviour, Element
from procgen_bench.tasks.sites.formed_values import MAX_VALUES, values_of_form
from procgen_bench.tasks.sites.pattern_values import values_of_pattern
from procgen_bench.tasks.sites.profiles import value_lists
from procgen_bench.tasks.sites.vocabulary import words_of

_SEED = 2077
#: Of HTML's words for what a line is about, those whose values a published field has.
_AS_FIELDS = {
    "name": "fullname",
    "given-name": "firstname",
    "additional-name": "firstname",
    "family-name": "lastname",
    "username": "username",
    "new-password": "password",
    "current-password": "password",
    "street-address": "addressline1",
    "address-line1": "addressline1",
    "address-line2": "addressline2",
    "address-level2": "city",
    "postal-code": "zipcode",
    "cc-name": "fullname",
    "cc-number": "ccnumber",
    "cc-csc": "cccvv",
    "cc-exp": "ccexpdate",
}
_PHONES = ("tel", "tel-national", "tel-local")
#: All of the words.
TOKENS = (*_AS_FIELDS, *_PHONES, "email", "one-time-code", "cc-exp-month", "cc-exp-year")
#: Names of lines that say no such word themselves.
_NAMES = {
    "one-time-code": ("one time code", "one time password", "one time passcode", "verification code"),
    "cc-number": ("card number", "credit card number", "debit card number"),
    "cc-csc": ("cvc", "cvv", "cvc code", "cvv code", "security code"),
    "cc-exp": ("expiry", "expiry date", "expiration", "expiration date", "expires", "valid until"),
    "postal-code": ("zip", "zip code", "postcode", "postal code"),
    "tel": ("phone", "phone number", "telephone", "telephone number", "mobile", "mobile number", "mobile phone"),
}
_BY_NAME = {name: token for token, names in _NAMES.items() for name in names}


def token_of(autocomplete: str, name: str) -> str:
    """The word for what a line is about: the last one of its ``autocomplete``, else by its name; empty: none known."""
    stated = autocomplete.lower().split()
    if stated and stated[-1] in TOKENS:
        return stated[-1]
    return _BY_NAME.get(" ".join(words_of(name)), "")


def values_of_line(line: Element) -> tuple[str, ...]:
    """At most 64 values that a line of any text is to hold, no two alike; none: it does not say what it is about."""
    return _values(*map(line.attribute, ("type", "autocomplete", "pattern")))


@lru_cache(maxsize=1024)
def _values(type_: str, autocomplete: str, pattern: str) -> tuple[str, ...]:
    token = autocomplete or ("tel" if type_ == "tel" else "")
    known = _values_of_tokens()[token] if token in TOKENS else ()
    return values_of_pattern(pattern, known) if pattern else known


@cache
def _values_of_tokens() -> Mapping[str, tuple[str, ...]]:
    rng, lists = np.random.default_rng(_SEED), value_lists()
    codes = rng.choice(1_000_000, MAX_VALUES, replace=False).tolist()
    # Numbers that nobody has: 555 0100 to 555 0199 of every area.
    areas, ends = rng.integers(201, 990, MAX_VALUES).tolist(), rng.permutation(100)[:MAX_VALUES].tolist()
    phones = [(area, f"555-01{end:02}") for area, end in zip(areas, ends, strict=True)]
    return MappingProxyType(
        {
            **{token: lists[field] for token, field in _AS_FIELDS.items()},
            "tel": tuple(f"+1 {area}-{local}" for area, local in phones),
            "tel-national": tuple(f"({area}) {local}" for area, local in phones),
            "tel-local": tuple(local for _, local in phones),
            "email": values_of_form(Behaviour.EMAIL, "", "", ""),
            "one-time-code": tuple(f"{code:06}" for code in codes),
            "cc-exp-month": tuple(f"{month:02}" for month in range(1, 13)),
            "cc-exp-year": tuple(str(year) for year in range(2027, 2037)),
        }
    )
