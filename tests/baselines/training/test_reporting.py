"""Where a learning curve is logged: TensorBoard, and Weights & Biases (a stand-in; the slow test takes the package).

Measures of the curve: means since the last evaluation, and of episodes that were learned from alone.

The student as its teacher probes it: every step is charged, and none is taken beyond the run's.

Policies that a run keeps of its evaluations, and who takes them all from its folder.
"""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.contracts import FinishedEpisodes
from procgen_bench.baselines.training.player_evaluations import MeanMeasures, summary_of
from procgen_bench.baselines.training.reporting import TensorBoard, WeightsAndBiases, reporting_to
from procgen_bench.baselines.training.run_folder import RunFolder, curve_of
from procgen_bench.baselines.training.student_handle import StudentHandle
from procgen_bench.cli import main
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import MissingExtraError
from procgen_bench.leaderboards.reproduction.measured import _kept_policies
from procgen_bench.testing.runs import Run

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


def test_measures_are_means_since_they_were_last_taken():
    means = MeanMeasures()
    means.add({"loss": 1.0})
    means.add({"loss": 3.0, "beta": 5.0})
    assert means.take() == {"loss": 2.0, "beta": 5.0}
    means.add({"beta": 7.0})
    taken = means.take()
    assert taken["beta"] == 7.0 and np.isnan(taken["loss"])


def test_probes_are_no_part_of_what_training_returns():
    unknown, learned = np.full(3, np.nan, np.float32), np.array([True, False, True])
    success, lengths = np.array([True, True, False]), np.array([4, 50, 8])
    returns = np.array([1.0, 9.0, -0.5])
    played = FinishedEpisodes(
        np.arange(3), np.zeros(3, np.int16), learned, returns, success, lengths, unknown, unknown, unknown
    )
    assert summary_of(played) == {"training_return": 0.25, "training_success": 0.5, "training_length": 6.0}
    assert summary_of(played.of(~learned)) == {}


@pytest.mark.parametrize(("steps", "levels"), [(1_000, [0, 0, 1, 1, 2, 2]), (100 + 3 * 50 + 49, [0, 0, 1]), (100, [])])
def test_probes_are_charged_and_cut_to_the_steps_that_suffice(steps, levels):
    benchmark, policy = get_benchmark("grid-world/graded"), load_policy("constant", "GridWorld-v0")
    rows, run = SimpleNamespace(steps=100), SimpleNamespace(benchmark=benchmark, steps=steps)
    player = SimpleNamespace(current_policy=lambda: policy)
    student = StudentHandle({"student": player}, rows, run)
    played = student.evaluate(benchmark.task_suite().tasks[:3], 2)
    assert played.level.tolist() == levels and not played.train.any()
    assert student.steps_used == rows.steps == 100 + played.length.sum() <= steps
    assert (played.length > 0).all()


def test_a_run_keeps_the_policy_of_every_evaluation_where_it_is_asked_to(tmp_path):
    for kept in (True, False):
        run = Run.small(METHODS["ppo"], get_benchmark("grid-world/graded"), 320, {"keep_policies": kept})
        found = run.train(tmp_path / f"{kept}", 0, noise=0)
        policies = _kept_policies(str(found.path))
        if not kept:
            assert policies == [str(found.path)]
            continue
        steps = [int(row["step"]) for row in curve_of(found.path)]
        assert policies == [str(found.path / "policies" / str(step)) for step in steps] and len(steps) > 2
        first, last, newest = (
            PolicyFolder.read(path) for path in map(found.path.joinpath, (policies[0], policies[-1], "policy"))
        )
        assert last.hash() == newest.hash() != first.hash()
        assert not np.array_equal(first.weights["critic.weight"], last.weights["critic.weight"])
        assert [PolicyFolder.read(found.path / one).configuration["training_steps"] for one in policies] == steps
