"""Figure 26, finetuning: a run of each kind, and its benchmarks are exercises."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from PIL import Image

from procgen_bench.core.benchmarks import EXERCISES
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.reproduction.drawing import draw_figure
from procgen_bench.leaderboards.submission.checks import checked_benchmark
from procgen_bench.leaderboards.sweeps.figure_file import read_figure
from procgen_bench.leaderboards.sweeps.figure_runs import sweep_runs
from procgen_bench.leaderboards.sweeps.training import train_cells


@pytest.mark.parametrize("exercise", EXERCISES)
def test_nothing_is_submitted_to_an_exercise(exercise):
    with pytest.raises(InvalidSubmissionError, match="expected a track: it is an exercise"):
        checked_benchmark(SimpleNamespace(benchmark=exercise))


@pytest.mark.slow
def test_it_is_trained_and_drawn(tmp_path):
    small = {"num_envs": 4, "rollout_steps": 10, "evaluate_every": 40, "evaluation_episodes": 1}
    panel, *_ = read_figure("xland", 26).panels
    curves = tuple(replace(curve, options={**curve.options, **small}) for curve in panel.curves)
    figure = replace(read_figure("xland", 26), panels=(replace(panel, curves=curves, steps=80),))
    runs = sweep_runs(figure, tmp_path, [], [], None, None)
    assert train_cells(runs, workers=None) == []
    draw_figure(figure, runs, tmp_path / "figure.png")
    with Image.open(tmp_path / "figure.png") as picture:
        assert len(picture.convert("RGB").getcolors(2**24)) > 50
