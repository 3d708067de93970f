"""One measure in one panel: lines, bands and axes, from curves that are written by hand."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.charts.style import colour
from procgen_bench.leaderboards.sweeps.curves import line
from procgen_bench.leaderboards.sweeps.drawing import add_legend, draw_measure


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


def test_steps_are_short_labels_that_do_not_run_into_each_other():
    figure = Figure(figsize=(5.2, 3.6), layout="constrained", dpi=110)
    long = [[row | {"step": 400_000.0 * row["step"] / 100} for row in curve] for curve in curves(3)]
    axes = figure.subplots()
    draw_measure(axes, [("A", long)], "success", get_benchmark("point-maze/test"))
    figure.canvas.draw()
    labels = [label for label in axes.get_xticklabels() if label.get_text()]
    assert {"0", "100k", "400k"} <= {label.get_text() for label in labels}
    boxes = [label.get_window_extent() for label in labels]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_of_five_the_band_is_the_interval():
    axes, expected = panel(("none", []), ("A", curves(5))), line(curves(5), "success")
    ((mean,), (band,)) = axes.lines, axes.collections
    assert mean.get_color() == colour(1), "a label's place is its colour, whether others are drawn or not"
    at_the_end = [y for x, y in band.get_paths()[0].vertices if x == expected.x[-1]]
    assert (min(at_the_end), max(at_the_end)) == (expected.low[-1], expected.high[-1])
    assert expected.low[-1] < mean.get_ydata()[-1] < expected.high[-1]


def test_the_worst_tenth_of_tasks_is_dotted_where_all_runs_measured_it():
    measured = [[row | {"worst_tenth_success": row["success"] / 2} for row in curve] for curve in curves(3)]
    _, *_, worst = panel(("A", measured)).lines
    assert worst.get_linestyle() == ":" and worst.get_color() == colour(0)
    assert worst.get_ydata()[-1] == pytest.approx(0.2)
    older = panel(("A", [*measured[:2], curves(3)[2]])).lines
    assert not any(drawn.get_linestyle() == ":" for drawn in older), (
        "a mean over two runs would stand beside one of three"
    )


@pytest.mark.parametrize("has_worst", [True, False])
def test_the_legend_says_what_dotted_lines_are(has_worst):
    figure = Figure(layout="constrained")
    measured = [[row | {"worst_tenth_success": 0.0} for row in curve] for curve in curves(2)]
    draw_measure(
        figure.subplots(), [("A", measured if has_worst else curves(2))], "success", get_benchmark("bit-grid/test")
    )
    add_legend(figure, {"A": [2]})
    assert ("dotted" in figure.legends[0].get_title().get_text()) == has_worst


@pytest.mark.parametrize(("against", "last"), [("step", 100.0), ("seconds", 6.0)])
def test_what_lies_on_the_axis_is_what_was_asked_for(against, last):
    (mean, *_) = panel(("A", curves(2)), against=against).lines
    assert (mean.get_xdata()[0], mean.get_xdata()[-1]) == (0.0, last)
    assert np.all(np.diff(mean.get_xdata()) > 0)
