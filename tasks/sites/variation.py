"""Variations: other words, another look and decoys for the sites of one design."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import NamedTuple

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.wording import HELD_OUT, PUBLISHED, say

#: Pixels between two blocks of a page, by layout.
GAPS = MappingProxyType({"plain": 8, "airy": 24, "dense": 2})
#: Where decoys stand: on one side of what is asked for, or each on either.
BEFORE, AFTER, MIXED = "before", "after", "mixed"
#: What each part of a variation can be; the published site first.
CHOICES = MappingProxyType(
    {
        "labels": (PUBLISHED, "familiar", HELD_OUT),
        "naming": (PUBLISHED, "label", "placeholder", "aria-label"),
        "order": (PUBLISHED, "reversed"),
        "layout": tuple(GAPS),
        "theme": ("light", "dark", "paper"),
        "instruction": ("keys", "sentences"),
        "decoys": ("none", BEFORE, AFTER, MIXED),
    }
)


class Look(NamedTuple):
    """The parts of a variation that change a page's elements or where they stand."""

    labels: str = PUBLISHED
    naming: str = PUBLISHED
    order: str = PUBLISHED
    layout: str = "plain"

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
            by nobody: an address for the bill next to that of the delivery. ``"mixed"``: each on a side that the task
            decides, as by a coin.
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
    def places(self) -> list[int]:
        """Of every part the place of its choice among :data:`CHOICES`."""
        return [choices.index(getattr(self, name)) for name, choices in CHOICES.items()]

    @classmethod
    def of_places(cls, places: Sequence[int]) -> "Variation":
        """The variation of these :attr:`places`."""
        return cls(**{name: choices[place] for (name, choices), place in zip(CHOICES.items(), places)})

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


def varied_parts(parts: Collection[str] | str) -> tuple[str, ...]:
    """Names of parts that vary, in the order of a variation's; ``"all"`` stands for all.

    Raises:
        InvalidTaskError: There is no such part.
    """
    asked = tuple(CHOICES) if parts == "all" else (parts,) if isinstance(parts, str) else tuple(parts)
    for part in asked:
        if part not in CHOICES:
            raise InvalidTaskError("part of variations", part, f"all, or one of {', '.join(CHOICES)}")
    return tuple(part for part in CHOICES if part in asked)


def trained_choices(parts: Collection[str]) -> list[tuple[str, ...]]:
    """Of every part of a variation what training may show where these vary: no words that are held out."""
    return [
        tuple(choice for choice in choices if choice != HELD_OUT) if part in parts else choices[:1]
        for part, choices in CHOICES.items()
    ]
