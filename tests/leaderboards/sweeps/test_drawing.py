"""One measure in one panel: lines, bands and axes, from curves that are written by hand."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.charts.style import colour
from procgen_bench.leaderboards.sweeps.curves import line
from procgen_bench.leaderboards.sweeps.drawing import draw_measure


def curves(count):
    return [
        [{"step": 50.0 * k, "seconds": 3.0 * k, "success": 0.1 * k * (seed + 1)} for k in range(3)]
        for seed in range(count)
    ]


def panel(*lines, **keywords):
    axes = Figure().subplots()
    draw_measure(axes, lines, "success", get_benchmark("point-maze/test"), **keywords)
    return axes


def test_of_fewer_than_five_runs_each_is_a_thin_line():
    axes = panel(("A", curves(3)))
    mean, *runs = axes.lines
    assert not axes.collections and len(runs) == 3
    assert mean.get_label() == "A" and mean.get_ydata()[-1] == pytest.approx(0.4)
    assert sorted(one.get_ydata()[-1] for one in runs) == pytest.approx([0.2, 0.4, 0.6])
    assert all(one.get_linewidth() < mean.get_linewidth() for one in runs)
    assert {one.get_color() for one in axes.lines} == {colour(0)}


def test_of_five_the_band_is_the_interval():
    axes, expected = panel(("none", []), ("A", curves(5))), line(curves(5), "success")
    ((mean,), (band,)) = axes.lines, axes.collections
    assert mean.get_color() == colour(1), "a label's place is its colour, whether others are drawn or not"
    at_the_end = [y for x, y in band.get_paths()[0].vertices if x == expected.x[-1]]
    assert (min(at_the_end), max(at_the_end)) == (expected.low[-1], expected.high[-1])
    assert expected.low[-1] < mean.get_ydata()[-1] < expected.high[-1]


@pytest.mark.parametrize(("against", "last"), [("step", 100.0), ("seconds", 6.0)])
def test_what_lies_on_the_axis_is_what_was_asked_for(against, last):
    (mean, *_) = panel(("A", curves(2)), against=against).lines
    assert (mean.get_xdata()[0], mean.get_xdata()[-1]) == (0.0, last)
    assert np.all(np.diff(mean.get_xdata()) > 0)
