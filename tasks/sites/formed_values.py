"""Texts of the forms that some lines take alone (numbers, dates, times, e-mail addresses), and values to ask for."""

import datetime
import math
import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import islice

from procgen_bench.tasks.sites.elements import FORMED, Behaviour

#: Values that are asked for of a line, at most.
MAX_VALUES = 64
#: The values of a field that asks for a number, wherever they begin.
_NUM_COUNTS = 5
_NUMBER = re.compile(r"-?([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_DATE, _TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"), re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
_PART = "[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_EMAIL = re.compile(rf"[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_PART}(\.{_PART})*")
_FIRST_DATE, _DAYS_BETWEEN = datetime.date(2027, 1, 4), 11
_MINUTES_BETWEEN, _MINUTES = 30, 24 * 60
_PEOPLE = ("ada", "ben", "carla", "dana", "emil", "farid", "grace", "hugo")
_HOSTS = ("example.org", "example.net", "mail.example", "post.example", "office.example", "home.example", "a.example")


def is_number(text: str) -> bool:
    """Whether a line that takes numbers alone takes a text: a valid floating-point number, as HTML defines it."""
    return bool(_NUMBER.fullmatch(text)) and math.isfinite(float(text))


def is_date(text: str) -> bool:
    """Whether a line of dates takes a text: ``2027-01-31``."""
    try:
        return bool(_DATE.fullmatch(text)) and bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False


def is_time(text: str) -> bool:
    """Whether a line of times takes a text: ``09:30``."""
    return bool(_TIME.fullmatch(text))


def is_email(text: str) -> bool:
    """Whether a line of e-mail addresses takes a text, as HTML defines them."""
    return bool(_EMAIL.fullmatch(text))


_TESTS = {
    Behaviour.NUMBER: is_number,
    Behaviour.DATE: is_date,
    Behaviour.TIME: is_time,
    Behaviour.EMAIL: is_email,
}


def has_form(text: str, behaviour: Behaviour) -> bool:
    """Whether a line that behaves so takes a text."""
    return behaviour not in _TESTS or _TESTS[behaviour](text)


def forms_of(text: str) -> int:
    """Which lines take a text: bit ``k`` for those of ``FORMED[k]``."""
    return sum(has_form(text, behaviour) << place for place, behaviour in enumerate(FORMED))


@lru_cache(maxsize=1024)
def values_of_form(behaviour: Behaviour, least: str, greatest: str, step: str) -> tuple[str, ...]:
    """What a line may be asked to hold: at most 64 texts of its form within its limits (``""``: none); none is empty.

    Numbers without limits are 1 to 5.
    """
    if behaviour == Behaviour.NUMBER:
        return _numbers(least, greatest, step)
    if behaviour == Behaviour.DATE:
        return _dates(least, greatest)
    if behaviour == Behaviour.TIME:
        return _times(least, greatest)
    return tuple(f"{name}@{host}" for host in _HOSTS for name in _PEOPLE)


def _numbers(least: str, greatest: str, step: str) -> tuple[str, ...]:
    try:
        each = Decimal(step) if step and step != "any" else Decimal(1)
        first = Decimal(least) if least else None
        last = Decimal(greatest) if greatest else None
    except InvalidOperation:
        return ()
    if each <= 0:
        return ()
    if first is None:
        first = Decimal(1) if last is None else last - (_NUM_COUNTS - 1) * each
    if last is None:
        last = first + (_NUM_COUNTS - 1) * each
    count = int((last - first) // each) + 1 if last >= first else 0
    apart = -(-count // MAX_VALUES) or 1
    return tuple(f"{first + number * each:f}" for number in range(0, count, apart))


def _dates(least: str, greatest: str) -> tuple[str, ...]:
    first = datetime.date.fromisoformat(least) if is_date(least) else None
    last = datetime.date.fromisoformat(greatest) if is_date(greatest) else None
    if first is None:
        first = _FIRST_DATE if last is None or last >= _FIRST_DATE else last - datetime.timedelta(MAX_VALUES)
    days = MAX_VALUES * _DAYS_BETWEEN if last is None else (last - first).days
    apart = max(1, min(_DAYS_BETWEEN, days // MAX_VALUES))
    return tuple((first + datetime.timedelta(day)).isoformat() for day in islice(range(0, days + 1, apart), MAX_VALUES))


def _times(least: str, greatest: str) -> tuple[str, ...]:
    first = _minutes(least) if is_time(least) else 0
    last = _minutes(greatest) if is_time(greatest) else _MINUTES - 1
    return tuple(f"{minute // 60:02}:{minute % 60:02}" for minute in range(first, last + 1, _MINUTES_BETWEEN))


def _minutes(time: str) -> int:
    hours, minutes = time.split(":")
    return 60 * int(hours) + int(minutes)
