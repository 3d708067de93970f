"""``runs`` and ``plot``: runs that are written by hand are listed and drawn."""

import csv
import io
import json
import shutil

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from procgen_bench import make_task_space
from procgen_bench.baselines.methods.dqn_settings import DQNConfiguration
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.run_records import find_runs
from procgen_bench.baselines.training.task_records import ProposedLevels
from procgen_bench.cli import runs
from procgen_bench.cli.tables import print_table
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.charts.style import colour


def write_run(path, seed, finished=True, method="ppo", configuration=None, evaluations=3):
    configuration = configuration or PPOConfiguration(teacher="plr")
    run = RunFolder(path, method, get_benchmark("grid-world/graded"), configuration, seed, steps=200).open()
    rows = [
        {"step": 100 * k, "seconds": 2.5 * k, "return": 0.1 * k - 1, "success": 0.2 * k, "teacher_score": 1.0 * seed}
        for k in range(evaluations)
    ]
    if rows:
        run.write_curve(rows)
    if finished:
        run.finish()
    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two finished runs that differ in the seed, one that can be resumed, one that has not got anywhere."""
    tmp_path = tmp_path_factory.mktemp("trained")
    (tmp_path / "empty").mkdir()
    for seed in (0, 1):
        write_run(tmp_path / "runs" / f"plr-{seed}", seed)
    begun = write_run(tmp_path / "runs" / "begun", 2, finished=False, configuration=PPOConfiguration(), evaluations=2)
    begun.write_checkpoint({"a": np.zeros(1)}, {})
    write_run(tmp_path / "runs" / "dqn", 0, False, "dqn", DQNConfiguration(), evaluations=0)
    (tmp_path / "runs" / "config.json").write_text('{"another": "program"}')
    return tmp_path / "runs"


def test_runs_are_listed_with_how_far_they_are(run, folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    code, out, err = run("runs")
    assert (code, err) == (0, "")
    cells = [line.split() for line in out.splitlines() if "grid-world/graded" in line]
    graded, begun, done = "grid-world/graded", ["2", "100", "200", "0.200", "-0.900", "2"], ["200", "200", "0.400"]
    assert cells == [
        ["ppo", "uniform", graded, *begun, "resumable", "begun"],
        ["dqn", *cells[1][1:2], graded, "0", "0", "200", "0", "begun", "dqn"],
        ["ppo", "plr", graded, "0", *done, "-0.800", "5", "finished", "plr-0"],
        ["ppo", "plr", graded, "1", *done, "-0.800", "5", "finished", "plr-1"],
    ]


@pytest.mark.parametrize("columns", [80, 130])
def test_no_number_is_cut_off_on_a_narrow_terminal(folder, columns):
    records, _ = find_runs(folder.parent)
    written = io.StringIO()
    console = Console(file=written, width=columns, force_terminal=True, color_system=None, highlight=False)
    print_table(runs._columns(records, folder.parent), console=console)
    shown = written.getvalue()
    assert "…" not in shown
    if columns == 130:
        assert max(map(len, shown.splitlines())) <= columns
    assert "-0.800" in shown and "runs/plr-0" in shown


def test_a_file_has_room_for_the_whole_table(run, folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    _, out, _ = run("runs", folder)
    assert [line.split()[-2:] for line in out.splitlines() if "-0.800" in line] == [
        ["finished", "plr-0"],
        ["finished", "plr-1"],
    ]


def test_runs_are_reported_as_json(run, folder):
    code, out, _ = run("runs", folder, "--json")
    entries = {entry["folder"].rpartition("/")[2]: entry for entry in json.loads(out)}
    assert code == 0 and sorted(entries) == ["begun", "dqn", "plr-0", "plr-1"]
    assert entries["begun"] | {"folder": ""} == {
        "folder": "",
        "method": "ppo",
        "teacher": "uniform",
        "benchmark": "grid-world/graded",
        "seed": 2,
        "steps": 100,
        "steps_asked": 200,
        "success": 0.2,
        "return": -0.9,
        "seconds": 2.5,
        "state": "resumable",
        "command": f"procgen-bench train ppo grid-world/graded --seed 2 --steps 200 --out {folder / 'begun'}",
    }
    assert entries["dqn"]["success"] is None and entries["dqn"]["state"] == "begun"


def test_runs_are_reported_as_csv(run, folder):
    code, out, _ = run("runs", folder, "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    told = json.loads(run("runs", folder, "--json")[1])
    assert code == 0 and [row["command"] for row in rows] == [entry["command"] for entry in told]


def test_damaged_runs_are_reported_beside_the_others(run, folder, tmp_path):
    shutil.copytree(folder, tmp_path / "runs")
    broken = [tmp_path / "runs" / "plr-0" / "config.json", tmp_path / "runs" / "plr-1" / "curve.csv"]
    broken[0].write_text('{"settings": ')
    broken[1].write_text("step,success\n0,none\n")
    code, out, err = run("runs", tmp_path / "runs", "--json")
    assert code == 0 and {entry["folder"].rpartition("/")[2] for entry in json.loads(out)} == {"begun", "dqn"}
    assert [line.partition(" (")[0] for line in err.splitlines()] == [f"warning: {path} is damaged" for path in broken]
    code, out, err = run("plot", tmp_path / "runs" / "plr-0")
    assert (code, out) == (2, "") and err.startswith(f"error: {broken[0]} is damaged (") and err.count("\n") == 1


def colours(path):
    with Image.open(path) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    return {f"#{bytes(pixel).hex()}" for pixel in np.unique(pixels.reshape(-1, 3), axis=0)}, pixels.shape[:2]


def test_curves_are_drawn_with_a_line_for_every_group(run, folder, tmp_path):
    code, out, err = run("plot", folder, "-o", tmp_path / "curves.png")
    assert (code, err) == (0, "") and out == f"wrote {tmp_path / 'curves.png'}\n"
    shown, (height, width) = colours(tmp_path / "curves.png")
    assert {colour(0), colour(1)} <= shown and colour(2) not in shown
    assert run("plot", folder, "--teacher", "-o", tmp_path / "teachers.png")[0] == 0
    more, same = colours(tmp_path / "teachers.png")[1]
    assert more > 1.8 * height and same == width  # success, and what the teacher tells, above one legend


def test_labels_and_axes_are_named(run, folder, tmp_path):
    words = ["plot", folder / "plr-0", folder / "plr-1", "--x", "seconds", "--measure", "return"]
    assert run(*words, "-o", tmp_path / "curves.svg")[0] == 0
    text = (tmp_path / "curves.svg").read_text()
    assert all(words in text for words in ("ppo, plr (2)", "seconds of training", "grid-world/graded", ">return<"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["runs", "nowhere"], "error: there are no runs: nowhere is no folder; `procgen-bench train"),
        (["runs", "empty"], "error: there are no runs in empty; `procgen-bench train"),
        (["plot", "runs", "--measure", "novelty"], "--measure is 'novelty', expected a column of the curves: step,"),
        (["plot", "runs", "-o", "curves.pdf"], "the picture's name is 'curves.pdf', expected one that ends in .png"),
        (["plot", "runs/dqn"], "no run there has been evaluated twice"),
        (["plot", "runs", "--x", "hours"], "Invalid value for '--x'"),
    ],
)
def test_bad_input_is_one_line(run, folder, monkeypatch, words, message):
    monkeypatch.chdir(folder.parent)
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and message in err and err.count("\n") == 1


def test_levels_are_drawn_of_runs_that_noted_them(run, folder, tmp_path):
    code, _, err = run("plot", folder, "--levels", "-o", tmp_path / "levels.png")
    assert code == 2 and "no run there has noted what its teacher proposed" in err
    space = make_task_space("GridWorld-v0")
    tasks = space.draw_solvable(np.random.default_rng(0), 3)
    ProposedLevels(folder / "plr-1", space).add(100, tasks)
    code, out, _ = run("plot", folder, "--levels", "-o", tmp_path / "levels.png")
    assert code == 0 and out == f"wrote {tmp_path / 'levels.png'}\n"
    with Image.open(tmp_path / "levels.png") as picture:
        assert picture.height > 300, "three levels below each other"
