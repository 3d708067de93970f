"""Figures as small SVG files: geometry in Python, drawing in templates."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from procgen_bench.leaderboards.statistics import Estimate

#: Lines are told apart by colour up to this number.
MAX_SERIES = 8
#: Lines of references are told apart by their dashes up to this number.
_DASHES = 4
_TICKS = 6
_LABEL_CHARACTERS = 19
#: Outlines of the marks of points: disc, square, triangle, diamond.
_MARKS = ("M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "M-4,-4h8v8h-8z", "M0,-5L5,4H-5z", "M0,-5.5L5.5,0L0,5.5L-5.5,0z")
Point = tuple[float, float]


@dataclass(frozen=True)
class Series:
    """A line: ``points`` in the order of x. A reference (an oracle's, say) is drawn dashed and grey."""

    label: str
    points: Sequence[Point]
    reference: bool = False


@dataclass(frozen=True)
class Bar:
    """A row of an interval chart: a method's estimate and the score of each of its runs."""

    label: str
    estimate: Estimate
    runs: Sequence[float]
    reference: bool = False


@dataclass(frozen=True)
class Scale:
    """Maps values in [low, high] to pixels in [start, end], and knows the round values in between."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The pixel of a value, to a tenth."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """(pixel, label) of round values."""
        step = _round_step((self.high - self.low) / _TICKS)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [(self(k * step), _tick_label(k * step, step)) for k in range(first, last + 1)]


@dataclass(frozen=True)
class LineChart:
    """Lines over a shared x-axis.

    Attributes:
        title: What it shows, for those who cannot see it.
        x_label, y_label: Labels of the axes.
        series: At least one line with at least one point.
        markers: Whether the points are marked.
    """

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    markers: bool = True

    template = "line_chart.svg"
    width, height = 620, 350

    @property
    def x(self) -> Scale:
        """The x-axis."""
        return _scale([point[0] for line in self.series for point in line.points], 62, 415)

    @property
    def y(self) -> Scale:
        """The y-axis, which grows upwards and has 0."""
        return _scale([0.0, *(point[1] for line in self.series for point in line.points)], 298, 16)

    @property
    def lines(self) -> list[dict]:
        """What the template draws of each line."""
        x, y = self.x, self.y
        return [
            {
                "label": shortened(line.label),
                "style": style,
                "mark": _MARKS[index % len(_MARKS)],
                "points": [(x(a), y(b)) for a, b in line.points],
            }
            for index, (line, style) in enumerate(zip(self.series, _styles(self.series)))
        ]


@dataclass(frozen=True)
class IntervalChart:
    """Methods below each other, each with its estimate, interval and runs.

    Attributes:
        title: What it shows, for those who cannot see it.
        x_label: Label of the axis.
        bars: At least one method.
        low, high: Ends of the axis.
    """

    title: str
    x_label: str
    bars: Sequence[Bar]
    low: float
    high: float

    template = "interval_chart.svg"
    width, row_height = 620, 34

    @property
    def height(self) -> int:
        """Height in pixels."""
        return self.row_height * len(self.bars) + 64

    @property
    def x(self) -> Scale:
        """The axis."""
        return Scale(self.low, self.high, 190, 545)

    @property
    def rows(self) -> list[dict]:
        """What the template draws of each method."""
        x = self.x
        return [
            {
                "label": shortened(bar.label),
                "style": style,
                "y": 8 + self.row_height * (index + 0.5),
                "value": x(bar.estimate.value),
                "text": f"{bar.estimate.value:.3f}",
                "interval": None if bar.estimate.low is None else (x(bar.estimate.low), x(bar.estimate.high)),
                "runs": [x(score) for score in bar.runs],
            }
            for index, (bar, style) in enumerate(zip(self.bars, _styles(self.bars)))
        ]


def staircase(values: Sequence[float], low: float, high: float) -> list[Point]:
    """Share of ``values`` that are greater than x, for x from ``low`` to ``high``, as the corners of its steps."""
    ordered = sorted(values)

    def share_above(x: float) -> float:
        return (len(ordered) - bisect_right(ordered, x)) / len(ordered)

    share = share_above(low)
    points = [(low, share)]
    for x in sorted({value for value in values if low < value <= high}):
        points.append((x, share))
        share = share_above(x)
        points.append((x, share))
    return points if points[-1][0] == high else [*points, (high, share)]


def shortened(label: str) -> str:
    """``label``, cut where it would not fit beside a figure."""
    return label if len(label) <= _LABEL_CHARACTERS else label[: _LABEL_CHARACTERS - 1] + "…"


def _tick_label(value: float, step: float) -> str:
    """A round value, with the decimals that its step needs; thousands as k, millions as M."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if abs(value) >= size and step >= size / 10:
            return f"{value / size:g}{letter}"
    return f"{value:.{max(0, -math.floor(math.log10(step)))}f}"


def _styles(items: Sequence[Series | Bar]) -> list[str]:
    """Names of styles: the same for the same method in every figure that shows the same rows."""
    references, methods = count(), count()
    return [
        f"reference r{next(references) % _DASHES}" if item.reference else f"s{next(methods) % MAX_SERIES}"
        for item in items
    ]


def _scale(values: Sequence[float], start: float, end: float) -> Scale:
    """A scale with round ends around ``values``."""
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 0.5, high + 0.5
    step = _round_step((high - low) / _TICKS)
    return Scale(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, start, end)


def _round_step(step: float) -> float:
    """The least of 1, 2, 5, 10, 20 ... (and their tenths, hundredths ...) that is at least ``step``."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step * (1 - 1e-9))
