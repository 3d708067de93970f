"""``sweep``: from a file to a table, results that say what made them, and a picture."""

import csv
import json
import sys

import pytest
from PIL import Image

SWEEP = """
methods = ["ppo"]
benchmarks = ["grid-world/graded"]
teachers = ["plr", "robust-plr"]
steps = 64
[options]
num_envs = 4
rollout_steps = 8
width = 8
minibatches = 1
epochs = 1
evaluation_tasks = 2
evaluate_every = 32
[teacher_options.robust-plr]
slots = 3
pages = 99
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to work in; runs are trained in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("procgen_bench.cli.sweep.workers_of", lambda number, ray: None)
    return tmp_path


def test_results_are_reported_and_written_and_failures_at_the_end(run, here, monkeypatch):
    (here / "small.toml").write_text(SWEEP)
    monkeypatch.setattr(sys, "argv", ["procgen-bench", "sweep", "small.toml"])
    code, out, err = run("sweep", "small.toml")
    assert code == 1
    assert "1 of 2 runs failed; the same command tries them again:" in err
    assert "  ppo robust-plr grid-world/graded seed 0: " in err and "designs of GridWorld-v0 have no pages" in err
    rows = {line.split()[2]: line.split() for line in out.splitlines() if "grid-world/graded" in line}
    assert "success" in out and rows["plr"][5:7] == ["1", "64"]
    assert "worst tenth" in out and 0 <= float(rows["plr"][4]) <= float(rows["plr"][3]) <= 1
    assert rows["robust-plr"][3:] == ["0", "of", "1"]

    results = json.loads((here / "runs/small/results.json").read_text())
    assert results["command"] == "procgen-bench sweep small.toml"
    assert {"commit", "versions", "hardware"} <= results.keys()
    assert [row["teacher"] for row in results["results"]] == ["plr", "robust-plr"]
    assert results["results"][0]["mean"] == results["results"][0]["scores"][0]
    assert results["failures"][0]["run"] == "ppo robust-plr grid-world/graded seed 0"
    with (here / "runs/small/results.csv").open() as file:
        table = list(csv.DictReader(file))
    assert table[0]["seeds"] == "0" and table[1]["mean"] == "" and table[0]["command"] == results["command"]
    (curve,) = (here / "runs/small").rglob("curve.csv")
    assert "teacher_buffer_filled" in curve.read_text(), "the teacher's statistics have names of their own"
    with Image.open(here / "runs/small/curves.png") as picture:
        picture.verify()


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        (SWEEP.replace("ppo", "pppo"), [], "small.toml: methods: unknown method 'pppo'; did you mean 'ppo'"),
        (SWEEP.replace("64", "'many'"), [], "small.toml: steps is 'many', expected an integer of at least 1"),
        (SWEEP, ["--wandb", "grids"], "pip install 'procgen-bench[wandb]'"),
    ],
)
def test_bad_input_is_one_line_and_trains_nothing(run, here, monkeypatch, text, words, message):
    monkeypatch.setitem(sys.modules, "wandb", None)
    (here / "small.toml").write_text(text)
    code, out, err = run("sweep", "small.toml", *words)
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and message in err and err.count("\n") == 1
    assert [path.name for path in here.iterdir()] == ["small.toml"]
