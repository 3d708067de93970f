"""A figure's picture, from curves that are written by hand."""

import json

import numpy as np
import pytest
from PIL import Image

from procgen_bench.leaderboards.charts.style import colour
from procgen_bench.leaderboards.reproduction.drawing import draw_figure
from procgen_bench.leaderboards.reproduction.paper_figures import Curve, Panel, PaperFigure
from procgen_bench.leaderboards.reproduction.sweep import sweep_runs

PANEL = Panel("maze", "point-maze/test", (Curve("A", "ppo"), Curve("B", "dqn")), 100, 3, "A learns & B < A.")
FIGURE = PaperFigure(3, "Two methods", (PANEL,), measures=("success", "distance"))


def write_run(run, successes):
    run.folder.mkdir(parents=True)
    (run.folder / "config.json").write_text(json.dumps({"finished": True}))
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
