"""IntervalChart: methods below each other, each with its estimate, its interval if there is one, and its runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.transforms import blended_transform_factory

from procgen_bench.leaderboards.charts.axes import add_axes, limits, new_figure, shortened
from procgen_bench.leaderboards.charts.style import colour
from procgen_bench.leaderboards.statistics.estimates import Estimate

_ROW_HEIGHT, _TOP, _BELOW = 30, 6, 50
#: Pixels right of the axis, for values.
_VALUES = 60
_RUN_SIZE, _VALUE_SIZE, _INTERVAL_WIDTH = 4.5, 8, 7


@dataclass(frozen=True)
class Bar:
    """A row: a method's estimate and the score of each of its runs; ``colour`` as that of a line."""

    label: str
    estimate: Estimate
    runs: Sequence[float]
    colour: int | None = None


@dataclass(frozen=True)
class IntervalChart:
    """Methods below each other.

    Attributes:
        title: What it shows.
        x_label: Label of the axis.
        bars: At least one method.
        low, high: The range that is possible; the axis begins and ends where the methods do.
        width: Pixels of the figure.
        names: Pixels of the names, left of the axis.
    """

    title: str
    x_label: str
    bars: Sequence[Bar]
    low: float
    high: float
    width: int = 580
    names: int = 225

    def figure(self) -> Figure:
        """The chart, drawn."""
        bottom = _TOP + _ROW_HEIGHT * len(self.bars)
        right = self.width - _VALUES
        figure = new_figure(self.width, bottom + _BELOW)
        axes = add_axes(figure, self.names, _TOP, right, bottom)
        axes.grid(axis="y", visible=False)
        axes.grid(axis="x")
        beside = blended_transform_factory(axes.transAxes, axes.transData)
        decimals = 3 if self.high - self.low < 10 else 1
        for place, bar in enumerate(self.bars):
            ink, value = colour(bar.colour), bar.estimate.value
            if bar.estimate.interval is not None:
                axes.plot(
                    bar.estimate.interval,
                    (place, place),
                    color=ink,
                    alpha=0.35,
                    linewidth=_INTERVAL_WIDTH,
                    solid_capstyle="round",
                )
            if len(bar.runs) > 1:
                axes.plot(
                    bar.runs,
                    [place] * len(bar.runs),
                    "o",
                    markersize=_RUN_SIZE,
                    markeredgewidth=0,
                    color=ink,
                    alpha=0.5,
                )
            axes.plot([value], [place], "D" if bar.colour is None else "o", markersize=_VALUE_SIZE, color=ink)
            axes.text(
                1 + 8 / (right - self.names), place, f"{value:.{decimals}f}", transform=beside, va="center_baseline"
            )
        values = [
            value for bar in self.bars for value in (bar.estimate.value, *(bar.estimate.interval or ()), *bar.runs)
        ]
        axes.set_xlim(limits(values, self.low, self.high))
        axes.set_ylim(len(self.bars) - 0.5, -0.5)
        axes.set_yticks(range(len(self.bars)), [shortened(bar.label) for bar in self.bars])
        axes.set_xlabel(self.x_label)
        return figure
