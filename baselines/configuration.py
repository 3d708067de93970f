"""Configuration fields: a default and a sentence, which the command line shows as the option's help."""

from dataclasses import field
from typing import Any


def option(default: Any, description: str) -> Any:
    """A dataclass field with a description (``field.metadata["description"]``)."""
    return field(default=default, metadata={"description": description})
