"""HeatChart: methods below each other, each a strip whose colour is a value along the x-axis."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from procgen_bench.leaderboards.figures import Scale, shortened

#: From nothing through 1, the middle, to 2 and more; colours between them are mixed. Told apart by the colour-blind.
_COLOURS = ((165, 0, 38), (244, 109, 67), (254, 224, 144), (171, 217, 233), (69, 117, 180))
#: Of exactly 0, which is more than a low value: a failure.
_NOTHING = "#77797d"
_STEPS = 40


@dataclass(frozen=True)
class Strip:
    """A method's row: a value for each whole number of the axis, each at least 0."""

    label: str
    values: Sequence[float]


@dataclass(frozen=True)
class HeatChart:
    """Strips below each other over a shared axis of whole numbers from 0.

    Attributes:
        title: What it shows, for those who cannot see it.
        x_label: Label of the axis.
        value_label: What the colours are.
        strips: At least one method; of all the same number of values, at least two.
        high: From where on there is one colour; 0 has one of its own.
    """

    title: str
    x_label: str
    value_label: str
    strips: Sequence[Strip]
    high: float = 2.0

    template = "heat_chart.svg"
    width, row_height = 620, 26

    @property
    def bottom(self) -> int:
        """Where the strips end, in pixels."""
        return 8 + self.row_height * len(self.strips)

    @property
    def height(self) -> int:
        """Height in pixels, with the axis and the key below the strips."""
        return self.bottom + 92

    @property
    def x(self) -> Scale:
        """The axis, at the left edges of the cells."""
        return Scale(0, len(self.strips[0].values), 172, 600)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """(pixel, label) of round values, at the middles of their cells."""
        last, half = len(self.strips[0].values) - 1, (self.x(1) - self.x(0)) / 2
        return [(round(self.x(float(label)) + half, 1), label) for _, label in Scale(0, last, 0, 1).ticks]

    @property
    def rows(self) -> list[dict]:
        """What the template draws of each method: cells of one colour beside each other are one."""
        x, rows = self.x, []
        for number, strip in enumerate(self.strips):
            cells, end = [], 0
            for colour, same in itertools.groupby(self.colour(value) for value in strip.values):
                start, end = end, end + len(list(same))
                cells.append({"x": x(start), "width": round(x(end) - x(start), 1), "colour": colour})
            rows.append({"label": shortened(strip.label), "y": 8 + self.row_height * number, "cells": cells})
        return rows

    @property
    def key(self) -> list[tuple[float, str]]:
        """(share of the key's width, colour) of the colours from above 0 to ``high``."""
        return [(step / _STEPS, self.colour((step + 0.5) / _STEPS * self.high)) for step in range(_STEPS)]

    def colour(self, value: float) -> str:
        """The colour of a value."""
        if value == 0:
            return _NOTHING
        # In steps, so that few cells differ from their neighbours by what nobody sees.
        place = min(round(value / self.high * _STEPS) / _STEPS, 1.0) * (len(_COLOURS) - 1)
        lower = min(int(place), len(_COLOURS) - 2)
        mixed = (round(a + (place - lower) * (b - a)) for a, b in zip(_COLOURS[lower], _COLOURS[lower + 1]))
        return "#{:02x}{:02x}{:02x}".format(*mixed)
