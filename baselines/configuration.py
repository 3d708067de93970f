"""Configurations: fields with a default, a sentence, which the command line shows as the option's help, and a range."""

import dataclasses
import itertools
import math
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from procgen_bench.core.errors import InvalidOptionError, UnsupportedEnvironmentError
from procgen_bench.core.registrations import family_id

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Configuration = TypeVar("Configuration", bound="DataclassInstance")
#: Values of configuration fields by environment id.
Figures = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Range:
    """The numbers that an option takes, none of which is NaN.

    Attributes:
        words: What an error says of them, behind "a number".
        least: The least of them.
        most: The greatest.
        open: Whether the least itself is left out.
    """

    words: str
    least: float = -sys.float_info.max
    most: float = sys.float_info.max
    open: bool = False

    @property
    def shown(self) -> dict[str, float]:
        """What help shows of it: ``min`` and ``max``."""
        bounds = {"min": self.least, "max": self.most}
        return {} if self.open else {name: bound for name, bound in bounds.items() if abs(bound) < sys.float_info.max}

    def __contains__(self, value: float) -> bool:
        return (self.least < value if self.open else self.least <= value) and value <= self.most


NUMBER = Range("that is finite")
AMOUNT = Range("of at least 0", 0)
POSITIVE = Range("above 0", 0, open=True)
COUNT = Range("of at least 1", 1)
PAIR = Range("of at least 2", 2)
SHARE = Range("from 0 to 1", 0, 1)
DISTANCE = Range("of at least 0, or inf", 0, math.inf)


def option(default: Any, description: str, within: Range | None = None) -> Any:
    """A dataclass field with a description and, for numbers, a range (``field.metadata``)."""
    return field(default=default, metadata={"description": description, "range": within})


def check_order(configuration: Any, *names: str) -> None:
    """Refuse a configuration whose options of these names do not rise, or stay.

    Raises:
        InvalidOptionError: One is below the one before.
    """
    for low, high in itertools.pairwise(names):
        least, value = getattr(configuration, low), getattr(configuration, high)
        if value < least:
            raise InvalidOptionError(f"{high} is {value!r}, expected at least {low}, which is {least!r}")


def check_ranges(configuration: Any) -> None:
    """Refuse a configuration dataclass one of whose numbers is out of its option's range.

    Raises:
        InvalidOptionError: One is, or is no integer where the option is one.
    """
    kinds = get_type_hints(type(configuration))
    for one in dataclasses.fields(configuration):
        value, within = getattr(configuration, one.name), one.metadata.get("range")
        if within is None or value is None:
            continue
        whole = kinds[one.name] in (int, int | None)
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)) or value not in within:
            raise InvalidOptionError(
                f"{one.name} is {value!r}, expected {'an integer' if whole else 'a number'} {within.words}"
            )


def for_environment(configuration: Configuration, environment_id: str, *tables: Figures) -> Configuration:
    """A configuration dataclass with the environment's figures in place of those of its fields that are ``None``.

    Args:
        configuration: The configuration.
        environment_id: The environment, or another of its class.
        *tables: Figures by environment; later tables win.

    Raises:
        UnsupportedEnvironmentError: A table has no figures for the environment: the method does not learn in it.
    """
    figures: dict[str, Any] = {}
    known = family_id(environment_id)
    for table in tables:
        if known not in table:
            raise UnsupportedEnvironmentError("this method", environment_id, table)
        figures |= table[known]
    missing = {name: value for name, value in figures.items() if getattr(configuration, name) is None}
    return dataclasses.replace(configuration, **missing)
