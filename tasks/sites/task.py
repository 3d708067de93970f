"""SiteTask: a design, and whose data is to be filled in."""

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task
from procgen_bench.tasks.sites.design import SiteDesign
from procgen_bench.tasks.sites.lines import refused_place
from procgen_bench.tasks.sites.pages import MAX_BLOCKS, MAX_ELEMENTS, Page, num_elements, shown_page
from procgen_bench.tasks.sites.variation import AFTER, BEFORE, MIXED, NO_VARIATION, Variation
from procgen_bench.tasks.sites.wording import sentence

#: Characters of a value.
MAX_VALUE_LENGTH = 1000


@dataclass(frozen=True, eq=False)
class SiteTask(Task):
    """A site to fill in.

    Attributes:
        design: Its pages.
        profile: The instruction: (field, value) for every field that the design asks for, in the catalogue's order.
        variation: How its pages differ from the published ones.
    """

    design: SiteDesign
    profile: tuple[tuple[str, str], ...]
    variation: Variation = NO_VARIATION

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless design and profile are as documented, and fit.

        A value is one line of 1 to 1,000 characters; where a primitive offers options, it is one of them.
        """
        _ = self._is_valid

    @cached_property
    def _is_valid(self) -> bool:
        """True, found once: a task does not change, and resets validate whatever they are given."""
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
            if primitive.active and primitive.options and dict(self.profile)[primitive.field] not in primitive.options:
                expected = f"one of {primitive.name}'s options, {', '.join(primitive.options)}"
                raise InvalidTaskError(f"value of {primitive.field}", dict(self.profile)[primitive.field], expected)
        if not isinstance(self.variation, Variation):
            raise InvalidTaskError("variation", self.variation, "a Variation")
        self.variation.validate()
        for number, page in enumerate(self.pages):
            if (size := num_elements(page)) > MAX_ELEMENTS:
                raise InvalidTaskError(f"number of elements of page {number}", size, f"at most {MAX_ELEMENTS}")
            if len(page) > MAX_BLOCKS:
                raise InvalidTaskError(f"number of primitives of page {number}", len(page), f"at most {MAX_BLOCKS}")
        return True

    @cached_property
    def pages(self) -> tuple[Page, ...]:
        """What is shown of every page: the design's primitives in the variation's look, and decoys."""
        known, look = self.design.known, self.variation.look
        side = None if self.variation.decoys == NO_VARIATION.decoys else self._side_of_decoy
        return tuple(shown_page((known[name] for name in page), look, side) for page in self.design.pages)

    def _side_of_decoy(self, name: str) -> str:
        """On which side of a primitive its decoy stands; what is asked for, and of whom, is the coin."""
        if self.variation.decoys != MIXED:
            return self.variation.decoys
        content = repr((self.design.pages, self.profile, name))
        return (BEFORE, AFTER)[hashlib.sha256(content.encode()).digest()[0] % 2]

    def varied(self, variation: Variation) -> "SiteTask":
        """The same site in this variation; on a full page without its decoys, and then without elements for labels."""
        if variation == self.variation:
            return self
        bare = replace(variation, decoys=NO_VARIATION.decoys)
        ways = [replace(self, variation=way) for way in (variation, bare, replace(bare, naming=NO_VARIATION.naming))]
        return next((task for task in ways if task._fits), ways[-1])

    @property
    def _fits(self) -> bool:
        return all(num_elements(page) <= MAX_ELEMENTS and len(page) <= MAX_BLOCKS for page in self.pages)

    @property
    def num_steps(self) -> int:
        """Steps through all pages: one for each, and one for every active primitive that is not right at first."""
        wanted = dict(self.profile)
        active = (primitive for primitive in self.design.primitives if primitive.active)
        return len(self.design.pages) + sum(one.initial != wanted[one.field] for one in active)

    @property
    def instruction(self) -> tuple[tuple[str, str], ...]:
        """The instruction: (key, value) pairs, e.g. ``("firstname", "Ada")``, or (begin of a sentence, value)."""
        return named_fields(self.profile, self.variation.instruction)

    def to_text(self) -> str:
        """The design's lines, an empty line, then a line ``field = value`` for every field.

        If there is a variation, an empty line and its lines ``part: choice`` follow.
        """
        lines = [self.design.to_text(), "", *(f"{field} = {value}" for field, value in self.profile)]
        varied = self.variation.to_text()
        return "\n".join([*lines, "", varied] if varied else lines)

    @classmethod
    def from_text(cls, text: str) -> "SiteTask":
        """The task that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: It is no task as :meth:`validate` wants it.
        """
        design, separator, rest = text.strip("\n").partition("\n\n")
        profile, varied, variation = rest.partition("\n\n")
        pairs = [line.partition(" = ") for line in profile.split("\n")] if separator else []
        for field, equals, _ in pairs:
            if not equals:
                raise InvalidTaskError("line of the profile", field, "field = value")
        task = cls(
            SiteDesign.from_text(design),
            tuple((field, value) for field, _, value in pairs),
            Variation.from_text(variation) if varied else NO_VARIATION,
        )
        task.validate()
        return task


def named_fields(profile: tuple[tuple[str, str], ...], kind: str) -> tuple[tuple[str, str], ...]:
    """A profile as an instruction of this kind (see :class:`Variation`) has it."""
    return profile if kind == "keys" else tuple((sentence(field), value) for field, value in profile)


def _is_pair(entry: object) -> bool:
    return isinstance(entry, tuple) and len(entry) == 2 and all(isinstance(part, str) for part in entry)


def _check_value(field: str, value: str) -> None:
    if not 1 <= len(value) <= MAX_VALUE_LENGTH:
        raise InvalidTaskError(f"length of {field}'s value", len(value), f"1 to {MAX_VALUE_LENGTH} characters")
    if (place := refused_place(value)) is not None:
        raise InvalidTaskError(f"character {place} of {field}'s value", value[place], "no control or line break")
