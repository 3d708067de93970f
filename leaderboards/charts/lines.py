"""LineChart: lines over a shared axis, with bands around them."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from procgen_bench.leaderboards.charts.axes import add_axes, legend_height, limits, name_lines, new_figure
from procgen_bench.leaderboards.charts.style import DASHES, MARKS, colour

_LEFT, _TOP, _MARGIN, _BOTTOM, _LABELS = 62, 10, 12, 280, 50
_MARK_SIZE, _BAND_ALPHA = 6, 0.16
Point = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """A line.

    Attributes:
        label: What it is called.
        points: (x, y) by rising x.
        colour: Number of its colour; ``None``: a reference, dashed and grey.
        band: (low, high) around each point; none where it is empty.
    """

    label: str
    points: Sequence[Point]
    colour: int | None = None
    band: Sequence[Point] = ()


@dataclass(frozen=True)
class LineChart:
    """Lines over a shared x-axis.

    Attributes:
        title: What it shows.
        x_label, y_label: Labels of the axes.
        lines: At least one line with at least one point.
        low, high: The range that y can have; the axis begins and ends where the lines do.
        marked: Whether the points are marked.
        steps: Whether the lines run level from point to point.
        width: Pixels of the figure.
    """

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    low: float
    high: float
    marked: bool = False
    steps: bool = False
    width: int = 580

    def figure(self) -> Figure:
        """The chart, drawn."""
        figure = new_figure(self.width, _BOTTOM + _LABELS + legend_height(len(self.lines)))
        axes = add_axes(figure, _LEFT, _TOP, self.width - _MARGIN, _BOTTOM)
        references, drawn = count(), []
        for place, line in enumerate(self.lines):
            x, y = zip(*line.points)
            reference = line.colour is None
            style: dict[str, Any] = {
                "color": colour(line.colour),
                "linestyle": DASHES[next(references) % len(DASHES)] if reference else "-",
                "marker": MARKS[place % len(MARKS)] if self.marked or len(x) == 1 else None,
                "markersize": _MARK_SIZE,
                "drawstyle": "steps-post" if self.steps else "default",
                # The first lines lie above: the best ones.
                "zorder": 3 - place / len(self.lines),
            }
            axes.plot(x, y, **style)
            drawn.append(Line2D([], [], **style))
            if line.band:
                bottom, top = zip(*line.band)
                axes.fill_between(
                    x,
                    bottom,
                    top,
                    color=colour(line.colour),
                    alpha=_BAND_ALPHA,
                    linewidth=0,
                    step="post" if self.steps else None,
                )
        values = [value for line in self.lines for value in (*(y for _, y in line.points), *sum(line.band, ()))]
        axes.set_ylim(limits(values, self.low, self.high))
        axes.set_xlabel(self.x_label)
        axes.set_ylabel(self.y_label)
        name_lines(figure, _LEFT, drawn, [line.label for line in self.lines])
        return figure


def staircase(values: Sequence[float], low: float, high: float) -> list[Point]:
    """Share of ``values`` that are greater than x, from ``low`` to ``high``: the points from which it is level."""
    ordered = sorted(values)
    corners = [low, *sorted({value for value in values if low < value <= high}), high]
    return [(x, (len(ordered) - bisect_right(ordered, x)) / len(ordered)) for x in dict.fromkeys(corners)]
