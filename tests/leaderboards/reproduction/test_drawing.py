"""A figure's picture and its table, from curves that are written by hand."""

import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from procgen_bench import make_task_space
from procgen_bench.baselines.training.task_records import ProposedLevels
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.charts.style import colour
from procgen_bench.leaderboards.reproduction.drawing import _drawn, draw_beside, draw_figure
from procgen_bench.leaderboards.reproduction.results import curve_results, headings, write_curves, write_results
from procgen_bench.leaderboards.sweeps.figure_file import Curve, Panel, PaperFigure
from procgen_bench.leaderboards.sweeps.figure_runs import SweepError, sweep_runs

PANEL = Panel("maze", "point-maze/test", (Curve("A", "ppo"), Curve("B", "dqn")), 100, 3, "A learns & B < A.")
FIGURE = PaperFigure(3, "Two methods", (PANEL,), measures=("success", "distance"))


def write_run(run, successes):
    run.folder.mkdir(parents=True)
    config = {"settings": {}, "finished": True, "command": "", "provenance": {"commit": "a" * 40}}
    (run.folder / "config.json").write_text(json.dumps(config))
    rows = ["step,seconds,success,distance", f"0,1.0,{successes[0]},"]
    rows += [f"{50 * k},{60.0 * k},{success},{9 - k}" for k, success in enumerate(successes[1:], start=1)]
    (run.folder / "curve.csv").write_text("\n".join(rows) + "\n")


@pytest.fixture
def runs(tmp_path):
    runs = sweep_runs(FIGURE, tmp_path, [], [], None, None)
    for run in runs:
        write_run(run, [0.0, 0.4, 0.8 + 0.1 * run.seed] if run.curve.label == "A" else [0.0, 0.0, 0.0])
    return runs


def to_rgb(number):
    """The colour of a series as pixels have it."""
    return tuple(bytes.fromhex(colour(number).removeprefix("#")))


def test_the_picture_is_drawn_whole(runs, tmp_path):
    draw_figure(FIGURE, runs, tmp_path / "figure.png")
    with Image.open(tmp_path / "figure.png") as picture:
        pixels = np.asarray(picture.convert("RGB"))
    colours = {tuple(colour) for colour in pixels.reshape(-1, 3)}
    assert {to_rgb(0), to_rgb(1)} <= colours  # both lines
    assert pixels.shape[0] > pixels.shape[1]  # one panel, two measures


def test_every_line_is_called_once_below_the_panels_and_keeps_its_colour(tmp_path):
    other = Panel("ants", "ant-maze/test", (PANEL.curves[1], Curve("C", "sac")), 100, 1, "C fails.")
    figure = PaperFigure(4, "Two mazes", (PANEL, other), columns=2)
    runs = sweep_runs(figure, tmp_path, [], [], None, None)
    for run in runs:
        write_run(run, [0.0, 0.5, 1.0])
    picture = _drawn(figure, runs)
    assert not any(axes.get_legend() for axes in picture.axes)
    (legend,) = picture.legends
    assert [text.get_text() for text in legend.get_texts()] == ["A (3)", "B (1 to 3)", "C (1)"]
    by_panel = [{line.get_label(): line.get_color() for line in axes.lines} for axes in picture.axes]
    assert by_panel[0]["B"] == by_panel[1]["B"] == colour(1) and by_panel[1]["C"] == colour(2)
    assert "A" not in by_panel[1], "a panel shows its own benchmark's runs only"
    picture.draw_without_rendering()
    lowest = min(axes.get_tightbbox().y0 for axes in picture.axes)
    assert legend.get_window_extent().y1 <= lowest + 1, "it lies upon nothing"


def test_panels_go_on_in_further_rows(runs, tmp_path):
    panels = tuple(Panel(name, "point-maze/test", PANEL.curves, 100, 3, "So.") for name in "vwxyz")
    figure = PaperFigure(3, "Five", panels, measures=("success", "distance"), columns=2)
    picture = _drawn(figure, sweep_runs(figure, tmp_path, [], [], None, None))
    shown = [axes.axison for axes in picture.axes]
    assert len(shown) == 12 and shown == [True] * 9 + [False, True, False]


def test_the_table_tells_the_shortest_run_the_mean_time_and_ends_of_the_benchmarks_range(tmp_path):
    panel = Panel("target", "grid-world/target-c", (Curve("A", "dqn"),), 100, 5, "So it is.")
    figure = PaperFigure(3, "One", (panel,), measures=("return",))
    runs = sweep_runs(figure, tmp_path, [], [], None, None)
    for run, value in zip(runs, (0.966, 0.966, 0.966, -0.05, -0.1), strict=True):
        run.folder.mkdir(parents=True)
        rows = f"step,seconds,return,success\n0,1.0,0,0\n{100 - run.seed},{60 * (run.seed + 1)},{value},1\n"
        (run.folder / "curve.csv").write_text(rows)
    (row,) = curve_results(figure, runs)
    returns, success, each, steps, minutes = row.cells.values()
    assert (success, steps, minutes) == ("1.000", "96", "3.0")
    assert each == "0.97 0.97 0.97 -0.05 -0.10"
    assert returns.startswith("0.550 (") and returns.endswith(f" to {get_benchmark(panel.benchmark).maximum:.3f})")


def test_the_table_stands_beside_the_claim(runs, tmp_path):
    rows = curve_results(FIGURE, runs)
    assert headings(rows) == ["success", "distance", "success of each run", "least steps", "minutes a run"]
    assert [row.label for row in rows] == ["A", "B"]
    assert (*rows[0].cells.values(),) == ("0.900", "7.000", "0.80 0.90 1.00", "100", "2.0")
    made = write_results(FIGURE, runs, tmp_path / "figure.md")
    assert made.rows[0] == ["point-maze/test", "A", "0.900", "7.000", "0.80 0.90 1.00", "100", "2.0"]
    text = (tmp_path / "figure.md").read_text()
    assert "## point-maze/test\n\nThe paper: A learns & B < A.\n" in text
    assert "| A | 0.900 | 7.000 | 0.80 0.90 1.00 | 100 | 2.0 |\n| B | 0.000 |" in text


def test_the_table_says_what_the_last_network_scored_where_an_earlier_one_was_put_back(tmp_path):
    panel = Panel("target", "grid-world/target-c", (Curve("A", "dqn"), Curve("B", "ppo")), 100, 2, "So it is.")
    figure = PaperFigure(3, "One", (panel,), measures=("return",))
    runs = sweep_runs(figure, tmp_path, [], [], None, None)
    for run in runs:
        run.folder.mkdir(parents=True)
        restores = (
            ("", "", "") if run.curve.label == "B" else (",evaluated_return,restored", ",0.5,1", f",0.{run.seed},1")
        )
        rows = ("step,seconds,return,success", "50,1.0,0.9,1", "100,2.0,0.9,1")
        (run.folder / "curve.csv").write_text("".join(f"{row}{more}\n" for row, more in zip(rows, restores)))
    results = curve_results(figure, runs)
    assert [results[0].cells[name] for name in ("return as evaluated", "restores")] == ["0.00 0.10", "2 2"]
    write_results(figure, runs, tmp_path / "figure.md")
    text = (tmp_path / "figure.md").read_text()
    assert "| A | 0.900 | 1.000 | 0.90 0.90 | 0.00 0.10 | 2 2 | 100 |" in text
    assert "| B | 0.900 | 1.000 | 0.90 0.90 |  |  | 100 |" in text, "others have nothing to say there"


def test_a_population_is_compared_at_equal_steps_per_player(runs):
    """A's players have half of the steps each, and are as good after 50 as B's single one after 50."""
    for run in runs:
        rows = ["step,player_step,seconds,success", "0,0,1,0", "50,25,2,0.2", "100,50,3,0.6"]
        if run.curve.label == "B":
            rows = ["step,seconds,success", "0,1,0", "100,3,0.8"]
        (run.folder / "curve.csv").write_text("\n".join(rows) + "\n")
    results = curve_results(FIGURE, runs)
    assert [one.cells.get("of each player") for one in results] == ["50", None]
    assert [one.cells["success"] for one in results] == ["0.600", "0.800"]
    (axes, *_) = _drawn(replace(FIGURE, measures=("success",)), runs).axes
    assert axes.get_xlabel() == "environment steps per player"
    ends = {line.get_label(): line.get_xdata()[-1] for line in axes.lines if not line.get_label().startswith("_")}
    assert ends == {"A": 50, "B": 100}


def test_the_worst_tenth_of_tasks_stands_behind_the_mean_where_all_runs_measured_it(tmp_path):
    panel = Panel("target", "grid-world/graded", (Curve("A", "ppo"), Curve("B", "dqn")), 100, 2, "So it is.")
    figure = PaperFigure(3, "One", (panel,))
    runs = sweep_runs(figure, tmp_path, [], [], None, None)
    for run in runs:
        run.folder.mkdir(parents=True)
        is_old = run.curve.label == "B" and run.seed == 1
        name, value = ("", "") if is_old else (",worst_tenth_success", ",0.25")
        rows = (f"step,seconds,success{name}", f"50,1.0,0.5{value}", f"100,2.0,0.5{value}")
        (run.folder / "curve.csv").write_text("\n".join(rows) + "\n")
    new, mixed = curve_results(figure, runs)
    assert list(new.cells)[:2] == ["success", "worst tenth success"] and new.cells["worst tenth success"] == "0.250"
    assert "worst tenth success" not in mixed.cells
    write_curves(figure, runs, tmp_path / "figure-3.json")
    found = json.loads((tmp_path / "figure-3.json").read_text())["panels"]["target"]["runs"]
    assert [one.get("worst_tenth_success") for one in found] == [[0.25, 0.25]] * 3 + [None]


def test_the_papers_numbers_are_lines_and_what_is_drawn_is_json(runs, tmp_path):
    panel = replace(PANEL, published={"A": 0.45})
    figure = replace(FIGURE, panels=(panel,))
    runs = [replace(run, panel=panel) for run in runs]
    success, distance = _drawn(figure, runs).axes
    assert [text.get_text() for text in success.texts] == ["paper: A"] and not distance.texts
    assert any(set(line.get_ydata()) == {0.45} for line in success.lines)
    *_, last = _drawn(replace(figure, measures=("distance", "success")), runs).axes
    assert last.texts, "whichever row success is in"
    write_curves(figure, runs, tmp_path / "figure-3.json")
    found = json.loads((tmp_path / "figure-3.json").read_text())
    assert found["commits"] == ["a" * 40]
    assert found["title"] == "Figure 3. Two methods" and found["panels"]["maze"]["paper"] == {"A": 0.45}
    first = found["panels"]["maze"]["runs"][0]
    assert (first["label"], first["seed"], first["step"]) == ("A", 0, [0, 50, 100])
    assert first["success"] == [0.0, 0.4, 0.8] and first["distance"] == [None, 8, 7]


def test_panels_of_other_measures_lie_behind_and_show_what_lies_in_their_runs(runs, tmp_path):
    other = Panel("model", "point-maze/test", (Curve("C", "sac"),), 100, 1, "It fits.")
    other = replace(other, measures=("agreement",), within="model", against="epochs")
    figure = replace(FIGURE, panels=(PANEL, other))
    (run,) = sweep_runs(figure, tmp_path, ["model"], [], None, None)
    (run.folder / "model").mkdir(parents=True)
    (run.folder / "model" / "curve.csv").write_text("step,seconds,agreement\n1,1.0,0.5\n9,2.0,0.75\n")
    axes = _drawn(figure, [*runs, run]).axes
    assert [one.get_ylabel() for one in axes] == ["success, share of episodes", "distance to goal", "agreement"]
    assert [one.get_xlabel() for one in axes] == ["", "environment steps", "epochs"]
    assert axes[2].lines[0].get_ydata()[-1] == 0.75
    write_curves(figure, [*runs, run], tmp_path / "figure.json")
    found = json.loads((tmp_path / "figure.json").read_text())["panels"]["model"]
    assert found["steps"] == "epochs" and found["runs"][0]["agreement"] == [0.5, 0.75]
    write_results(figure, [*runs, run], tmp_path / "figure.md")
    assert "| C |  |  | 0.750 |" in (tmp_path / "figure.md").read_text()


def test_levels_are_drawn_of_the_runs_that_noted_them_and_of_none_is_one_line(tmp_path):
    panels = tuple(Panel(n, f"grid-world/target-{n}", (Curve("A", "dqn"),), 100, 2, "So.") for n in "ab")
    figure = PaperFigure(6, "Levels", panels, shows="levels")
    runs = sweep_runs(figure, tmp_path, [], [], None, None)
    with pytest.raises(SweepError, match=r"no levels\.jsonl, from which the figure is drawn, lies in .* and 1 more;"):
        draw_figure(figure, runs, tmp_path / "figure.png")
    noted = runs[1].folder
    noted.mkdir(parents=True)
    ProposedLevels(noted, make_task_space("GridWorld-v0")).add(
        50, [get_benchmark("grid-world/target-a").task_suite()["A"]]
    )
    assert {run.folder for run in draw_figure(figure, runs, tmp_path / "figure.png")} == {noted}
    with Image.open(tmp_path / "figure.png") as picture:
        picture.verify()


def test_beside_the_levels_curves_are_drawn_of_the_panels_that_have_them(tmp_path):
    panels = tuple(Panel(n, f"grid-world/target-{n}", (Curve("A", "dqn"),), 100, 1, "So.") for n in "ab")
    figure = PaperFigure(6, "Levels", panels, shows="levels", beside=("teacher_key_share", "teacher_kept_walls"))
    runs = sweep_runs(figure, tmp_path, [], [], None, None)
    for run in runs:
        write_run(run, [0.0, 0.5, 1.0])
    assert draw_beside(figure, runs, tmp_path / "figure.png") is None
    rows = ["step,seconds,success,teacher_key_share,teacher_kept_walls", "0,1,0,0,0.25", "50,2,0,0.5,0.75"]
    (runs[1].folder / "curve.csv").write_text("\n".join(rows) + "\n")
    assert draw_beside(figure, runs, tmp_path / "figure.png") == tmp_path / "figure-curves.png"
    with Image.open(tmp_path / "figure-curves.png") as picture:
        assert picture.height > picture.width, "two measures of one panel"
    cells = curve_results(figure, runs[1:])[0].cells
    assert (cells["teacher key share"], cells["teacher kept walls"]) == ("0.500", "0.750")
