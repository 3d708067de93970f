"""Axes: where they begin and end, how their ticks are called, and where names stand beside them."""

from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

DOTS_PER_INCH = 72
_TICKS = 6
_LABEL_CHARACTERS = 30
#: The least span of an axis, of the range that is possible; and what it has beside its span, of that.
_LEAST, _MARGIN = 0.02, 0.05
_LEGEND_COLUMNS, _LEGEND_ROW = 2, 21


def new_figure(width: int, height: int) -> Figure:
    """An empty figure of this size in pixels."""
    return Figure(figsize=(width / DOTS_PER_INCH, height / DOTS_PER_INCH), dpi=DOTS_PER_INCH)


def add_axes(figure: Figure, left: float, top: float, right: float, bottom: float) -> Axes:
    """Axes at these edges in pixels, from the figure's upper left corner."""
    width, height = figure.get_size_inches() * DOTS_PER_INCH
    axes = figure.add_axes(
        (left / width, 1 - bottom / height, (right - left) / width, (bottom - top) / height),
    )
    label_ticks(axes.xaxis, axes.yaxis)
    return axes


def label_ticks(*which: Axis) -> None:
    """Have few ticks at round values, with short labels: 200k, 1.5M."""
    for axis in which:
        axis.set_major_locator(MaxNLocator(_TICKS, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(FuncFormatter(lambda value, _, axis=axis: _tick_label(value, axis)))


def limits(values: Iterable[float], low: float, high: float) -> tuple[float, float]:
    """Where an axis begins and ends that shows all values well, whose possible range is [low, high]."""
    shown = list(values)
    first, last = min(shown), max(shown)
    span = max(last - first, _LEAST * (high - low))
    start = first - (span - (last - first)) / 2
    start = min(max(start, min(low, first)), max(high, last) - span)
    return start - _MARGIN * span, start + span + _MARGIN * span


def legend_height(number: int) -> int:
    """Pixels that so many names need below the axes."""
    return _LEGEND_ROW * -(-number // _LEGEND_COLUMNS)


def name_lines(figure: Figure, left: float, lines: Sequence[Line2D], names: Sequence[str]) -> None:
    """Say at the figure's lower edge which line is which, from ``left`` on (in pixels)."""
    # A name with an underscore in front would be left out; texts that are set later are not looked at.
    legend = figure.legend(
        lines,
        [str(place) for place in range(len(names))],
        loc="lower left",
        bbox_to_anchor=(left / (figure.get_figwidth() * DOTS_PER_INCH), 0),
        ncols=_LEGEND_COLUMNS,
        borderaxespad=0,
        borderpad=0.2,
        columnspacing=1.2,
        handlelength=1.7,
        labelspacing=0.45,
    )
    for text, name in zip(legend.get_texts(), names):
        text.set_text(shortened(name))


def shortened(label: str) -> str:
    """``label``, cut where it would not fit beside a figure."""
    return label if len(label) <= _LABEL_CHARACTERS else label[: _LABEL_CHARACTERS - 1] + "…"


def _tick_label(value: float, axis) -> str:
    """A round value with as many decimals as tell ticks apart; thousands as k, millions as M, and so on."""
    low, high = sorted(axis.get_view_interval())
    largest = max(abs(low), abs(high))
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if largest >= 2 * size:
            return "0" if value == 0 else f"{value / size:g}{letter}"
    return f"{value:g}" if abs(value) > 1e-12 * largest else "0"
