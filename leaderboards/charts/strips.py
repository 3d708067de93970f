"""StripChart: methods below each other, each a strip whose colour is a value along the x-axis."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure

from procgen_bench.leaderboards.charts.axes import add_axes, new_figure, shortened

#: From nothing through half of the most to the most; colours between them are mixed. Distinct for the colour-blind.
_COLOURS = LinearSegmentedColormap.from_list("score", ["#a50026", "#f46d43", "#fee090", "#abd9e9", "#4575b4"])
#: Of exactly 0, which is more than a low value: a failure.
NOTHING = "#77797d"
_STEPS = 40
_WIDTH, _ROW_HEIGHT, _THICKNESS = 580, 26, 0.84
_LEFT, _TOP, _RIGHT, _BELOW, _KEY_HEIGHT = 225, 6, 568, 96, 14


@dataclass(frozen=True)
class Strip:
    """A method's row: a value from 0 to 1 for each whole number of the axis."""

    label: str
    values: Sequence[float]


@dataclass(frozen=True)
class StripChart:
    """Strips below each other over a shared axis of whole numbers from 0.

    Attributes:
        title: What it shows.
        x_label: Label of the axis.
        value_label: What the colours are.
        strips: At least one method; of all the same number of values, at least two.
    """

    title: str
    x_label: str
    value_label: str
    strips: Sequence[Strip]

    def figure(self) -> Figure:
        """The chart, drawn, with the key to its colours below."""
        bottom = _TOP + _ROW_HEIGHT * len(self.strips)
        figure = new_figure(_WIDTH, bottom + _BELOW)
        axes = add_axes(figure, _LEFT, _TOP, _RIGHT, bottom)
        axes.grid(visible=False)
        axes.spines["bottom"].set_visible(False)
        for place, strip in enumerate(self.strips):
            _draw_cells(axes, [self.colour(value) for value in strip.values], place, 1)
        axes.set_xlim(-0.5, len(self.strips[0].values) - 0.5)
        axes.set_ylim(len(self.strips) - 0.5, -0.5)
        axes.set_yticks(range(len(self.strips)), [shortened(strip.label) for strip in self.strips])
        axes.set_xlabel(self.x_label)
        self._draw_key(add_axes(figure, _LEFT + 90, bottom + 58, _RIGHT - 60, bottom + 58 + _KEY_HEIGHT))
        return figure

    def colour(self, value: float) -> str:
        """The colour of a value; 0 has one of its own."""
        if value == 0:
            return NOTHING
        # In steps, so that few cells differ invisibly from their neighbours.
        return to_hex(_COLOURS(round(value * _STEPS) / _STEPS))

    def _draw_key(self, axes: Axes) -> None:
        cell = 1 / _STEPS
        _draw_cells(axes, [NOTHING] * 4, 0, cell, start=-6 * cell)
        _draw_cells(axes, [self.colour((step + 0.5) * cell) for step in range(_STEPS)], 0, cell)
        axes.set_xlim(-6.5 * cell, 1 - 0.5 * cell)
        axes.set_ylim(0.5, -0.5)
        axes.grid(visible=False)
        axes.spines["bottom"].set_visible(False)
        axes.set_yticks([0], [self.value_label])
        axes.set_xticks((-4.5 * cell, 0, 0.5 - cell / 2, 1 - cell), ["0", "> 0", "0.5", "1"])
        axes.tick_params(axis="x", length=0)


def _draw_cells(axes: Axes, colours: Sequence[str], row: int, width: float, start: float = 0.0) -> None:
    """Cells of this width, the first one's middle at ``start``; those of one colour beside each other are one."""
    ends = itertools.accumulate((len(list(same)) for _, same in itertools.groupby(colours)), initial=0)
    for first, end in itertools.pairwise(ends):
        axes.broken_barh(
            [(start + (first - 0.5) * width, (end - first) * width)],
            (row - _THICKNESS / 2, _THICKNESS),
            color=colours[first],
            linewidth=0,
            antialiased=False,  # no seams between neighbours
        )
