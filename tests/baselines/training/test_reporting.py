"""Where a learning curve is logged: TensorBoard, and Weights & Biases (a stand-in; the slow test takes the package)."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.training.reporting import TensorBoard, WeightsAndBiases, reporting_to
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.cli import main
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import MissingExtraError

ROWS = [{"step": step, "seconds": step / 2, "success": step / 100} for step in (0, 10, 20)]


def make_run(path):
    return RunFolder(
        path, "ppo", get_benchmark("grid-world/graded"), PPOConfiguration(num_envs=8), seed=3, steps=20
    ).open()


def write(run, rows):
    for count in range(1, len(rows) + 1):
        run.write_curve(rows[:count])


class Project:
    """A stand-in for the module wandb that records what is logged."""

    def __init__(self):
        self.begun, self.logged, self.ended = [], [], []

    def init(self, **settings):
        self.begun.append(settings)
        return SimpleNamespace(log=lambda row, step: self.logged.append((step, row)), finish=self._finish)

    def _finish(self, exit_code):
        self.ended.append(exit_code)


@pytest.fixture
def project(monkeypatch):
    project = Project()
    monkeypatch.setitem(sys.modules, "wandb", project)
    return project


def test_tensorboard_has_every_column_at_its_step(tmp_path):
    with reporting_to(TensorBoard(tmp_path / "tensorboard")):
        write(make_run(tmp_path / "run"), ROWS)
    scalars = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    assert [(one.step, round(one.value, 6)) for one in scalars.Scalars("training/success")] == [
        (0, 0.0),
        (10, 0.1),
        (20, 0.2),
    ]
    assert sorted(scalars.Tags()["scalars"]) == ["training/seconds", "training/step", "training/success"]


def test_a_project_has_the_settings_and_the_curve_of_every_run(project, tmp_path):
    with reporting_to(WeightsAndBiases("grids")):
        run = make_run(tmp_path / "run")
        write(run, ROWS[:2])
    (begun,) = project.begun
    assert begun["project"] == "grids" and begun["name"] == "ppo grid-world/graded seed 3"
    assert begun["config"] == run.settings and begun["config"]["configuration"]["num_envs"] == 8
    assert project.logged == [(0, ROWS[0]), (10, ROWS[1])] and project.ended == [0]

    with reporting_to(WeightsAndBiases("grids")):  # resumed
        make_run(tmp_path / "run").write_curve(ROWS)
        make_run(tmp_path / "other").write_curve(ROWS[:1])
    ids = [settings["id"] for settings in project.begun]
    assert ids[1] == ids[0] != ids[2] and {settings["resume"] for settings in project.begun} == {"allow"}
    assert project.logged[2:] == [(20, ROWS[2]), (0, ROWS[0])] and project.ended == [0, 0, 0]
    write(run, ROWS)
    assert len(project.logged) == 4, "nothing is logged outside"


def test_a_run_that_fails_is_logged_as_failed(project, tmp_path):
    with pytest.raises(KeyboardInterrupt), reporting_to(WeightsAndBiases("grids")):
        write(make_run(tmp_path / "run"), ROWS)
        raise KeyboardInterrupt
    assert project.ended == [1]


def test_a_missing_package_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'procgen-bench\[wandb\]'"):
        WeightsAndBiases("grids")


def test_training_asks_for_the_package_before_it_begins(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(SystemExit) as stopped:
        main(["train", "ppo", "grid-world/graded", "--wandb", "grids", "--out", str(tmp_path / "run")])
    assert stopped.value.code == 2 and "pip install 'procgen-bench[wandb]'" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


REPORTS = """
import sys
from pathlib import Path
from tests.baselines.training.test_reporting import ROWS, make_run, write
from procgen_bench.baselines.training.reporting import WeightsAndBiases, reporting_to
with reporting_to(WeightsAndBiases("grids")):
    write(make_run(Path(sys.argv[1])), ROWS)
"""


@pytest.mark.slow
def test_the_package_itself_takes_it_offline(tmp_path):
    pytest.importorskip("wandb", reason="the extra wandb is not installed")
    ended = subprocess.run(
        [sys.executable, "-c", REPORTS, str(tmp_path / "run")],
        env=os.environ | {"WANDB_MODE": "offline"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    identity = (tmp_path / "run" / "wandb" / "id").read_text()
    (kept,) = (tmp_path / "run" / "wandb").glob(f"offline-run-*-{identity}/run-{identity}.wandb")
    content = kept.read_bytes()
    assert json.dumps("success").strip('"').encode() in content and b"grid-world/graded" in content
