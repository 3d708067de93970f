"""Figures as files: what is drawn, in which colours, with which texts, and always the same."""

import math
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from procgen_bench.leaderboards.charts.axes import limits, shortened
from procgen_bench.leaderboards.charts.intervals import Bar, IntervalChart
from procgen_bench.leaderboards.charts.lines import Line, LineChart, staircase
from procgen_bench.leaderboards.charts.strips import NOTHING, Strip, StripChart
from procgen_bench.leaderboards.charts.style import COLOURS, colour, figure_style
from procgen_bench.leaderboards.charts.svg import written
from procgen_bench.leaderboards.statistics.estimates import Estimate

SVG = "{http://www.w3.org/2000/svg}"
#: Names that would be mathematics, markup, nothing at all, or turned around.
NAMES = ["$x^2$", "$", "_hidden", "<script>1</script>", "\u202eder", "日本", "a & b"]


def drawn(chart, description="what it shows") -> ElementTree.Element:
    with figure_style():
        return ElementTree.fromstring(written(chart.figure(), chart.title, description))


def texts(root) -> list[str]:
    return [element.text for element in root.iter(f"{SVG}text")]


def lines_of(names, **options) -> LineChart:
    lines = [Line(name, [(0, 0.1 * k), (10, 0.2 * k)], k) for k, name in enumerate(names)]
    return LineChart("title", "x", "y", lines, 0, 1, **options)


def test_texts_are_shown_as_they_are():
    bars = [Bar(name, Estimate(0.5), [0.5], 0) for name in NAMES]
    for chart in (lines_of(NAMES), IntervalChart("title", "x", bars, 0, 1)):
        root = drawn(chart, "<b> & $")
        assert set(NAMES) <= set(texts(root))
        assert root.find(f"{SVG}title").text == "title" and root.find(f"{SVG}desc").text == "<b> & $"
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
            *("svg", "title", "desc", "style", "defs", "g", "path", "use", "text", "clipPath", "rect")
        }
        assert (root.get("role"), root.get("aria-labelledby")) == ("img", "title desc")


def test_the_same_figure_gives_the_same_small_file():
    charts = [lines_of("abcdefgh") for _ in range(2)]
    with figure_style():
        first, second = (written(chart.figure(), chart.title, "words") for chart in charts)
    assert first == second
    assert len(first) < 16_000 and not re.search(rb"20\d\d-|Matplotlib v|dc:", first)


def test_colours_are_named_for_light_and_dark_pages():
    root = drawn(LineChart("title", "x", "y", [Line("a", [(0, 0), (1, 1)], 9), Line("best", [(0, 1), (1, 1)])], 0, 1))
    styles = [element.get("style", "") for element in root.iter()]
    assert any("stroke: var(--s1)" in style and "dasharray" not in style for style in styles)  # the ninth is the second
    assert any("stroke: var(--reference)" in style and "dasharray" in style for style in styles)
    assert not any("#" in style for style in styles)
    light, dark = root.find(f"{SVG}style").text.split("@media(prefers-color-scheme:dark)")
    for name, (on_light, on_dark) in COLOURS.items():
        assert f"--{name}:{on_light};" in light and f"--{name}:{on_dark};" in dark
    assert len({colour(name) for name in COLOURS}) == len(COLOURS)  # each is known by its colour


@pytest.mark.parametrize(
    ("values", "low", "high", "expected"),
    [
        ([0.2, 0.4], 0, 1, (0.19, 0.41)),
        ([0.0, 1.0], 0, 1, (-0.05, 1.05)),
        ([0.0], 0, 1, (-0.001, 0.021)),  # nothing below the worst possible
        ([1.0], 0, 1, (0.979, 1.001)),
        ([0.5], 0, 1, (0.489, 0.511)),
        ([5e-324], 0, 1, (-0.001, 0.021)),
        ([1.0, 1.5], 0, 1, (0.975, 1.525)),  # a task may be better than the best mean
    ],
)
def test_axes_begin_where_values_do(values, low, high, expected):
    assert limits(values, low, high) == pytest.approx(expected)


@pytest.mark.parametrize(
    "values", [[5e-324, 1e-308], [0.0], [1.0, 1.0], [0.1, 0.1 + 1e-17], [math.nextafter(1, 0), 1.0]]
)
@pytest.mark.parametrize("steps", [False, True])
def test_whatever_is_possible_can_be_drawn(values, steps):
    points = [(float(2**53) * k, value) for k, value in enumerate(values)]
    root = drawn(LineChart("title", "x", "y", [Line("a", points, 0, [(0.0, 1.0)] * len(points))], 0, 1, steps=steps))
    numbers = [float(n) for e in root.iter(f"{SVG}path") for n in re.findall(r"-?\d+(?:\.\d+)?", e.get("d", ""))]
    assert numbers and max(map(abs, numbers)) < 1000  # pixels


def test_lines_have_marks_and_bands():
    marked = drawn(lines_of(["a"], marked=True))
    assert len(list(marked.iter(f"{SVG}use"))) > len(list(drawn(lines_of(["a"])).iter(f"{SVG}use")))
    band = LineChart("title", "x", "y", [Line("a", [(0, 0.5), (1, 0.5)], 0, [(0.4, 0.6), (0.3, 0.7)])], 0, 1)
    assert any("fill-opacity" in e.get("style", "") for e in drawn(band).iter(f"{SVG}use"))


def test_intervals_are_drawn_where_there_are_any():
    def strokes(estimate, runs):
        root = drawn(IntervalChart("title", "x", [Bar("a", estimate, runs, 0)], 0, 1))
        return [e for e in root.iter(f"{SVG}path") if "stroke-opacity" in e.get("style", "")], texts(root)

    interval, shown = strokes(Estimate(0.5, 0.4, 0.6), [0.4, 0.6])
    assert len(interval) == 1 and "0.500" in shown and "a" in shown
    none, shown = strokes(Estimate(0.25), [0.2, 0.3])
    assert none == [] and "0.250" in shown


def test_strips_join_cells_of_one_colour():
    chart = StripChart("title", "x", "score", [Strip("a", [0, 0, 0.5, 0.25, 0.26]), Strip("b", [1.0] * 5)])
    root = drawn(chart)
    fills = [re.search(r"fill: (#\w+)", e.get("style", "")) for e in root.iter(f"{SVG}use")]
    found = [match[1] for match in fills if match]
    assert found.count(NOTHING) == 2  # two cells in one piece, and the key
    assert found.count(chart.colour(0.25)) == 2 and chart.colour(0.26) == chart.colour(0.25)  # in steps
    assert found.count(chart.colour(1.0)) == 2  # the whole strip, and the key
    assert {"a", "b", "0", "1", "2", "3", "4", "> 0", "0.5"} <= set(texts(root))


def test_long_labels_are_cut():
    assert shortened("short") == "short"
    assert len(shortened("x" * 10_000)) == 30


def test_staircase_counts_what_is_greater():
    assert staircase([0, 0, 0.5, 1], 0, 1) == [(0, 0.5), (0.5, 0.25), (1, 0)]
    assert staircase([0.2], 0.0, 1.0) == [(0.0, 1), (0.2, 0), (1.0, 0)]
    values = np.random.default_rng(0).normal(size=40).tolist()
    for x, share in staircase(values, min(values), max(values)):
        assert share == np.mean(np.array(values) > x)
