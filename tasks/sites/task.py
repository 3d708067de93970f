"""SiteTask: a design, and whose data is to be filled in."""

import unicodedata
from dataclasses import dataclass

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task
from procgen_bench.tasks.sites.design import SiteDesign
from procgen_bench.tasks.sites.primitives import FIELDS

#: Characters of a value.
MAX_VALUE_LENGTH = 1000
#: Unicode categories that a line of text does not take: control characters, surrogates, line and paragraph breaks.
_REFUSED_CATEGORIES = ("Cc", "Cs", "Zl", "Zp")


@dataclass(frozen=True, eq=False)
class SiteTask(Task):
    """A site to fill in.

    Attributes:
        design: Its pages.
        profile: The instruction: (field, value) for every field that the design asks for, in the catalogue's order.
    """

    design: SiteDesign
    profile: tuple[tuple[str, str], ...]

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless design and profile are as documented, and fit.

        A value is one line of 1 to 1,000 characters; where a primitive offers options, it is one of them.
        """
        if not isinstance(self.design, SiteDesign):
            raise InvalidTaskError("design", self.design, "a SiteDesign")
        self.design.validate()
        asked = self.design.fields
        if not isinstance(self.profile, tuple) or not all(_is_pair(entry) for entry in self.profile):
            raise InvalidTaskError("profile", self.profile, "a tuple of (field, value) pairs")
        given = tuple(field for field, _ in self.profile)
        if given != asked:
            raise InvalidTaskError("fields of the profile", given, f"those of the design, {asked}")
        for field, value in self.profile:
            _check_value(field, value)
        for primitive in self.design.primitives:
            if primitive.options and dict(self.profile)[primitive.field] not in primitive.options:
                expected = f"one of {primitive.name}'s options, {', '.join(primitive.options)}"
                raise InvalidTaskError(f"value of {primitive.field}", dict(self.profile)[primitive.field], expected)

    @property
    def instruction(self) -> tuple[tuple[str, str], ...]:
        """The instruction as a person reads it: (label, value) pairs, e.g. ``("First name", "Ada")``."""
        return tuple((FIELDS[field], value) for field, value in self.profile)

    def to_text(self) -> str:
        """The design's lines, an empty line, then a line ``field = value`` for every field."""
        return "\n".join([self.design.to_text(), "", *(f"{field} = {value}" for field, value in self.profile)])

    @classmethod
    def from_text(cls, text: str) -> "SiteTask":
        """The task that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: It is no task as :meth:`validate` wants it.
        """
        design, separator, profile = text.strip("\n").partition("\n\n")
        pairs = [line.partition(" = ") for line in profile.split("\n")] if separator else []
        for field, equals, _ in pairs:
            if not equals:
                raise InvalidTaskError("line of the profile", field, "field = value")
        task = cls(SiteDesign.from_text(design), tuple((field, value) for field, _, value in pairs))
        task.validate()
        return task


def _is_pair(entry: object) -> bool:
    return isinstance(entry, tuple) and len(entry) == 2 and all(isinstance(part, str) for part in entry)


def _check_value(field: str, value: str) -> None:
    if not 1 <= len(value) <= MAX_VALUE_LENGTH:
        raise InvalidTaskError(f"length of {field}'s value", len(value), f"1 to {MAX_VALUE_LENGTH} characters")
    for place, character in enumerate(value):
        if unicodedata.category(character) in _REFUSED_CATEGORIES:
            raise InvalidTaskError(f"character {place} of {field}'s value", character, "no control or line break")
