"""What figures, breakdowns and clips are computed from."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import Image

from procgen_bench.leaderboards import clips
from procgen_bench.leaderboards.board import submit
from procgen_bench.leaderboards.clips import choose_episodes, write_clips
from procgen_bench.leaderboards.episodes import grouped_means, play_back, play_back_some, task_results
from procgen_bench.leaderboards.figures import (
    Bar,
    IntervalChart,
    LineChart,
    Scale,
    Series,
    shortened,
    staircase,
)
from procgen_bench.leaderboards.heat_chart import HeatChart, Strip
from procgen_bench.leaderboards.site_templates import TEMPLATES
from procgen_bench.leaderboards.statistics import Estimate
from procgen_bench.recording import record_episode


@pytest.fixture(scope="module")
def entry(tmp_path_factory, random_folder):
    return submit(random_folder, tmp_path_factory.mktemp("figures") / "board")


@pytest.mark.parametrize(
    ("scale", "labels"),
    [
        (Scale(0, 1, 0, 100), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (Scale(-0.591, 0.982, 0, 100), ["-0.5", "0.0", "0.5"]),
        (Scale(0, 0.048, 0, 100), ["0.00", "0.01", "0.02", "0.03", "0.04"]),
        (Scale(0, 40, 0, 100), ["0", "10", "20", "30", "40"]),
    ],
)
def test_ticks_are_round_and_inside(scale, labels):
    assert [label for _, label in scale.ticks] == labels
    assert all(scale.start <= at <= scale.end for at, _ in scale.ticks)
    assert [at for at, _ in scale.ticks] == pytest.approx([scale(float(label)) for label in labels], abs=0.1)


def test_scale_maps_both_ways_round():
    assert [Scale(0, 10, 100, 0)(value) for value in (0, 5, 10)] == [100, 50, 0]


def test_line_chart_draws_its_points():
    chart = LineChart("title", "x", "y", [Series("a", [(0, 0), (10, 1)]), Series("best", [(0, 1), (10, 1)], True)])
    root = ElementTree.fromstring(TEMPLATES.get_template(chart.template).render(chart=chart))
    drawn = [element.get("d") for element in root.iter("{http://www.w3.org/2000/svg}path")]
    a, b = (chart.x(0), chart.y(0)), (chart.x(10), chart.y(1))
    assert f"M{a[0]},{a[1]} {b[0]},{b[1]} " in drawn
    assert [line["style"] for line in chart.lines] == ["s0", "reference r0"]
    assert a[0] < b[0] and a[1] > b[1]  # upwards on the screen


def test_references_and_methods_are_told_apart():
    lines = [Series(str(k), [(0, k)], reference=k % 2 == 1) for k in range(6)]
    styles = [line["style"] for line in LineChart("title", "x", "y", lines).lines]
    assert styles == ["s0", "reference r0", "s1", "reference r1", "s2", "reference r2"]
    style = TEMPLATES.get_template("figure_style.svg").render()
    assert all(f".{name}" in style for styles_of in styles for name in styles_of.split() if name != "r0")


def test_heat_chart_joins_cells_of_one_colour():
    chart = HeatChart("title", "x", "score", [Strip("a", [0, 0, 0.5, 2, 7]), Strip("b", [1.0] * 5)])
    root = ElementTree.fromstring(TEMPLATES.get_template(chart.template).render(chart=chart))
    a, b = chart.rows
    assert [(cell["x"], cell["width"]) for cell in a["cells"]] == [
        (chart.x(0), pytest.approx(chart.x(2) - chart.x(0))),
        (chart.x(2), pytest.approx(chart.x(3) - chart.x(2))),
        (chart.x(3), pytest.approx(chart.x(5) - chart.x(3))),  # 2 and more are one colour
    ]
    assert len(b["cells"]) == 1 and b["y"] - a["y"] == chart.row_height
    drawn = [element.get("fill") for element in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert all(cell["colour"] in drawn for row in chart.rows for cell in row["cells"])
    assert chart.colour(0) not in {colour for _, colour in chart.key}  # nothing is told apart from little
    assert [label for _, label in chart.ticks] == ["0", "1", "2", "3", "4"]
    assert chart.ticks[2][0] == pytest.approx((chart.x(2) + chart.x(3)) / 2, abs=0.1)


@pytest.mark.parametrize("points", [[(3.0, 0.5)], [(0.0, 0.0), (1.0, 0.0)]])
def test_line_chart_of_a_single_value(points):
    chart = LineChart("title", "x", "y", [Series("a", points)])
    for a, b in chart.lines[0]["points"]:
        assert 62 <= a <= 415 and 16 <= b <= 298


def test_interval_chart_shows_intervals_where_there_are_any():
    bars = [Bar("two", Estimate(0.5, 0.4, 0.6), [0.4, 0.6]), Bar("one", Estimate(0.2), [0.2])]
    chart = IntervalChart("title", "x", bars, 0, 1)
    two, one = chart.rows
    assert two["interval"] == (chart.x(0.4), chart.x(0.6)) and two["runs"] == list(two["interval"])
    assert one["interval"] is None
    ElementTree.fromstring(TEMPLATES.get_template(chart.template).render(chart=chart))


def test_long_labels_are_cut():
    assert shortened("short") == "short"
    assert len(shortened("x" * 10_000)) == 19


def test_staircase_counts_what_is_greater():
    assert staircase([0, 0, 0.5, 1], 0, 1) == [(0, 0.5), (0.5, 0.5), (0.5, 0.25), (1, 0.25), (1, 0)]
    assert staircase([0.2], 0.0, 1.0) == [(0.0, 1), (0.2, 1), (0.2, 0), (1.0, 0)]
    values = np.random.default_rng(0).normal(size=40).tolist()
    points = dict(staircase(values, min(values), max(values)))  # the last share at every x
    for x, share in points.items():
        assert share == np.mean(np.array(values) > x)


def test_groups_hold_every_task_once():
    records = np.repeat(np.arange(1, 41), 5).astype(float)
    scores = (records < 12).astype(float)
    groups = grouped_means(records, scores)
    assert len(groups) == 10
    assert np.mean([record for record, _ in groups]) == pytest.approx(records.mean())  # groups of equal size
    assert [score for record, score in groups if record < 8] == [1, 1] and groups[-1][1] == 0
    few = grouped_means(np.array([1.0, 5.0, 5.0]), np.array([1.0, 0.0, 1.0]))
    assert few == [(1.0, 1.0), (5.0, 0.5)]


def test_results_of_tasks_agree_with_the_record(entry):
    (result,) = task_results(entry, play_back(entry))
    assert result.name == "A"
    assert result.score == pytest.approx(entry.record.score) == pytest.approx(result.return_)
    assert 0 <= result.success <= 1 and 1 <= result.steps <= 50


def test_some_episodes_are_played_back_as_all_are(entry):
    """The episodes that are chosen by recorded scores alone, against a replay of all."""
    episodes = play_back(entry)
    scores = [episode.score for episode in episodes]
    (best, first), (median, second) = play_back_some(entry)
    assert (best, median) == ("best score", "median score")
    assert first.score == max(scores) and second.score == sorted(scores)[len(scores) // 2]
    for one in (first, second):
        same = episodes[one.run * len(episodes) // 2 + one.index]
        assert (one.score, one.outcome, one.trace.seed) == (same.score, same.outcome, same.trace.seed)


def test_clips_show_each_episode_once_and_small(entry, tmp_path):
    episodes = play_back(entry)
    chosen = choose_episodes(episodes)
    assert chosen[0][1] is episodes[0]
    worst = next(episode for reason, episode in chosen if "worst score" in reason)
    assert worst.score == min(episode.score for episode in episodes)
    assert len({episode.trace.actions.tobytes() for _, episode in chosen}) == len(chosen) <= 4
    (only,) = choose_episodes([episodes[0], episodes[0]])
    assert only[0] == "first episode, median score, worst score"
    written = write_clips("GridWorld-v0", chosen, tmp_path)
    for clip in written:
        assert clip.steps_shown == tuple(range(clip.episode.outcome.steps + 1))
        assert (tmp_path / clip.sheet).stat().st_size < 200_000
    assert len(list(tmp_path.iterdir())) == 2 * len(written)


def test_long_clips_hold_frames_spread_over_the_episode(entry, tmp_path, monkeypatch):
    monkeypatch.setattr(clips, "_MAX_FRAMES", 4)
    episode = max(play_back(entry), key=lambda episode: episode.outcome.steps)
    (clip,) = write_clips("GridWorld-v0", [("long", episode)], tmp_path)
    last = episode.outcome.steps
    assert clip.steps_shown == (0, round(last / 3), round(last * 2 / 3), last) and last > 9
    frames = record_episode("GridWorld-v0", episode.trace.task, episode.trace.seed, episode.trace.actions)
    with Image.open(tmp_path / clip.sheet) as sheet:
        shown = np.asarray(sheet.convert("RGB"))
    for place, step in enumerate(clip.steps_shown):
        row, column = divmod(place, clip.columns)
        cut = shown[row * clip.height : (row + 1) * clip.height, column * clip.width : (column + 1) * clip.width]
        np.testing.assert_array_equal(cut, frames[step])
