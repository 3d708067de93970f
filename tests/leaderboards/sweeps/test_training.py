"""The runs of a sweep: trained once, continued after a kill, and reported where they fail."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from safetensors.numpy import load_file

from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.training.run_folder import RunFolderError
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.sweeps.cell import Cell
from procgen_bench.leaderboards.sweeps.progress import running
from procgen_bench.leaderboards.sweeps.results import result_rows
from procgen_bench.leaderboards.sweeps.sweep_file import read_sweep
from procgen_bench.leaderboards.sweeps.training import train_cells
from tests.engine.process_tree import alive, children, comes_true
from tests.envs.conformance.trajectory import CHECKOUT

SMALL = {"num_envs": 4, "rollout_steps": 8, "width": 8, "minibatches": 1, "epochs": 1, "evaluation_tasks": 2}


def cell(out, seed=0, steps=64, **options):
    return Cell("ppo", "grid-world/graded", SMALL | {"evaluate_every": 32} | options, seed, steps, out)


def test_finished_runs_are_kept_and_a_failing_one_stops_no_other(tmp_path, capsys, monkeypatch):
    logged = []
    begun = SimpleNamespace(log=lambda row, step: logged.append((row["step"], step)), finish=lambda exit_code: None)
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=lambda **settings: begun))
    asked = [cell(tmp_path, teacher="plr", teacher_options="score=guess"), cell(tmp_path), cell(tmp_path, seed=1)]
    (failure,) = train_cells(asked, workers=None, wandb="grids")
    assert logged == 2 * [(0, 0), (32, 32), (64, 64)]
    assert failure.cell.name == "ppo plr grid-world/graded seed 0"
    assert "score is 'guess', expected one of" in failure.reason and "\n" not in failure.reason
    assert "Traceback" in failure.cell.log.read_text()
    assert [one.finished for one in asked] == [False, True, True]
    assert "num_envs 4*" in asked[1].log.read_text(), "a log tells the run's settings"
    shown = capsys.readouterr()
    assert "training runs: 3/3" in shown.err and "3/3" in shown.err and shown.out == ""

    settings = [json.loads((one.folder / "config.json").read_text())["settings"] for one in asked[1:]]
    assert [one["seed"] for one in settings] == [0, 1]

    written = [one.log.stat().st_mtime_ns for one in asked[1:]]
    assert len(train_cells(asked, workers=None)) == 1
    assert written == [one.log.stat().st_mtime_ns for one in asked[1:]]

    guessing, uniform = result_rows(asked)
    assert (guessing.teacher, guessing.asked, guessing.seeds, guessing.outcome) == ("plr", 1, (), None)
    assert (uniform.teacher, uniform.asked, uniform.seeds) == (None, 2, (0, 1))
    assert (uniform.metric, uniform.outcome.steps) == ("success", 64)


def test_defaults_are_those_of_the_environment_as_in_a_run_by_itself(tmp_path):
    configuration = Cell("ppo", "xland/skills", {"epochs": 3}, 0, 64, tmp_path).configuration
    assert (configuration.num_envs, configuration.epochs, configuration.popart_share) == (64, 3, 0.01)


def test_runs_of_other_settings_are_not_mixed_into_a_sweep(tmp_path):
    """A folder's name holds no defaults, and they change: such a run was once one curve with today's."""
    kept, new = cell(tmp_path), cell(tmp_path, seed=1)
    kept.folder.mkdir(parents=True)
    configuration = json.loads(json.dumps(dataclasses.asdict(PPOConfiguration(**kept.options))))
    settings = {"seed": 0, "benchmark_version": get_benchmark(kept.benchmark).version, "configuration": configuration}
    write = (kept.folder / "config.json").write_text

    for device in ("cpu", "cuda"):
        there = settings | {"configuration": configuration | {"device": device}}
        write(json.dumps({"finished": True, "settings": there, "command": ""}))
        kept.check_kept()
    for other in ({"benchmark_version": 0}, {"configuration": configuration | {"learning_rate": 0.25}}):
        write(json.dumps({"finished": True, "settings": settings | other, "command": ""}))
        with pytest.raises(RunFolderError, match=r"seed-0 holds a run with \w+ = (0|0.25), not .*choose another --out"):
            train_cells([new, kept], workers=None)
    assert not new.folder.exists()

    write(json.dumps({"finished": False, "settings": settings | other, "command": ""}))
    kept.check_kept()  # its folder refuses to go on


def test_what_runs_now_is_what_has_begun_and_is_not_over(tmp_path):
    cells = [cell(tmp_path, seed=seed, teacher="plr") for seed in range(7)]
    assert running(cells) == ""
    for one in cells[1:]:
        one.folder.mkdir(parents=True)
        one.log.touch()
    (cells[1].folder / "curve.csv").write_text("step,success\n0,0.5\n1032,0.5\n")
    first, second = running(cells[:3]).split("; ")
    assert first == "ppo plr grid-world/graded seed 1 (1,032 of 64 steps)"
    assert second == "ppo plr grid-world/graded seed 2 (0 of 64 steps)"
    assert running(cells).endswith("seed 4 (0 of 64 steps); 2 more")


@pytest.fixture
def file(tmp_path):
    options = "\n".join(f"{name} = {value}" for name, value in SMALL.items())
    path = tmp_path / "sweep.toml"
    path.write_text(
        'methods = ["ppo"]\nbenchmarks = ["grid-world/graded"]\nseeds = 2\nsteps = 6_000\n'
        f"[options]\nevaluate_every = 1_000\ncheckpoint_every = 1_000\n{options}\n"
    )
    return path


@pytest.mark.slow
def test_a_killed_sweep_goes_on_from_its_checkpoints(file, tmp_path):
    whole, killed = (read_sweep(file).cells(tmp_path / name) for name in ("whole", "killed"))
    command = [sys.executable, "-m", "procgen_bench.cli", "sweep", str(file), "--workers", "2", "--out"]
    begun = subprocess.Popen([*command, str(tmp_path / "killed")], stderr=subprocess.DEVNULL, cwd=CHECKOUT)
    assert comes_true(lambda: any((one.folder / "checkpoint").exists() for one in killed), 120)
    workers = children(begun.pid)
    os.kill(begun.pid, signal.SIGKILL)
    begun.wait()
    assert comes_true(lambda: not any(map(alive, workers)), 60)
    assert not all(one.finished for one in killed)
    for folder in ("killed", "whole"):
        ended = subprocess.run([*command, str(tmp_path / folder)], capture_output=True, text=True, cwd=CHECKOUT)
        assert ended.returncode == 0, ended.stderr
    for one, other in zip(whole, killed, strict=True):
        weights = [load_file(run.folder / "policy" / "weights.safetensors") for run in (one, other)]
        assert all((weights[0][name] == weights[1][name]).all() for name in weights[0])
    results = json.loads((tmp_path / "killed" / "results.json").read_text())
    assert results["results"][0]["seeds"] == [0, 1] and results["failures"] == []
