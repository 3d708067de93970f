"""A figure's runs: what they are called, that they are trained once, and that a failure is reported."""

import dataclasses

import pytest

from procgen_bench.leaderboards.sweeps.figure_file import Curve, Panel, PaperFigure
from procgen_bench.leaderboards.sweeps.figure_runs import SweepError, check_trained, runs_of, shown_runs, sweep_runs
from procgen_bench.leaderboards.sweeps.training import train_cells

SMALL = {"rollouts": 4, "evaluate_every": 200, "evaluation_tasks": 2}
PANEL = Panel(
    name="corridor",
    benchmark="point-maze/corridor-2",
    curves=(Curve("SR", "sibling-rivalry", SMALL), Curve("SR, own", "sibling-rivalry", SMALL | {"own_starts": True})),
    steps=600,
    seeds=2,
    claim="Solved.",
)
FIGURE = PaperFigure(1, "A corridor", (PANEL,), measures=("success", "distance"))


def test_first_seeds_come_first_and_every_run_has_its_folder(tmp_path):
    runs = sweep_runs(FIGURE, tmp_path, [], [], None, None)
    assert [run.seed for run in runs] == [0, 0, 1, 1]
    assert [str(run.folder.relative_to(tmp_path)) for run in runs] == [
        f"point-maze-corridor-2/sibling-rivalry-rollouts-4-evaluate-every-200-evaluation-tasks-2{rest}"
        for rest in ("/600/seed-0", "-own-starts-true/600/seed-0", "/600/seed-1", "-own-starts-true/600/seed-1")
    ]
    (run,) = sweep_runs(FIGURE, tmp_path, ["corridor"], ["SR, own"], 1, 50)
    assert run.steps == 50
    assert (run.method, run.benchmark) == ("sibling-rivalry", "point-maze/corridor-2")
    assert run.options == SMALL | {"own_starts": True}


def test_players_that_share_a_run_have_the_panels_steps_each(tmp_path):
    curves = (Curve("alone", "ppo"), Curve("pair", "ppo", {"teacher": "code"}, players=2))
    figure = PaperFigure(1, "Rooms", (Panel("rooms", "cminigrid/test", curves, 600, 1, "Solved."),))
    assert [run.steps for run in sweep_runs(figure, tmp_path, [], [], None, None)] == [600, 1200]
    assert [run.steps for run in sweep_runs(figure, tmp_path, [], [], None, 50)] == [50, 100]


def test_names_that_the_figure_lacks_are_refused(tmp_path):
    with pytest.raises(SweepError, match=r"no panel 'ant', expected one of \['corridor'\]"):
        sweep_runs(FIGURE, tmp_path, ["ant"], [], None, None)
    with pytest.raises(SweepError, match=r"no curve 'PPO', expected one of \['SR', 'SR, own'\]"):
        sweep_runs(FIGURE, tmp_path, [], ["PPO"], None, None)


def test_optional_panels_are_run_by_name_or_once_run(tmp_path):
    first, other = (Panel(name, "grid-world/target-a", (Curve(name, "dqn"),), 10, 1, "So it is.") for name in "ab")
    figure = PaperFigure(3, "Two", (first, dataclasses.replace(other, optional=True)))

    def names(panels=(), labels=()):
        return [run.panel.name for run in sweep_runs(figure, tmp_path, panels, labels, None, None)]

    assert (names(), names(panels=["b"]), names(labels=["b"])) == (["a"], ["b"], ["b"])
    (run,) = sweep_runs(figure, tmp_path, ["b"], [], None, None)
    run.folder.mkdir(parents=True)
    (run.folder / "config.json").write_text('{"settings": {}, "finished": true, "command": ""}')
    assert names() == ["a", "b"]


def test_runs_of_a_seed_come_in_the_order_of_the_names_and_optional_curves_by_name_or_once_run(tmp_path):
    curves = (Curve("A", "ppo"), Curve("B", "dqn", optional=True), Curve("C", "a2c"))
    panels = tuple(Panel(name, "grid-world/target-a", curves, 10, 2, "So it is.") for name in ("x", "y"))

    def asked(*words):
        runs = sweep_runs(PaperFigure(1, "Two", panels), tmp_path, *words, None, None)
        return [f"{run.panel.name}{run.curve.label}{run.seed}" for run in runs]

    assert asked([], []) == ["xA0", "xC0", "yA0", "yC0", "xA1", "xC1", "yA1", "yC1"]
    assert asked(["y", "x"], ["C", "B"]) == ["yC0", "yB0", "xC0", "xB0", "yC1", "yB1", "xC1", "xB1"]
    _, begun, *_, done = sweep_runs(PaperFigure(1, "Two", panels), tmp_path, ["x"], ["C", "B"], None, None)
    for run, finished in ((begun, "false"), (done, "true")):
        run.folder.mkdir(parents=True)
        (run.folder / "config.json").write_text(f'{{"settings": {{}}, "finished": {finished}, "command": ""}}')
    assert asked(["x"], []) == ["xA0", "xC0", "xA1", "xB1", "xC1"]


def test_a_curve_is_read_from_its_finished_runs_or_by_those_that_have_begun(tmp_path):
    runs = sweep_runs(FIGURE, tmp_path, [], [], None, None)
    assert shown_runs(runs) == []
    for run, finished in zip(runs, ("true", "false", "false", "false"), strict=True):
        run.folder.mkdir(parents=True)
        (run.folder / "config.json").write_text(f'{{"settings": {{}}, "finished": {finished}, "command": ""}}')
        (run.folder / "curve.csv").write_text("step,success\n0,0.5\n")
    assert shown_runs(runs) == [runs[0], runs[1], runs[3]]
    assert runs_of(runs, PANEL, "SR, own") == [runs[1], runs[3]]


@pytest.mark.slow
def test_runs_are_trained_once_and_failures_are_reported(tmp_path):
    runs = sweep_runs(FIGURE, tmp_path, [], ["SR, own"], 1, None)
    check_trained(train_cells(runs, workers=1), runs)
    assert runs[0].finished
    curve = runs[0].read_curve()
    assert 500 < curve[-1]["step"] <= 600
    assert {"success", "distance", "sibling_distance", "included", "training_success"} <= curve[-1].keys()
    written = (runs[0].folder / "curve.csv").stat().st_mtime_ns
    assert train_cells(runs, workers=1) == []
    assert (runs[0].folder / "curve.csv").stat().st_mtime_ns == written

    other = sweep_runs(FIGURE, tmp_path / "blocked", [], ["SR, own"], 1, None)
    other[0].folder.mkdir(parents=True)
    (other[0].folder / "letter.txt").write_text("not a run")
    with pytest.raises(SweepError, match=r"1 of 1 runs failed; the first one's output is in .*seed-0\.log"):
        check_trained(train_cells(other, workers=None), other)
    assert "holds no run" in other[0].folder.with_suffix(".log").read_text()


@pytest.mark.slow
def test_a_run_does_not_depend_on_those_before_it_in_its_worker(tmp_path):
    runs = sweep_runs(FIGURE, tmp_path / "together", [], [], 1, None)
    train_cells(runs, workers=1)
    (alone,) = sweep_runs(FIGURE, tmp_path / "alone", [], [runs[1].curve.label], 1, None)  # in a worker of its own
    train_cells([alone], workers=1)
    assert len(runs) == 2 and without_times(alone.read_curve()) == without_times(runs[1].read_curve())
    weights = [run.folder / "policy" / "weights.safetensors" for run in (alone, runs[1])]
    assert weights[0].read_bytes() == weights[1].read_bytes()


def without_times(curve: list[dict[str, float]]) -> list[dict[str, float]]:
    return [{name: value for name, value in row.items() if name != "seconds"} for row in curve]
