"""Charts of the numbers that documents state, as SVG files that read well on light and on dark pages."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from procgen_bench.leaderboards.board.stated_numbers import Sources
from procgen_bench.leaderboards.charts.intervals import Bar, IntervalChart
from procgen_bench.leaderboards.charts.lines import Line, LineChart
from procgen_bench.leaderboards.charts.style import figure_style
from procgen_bench.leaderboards.charts.svg import written
from procgen_bench.leaderboards.errors import NoSuchRowError
from procgen_bench.leaderboards.sweeps.curves import line

#: Pixels of a chart and of its names: on a phone, where it is shrunk to the page, its labels have nine pixels and more.
_WIDTH, _NAMES = 450, 200


def drawn(chart: Mapping[str, Any], sources: Sources) -> bytes:
    """A chart's file.

    Args:
        chart: ``title``, ``caption``, ``label`` of the measured axis, its range ``low`` to ``high``; and either
            ``bars``, each with a ``label`` and a ``source``, or ``curves``, each with a ``label`` and the ``runs``
            whose ``measure`` is drawn. A reference, as a script, has ``reference = true`` and is grey.
        sources: Where numbers come from.

    Raises:
        NoSuchRowError: A source names nothing that can be drawn.
    """
    figure = _curves(chart, sources) if "curves" in chart else _bars(chart, sources)
    with figure_style():
        return written(figure.figure(), chart["title"], chart["caption"])


def _bars(chart: Mapping[str, Any], sources: Sources) -> IntervalChart:
    bars = []
    for place, one in enumerate(chart["bars"]):
        number = sources.number(one["source"])
        if number.estimate is None:
            raise NoSuchRowError(f"{one['source']!r} has no mean to draw, expected scores of runs or episodes")
        colour = None if one.get("reference", False) else place
        bars.append(Bar(one["label"], number.estimate, number.values, colour))
    return IntervalChart(chart["title"], chart["label"], bars, chart["low"], chart["high"], _WIDTH, _NAMES)


def _curves(chart: Mapping[str, Any], sources: Sources) -> LineChart:
    lines = []
    for place, one in enumerate(chart["curves"]):
        found = line(sources.curves(one["runs"]), chart["measure"])
        if found is None:
            raise NoSuchRowError(f"{one['runs']!r} has no curves to draw, expected runs that were evaluated twice")
        low, high = (found.runs.min(0), found.runs.max(0)) if found.low is None else (found.low, found.high)
        assert high is not None, "both ends, or none"
        lines.append(Line(one["label"], _points(found.x, found.mean), place, _points(low, high)))
    limits = chart["low"], chart["high"]
    return LineChart(chart["title"], "environment steps", chart["label"], lines, *limits, width=_WIDTH)


def _points(x: np.ndarray, y: np.ndarray) -> list[tuple[float, float]]:
    return [(float(one), float(other)) for one, other in zip(x, y, strict=True)]
