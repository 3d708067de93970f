"""Configurations: fields with a default and a sentence, which the command line shows as the option's help."""

import dataclasses
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar

from procgen_bench.core.errors import UnknownNameError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Configuration = TypeVar("Configuration", bound="DataclassInstance")
#: Values of configuration fields by environment id.
Figures = dict[str, dict[str, Any]]


def option(default: Any, description: str) -> Any:
    """A dataclass field with a description (``field.metadata["description"]``)."""
    return field(default=default, metadata={"description": description})


def for_environment(configuration: Configuration, environment_id: str, *tables: Figures) -> Configuration:
    """A configuration dataclass with the environment's figures in place of those of its fields that are ``None``.

    Args:
        configuration: The configuration.
        environment_id: The environment.
        *tables: Figures by environment; later tables win.

    Raises:
        UnknownNameError: A table has no figures for the environment: the method does not learn in it.
    """
    figures: dict[str, Any] = {}
    for table in tables:
        if environment_id not in table:
            raise UnknownNameError("environment for this method", environment_id, list(table))
        figures |= table[environment_id]
    missing = {name: value for name, value in figures.items() if getattr(configuration, name) is None}
    return dataclasses.replace(configuration, **missing)
