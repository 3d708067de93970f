"""Variations: other words, another look and decoys for the sites of one design."""

from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import NamedTuple

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.wording import HELD_OUT, PUBLISHED, say

#: Pixels between two blocks of a page, by layout.
GAPS = MappingProxyType({"plain": 8, "airy": 24, "dense": 2})
#: What each part of a variation can be; the published site first.
CHOICES = MappingProxyType(
    {
        "labels": (PUBLISHED, "familiar", HELD_OUT),
        "naming": (PUBLISHED, "label", "placeholder", "aria-label"),
        "order": (PUBLISHED, "reversed"),
        "layout": tuple(GAPS),
        "theme": ("light", "dark", "paper"),
        "instruction": ("keys", "sentences"),
        "decoys": ("none", "before", "after"),
    }
)


class Look(NamedTuple):
    """The parts of a variation that change a page's elements or where they stand."""

    labels: str = PUBLISHED
    naming: str = PUBLISHED
    order: str = PUBLISHED
    layout: str = "plain"

    @property
    def number(self) -> int:
        """Its number among all looks; that of the published one is 0."""
        number = 0
        for name, part in zip(self._fields, self):
            number = number * len(CHOICES[name]) + CHOICES[name].index(part)
        return number

    @property
    def gap(self) -> int:
        """Pixels between two blocks."""
        return GAPS[self.layout]

    @property
    def reversed(self) -> bool:
        """Whether labels and inputs change places."""
        return self.order != PUBLISHED

    def say(self, text: str) -> str:
        """A published text in this look's words."""
        return say(text, self.labels)


PUBLISHED_LOOK = Look()
NUM_LOOKS = 1
for _name in Look._fields:
    NUM_LOOKS *= len(CHOICES[_name])


def look_of(number: int) -> Look:
    """The look of this number."""
    parts = []
    for name in reversed(Look._fields):
        number, place = divmod(number, len(CHOICES[name]))
        parts.append(CHOICES[name][place])
    return Look(*reversed(parts))


@dataclass(frozen=True)
class Variation:
    """How a site differs from the published one of its design; the defaults are that one.

    Attributes:
        labels: The words of labels, headings and buttons: ``"published"``, synonyms in common use (``"familiar"``), or
            those that no training may show (``"held-out"``).
        naming: How lines of text are named: each ``"published"`` way, by a ``"label"``, a ``"placeholder"``, or, for
            screen readers alone, an ``"aria-label"``.
        order: ``"published"``, or ``"reversed"``: inputs before their labels, boxes and options behind them.
        layout: Blocks in a ``"plain"``, ``"airy"`` or ``"dense"`` row.
        theme: Colours: ``"light"``, ``"dark"`` or ``"paper"``.
        instruction: ``"keys"``, or ``"sentences"`` that say what a value is.
        decoys: ``"none"``, or inputs ``"before"`` or ``"after"`` those asked for that look the same and are asked for
            by nobody: an address for the bill beside that of the delivery.
    """

    labels: str = PUBLISHED
    naming: str = PUBLISHED
    order: str = PUBLISHED
    layout: str = "plain"
    theme: str = "light"
    instruction: str = "keys"
    decoys: str = "none"

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless every part is one of its :data:`CHOICES`."""
        for part in fields(self):
            value = getattr(self, part.name)
            if value not in CHOICES[part.name]:
                raise InvalidTaskError(f"variation {part.name}", value, f"one of {', '.join(CHOICES[part.name])}")

    @property
    def look(self) -> Look:
        """What it makes of the elements."""
        return Look(*(getattr(self, name) for name in Look._fields))

    @property
    def held_out(self) -> bool:
        """Whether its words are those that no training may show."""
        return self.labels == HELD_OUT

    def to_text(self) -> str:
        """A line ``part: choice`` for every part that is not the published one."""
        changed = [part.name for part in fields(self) if getattr(self, part.name) != part.default]
        return "\n".join(f"{name}: {getattr(self, name)}" for name in changed)

    @classmethod
    def from_text(cls, text: str) -> "Variation":
        """The variation that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: A line is none of such a text.
        """
        parts = {}
        for line in text.splitlines():
            name, _, choice = line.partition(": ")
            if name not in CHOICES or name in parts:
                raise InvalidTaskError(
                    "line of the variation", line, f"part: choice, each of {', '.join(CHOICES)} once"
                )
            parts[name] = choice
        variation = cls(**parts)
        variation.validate()
        return variation


NO_VARIATION = Variation()
