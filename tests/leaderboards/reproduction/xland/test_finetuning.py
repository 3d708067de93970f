"""Figure 26: six tasks, each from a policy and from scratch."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.core.benchmarks import BENCHMARKS, EXERCISES, get_benchmark
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.reproduction.drawing import draw_figure
from procgen_bench.leaderboards.reproduction.results import curve_results, write_curves
from procgen_bench.leaderboards.reproduction.sweep import sweep_runs
from procgen_bench.leaderboards.reproduction.xland.learning import FIGURES, FINETUNING_TASKS
from procgen_bench.leaderboards.submission.checks import checked_benchmark
from procgen_bench.leaderboards.sweeps.training import train_cells
from procgen_bench.tasks.xland import load_suite

FIGURE = FIGURES[26]


def test_every_task_is_trained_on_itself_with_its_own_co_player():
    suite = load_suite("hand_authored")
    for (task, co_player), panel in zip(FINETUNING_TASKS.items(), FIGURE.panels, strict=True):
        levels = LevelSource(get_benchmark(panel.benchmark), solvable=True)
        assert levels.draw_plain(np.random.default_rng(0), 3) == [suite[task]] * 3
        assert suite[task].co_players == ((co_player,) if co_player else ())
        finetuned, scratch = panel.curves
        assert finetuned.options == {**scratch.options, "begin_from": "trained"}
        assert scratch.options.get("co_players", "") == co_player
    other = FIGURE.begun_from("runs/mine")
    assert [curve.options.get("begin_from") for curve in other.panels[5].curves] == ["runs/mine", None]


def test_nothing_is_listed_of_an_exercise_or_submitted_to_it():
    assert EXERCISES.keys() == {panel.benchmark for panel in FIGURE.panels} and EXERCISES.keys().isdisjoint(BENCHMARKS)
    for exercise in EXERCISES:
        with pytest.raises(InvalidSubmissionError, match="expected a track: it is an exercise"):
            checked_benchmark(SimpleNamespace(benchmark=exercise))


def write_run(run, returns):
    run.folder.mkdir(parents=True)
    (run.folder / "config.json").write_text(json.dumps({"settings": {}, "finished": True, "command": ""}))
    rows = [f"{100 * place},1.0,{one},0.5" for place, one in enumerate(returns)]
    (run.folder / "curve.csv").write_text("\n".join(["step,seconds,return,success", *rows]) + "\n")


def test_its_numbers_are_returns_before_and_after(tmp_path):
    runs = sweep_runs(FIGURE, tmp_path, [], [], None, None)
    assert len(runs) == 12 and len({run.folder for run in runs}) == 12
    for run in runs:
        write_run(run, [39.0, 77.0] if run.curve.label == "finetuned" else [0.0, 9.0])
    write_curves(FIGURE, runs, tmp_path / "figure.json")
    panels = json.loads((tmp_path / "figure.json").read_text())["panels"]
    assert list(panels) == [task.replace("_", "-") for task in FINETUNING_TASKS]
    for panel in panels.values():
        assert {run["label"]: run["return"] for run in panel["runs"]} == {
            "finetuned": [39.0, 77.0],
            "from scratch": [0.0, 9.0],
        }
    assert {row.label: row.cells["return of each run"] for row in curve_results(FIGURE, runs)} == {
        "finetuned": "77.00",
        "from scratch": "9.00",
    }


@pytest.mark.slow
def test_it_is_trained_and_drawn(tmp_path):
    small = {"num_envs": 4, "rollout_steps": 10, "evaluate_every": 40, "evaluation_episodes": 1}
    panel = FIGURE.panels[0]
    curves = tuple(replace(curve, options={**curve.options, **small}) for curve in panel.curves)
    figure = replace(FIGURE, panels=(replace(panel, curves=curves, steps=80),))
    runs = sweep_runs(figure, tmp_path, [], [], None, None)
    assert train_cells(runs, workers=None) == []
    draw_figure(figure, runs, tmp_path / "figure.png")
    with Image.open(tmp_path / "figure.png") as picture:
        assert len(picture.convert("RGB").getcolors(2**24)) > 50
