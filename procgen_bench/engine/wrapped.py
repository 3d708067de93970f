"""Wrapped: an environment of a known class, under whatever wrappers."""

from typing import Protocol, TypeVar

#: The class of an environment.
EnvT = TypeVar("EnvT")
EnvT_co = TypeVar("EnvT_co", covariant=True)


class Wrapped(Protocol[EnvT_co]):
    """What Gymnasium's wrappers show of every environment."""

    @property
    def unwrapped(self) -> EnvT_co:
        """The environment itself."""
