"""The example's own method and teacher: found by their entry points, conforming, trained, exported and evaluated."""

import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.parts.space_features import SpaceFeatures, dense_layers
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.teacher_table import TEACHERS
from procgen_bench.cli import main
from procgen_bench.core import plugins
from procgen_bench.testing import check_learner, check_teacher
from tests.baselines.training.toys import Pairs

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_method"
DECLARED = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]


def entry_points_file() -> str:
    """As an installer writes it."""
    groups = DECLARED["entry-points"].items()
    return "\n".join(
        f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in own.items()) for name, own in groups
    )


@pytest.fixture(autouse=True)
def installed(tmp_path, monkeypatch):
    """The package is there, as pip would have put it."""
    metadata = tmp_path / "site" / "own_method-0.1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: own-method\nVersion: 0.1.0\n")
    (metadata / "entry_points.txt").write_text(entry_points_file())
    for path in (tmp_path / "site", EXAMPLE):
        monkeypatch.syspath_prepend(path)
    monkeypatch.chdir(tmp_path)
    plugins._plugins.cache_clear()
    yield
    plugins._plugins.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "own_method"]:
        del sys.modules[name]


def call(*words) -> None:
    """The command line in this process."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    assert not ended.value.code


def test_both_are_in_the_tables():
    assert METHODS["own-reinforce"].trainable and "own-retry" in TEACHERS
    assert TEACHERS["own-retry"].configured("share=0.7,most=50").most == 50


def test_they_conform():
    check_learner("own-reinforce", "grid-world/target-a", {"teacher": "own-retry"})
    check_teacher("own-retry")
    check_teacher("own-retry", options="most=3,share=0.9")


@pytest.mark.slow
@pytest.mark.parametrize("benchmark_id", ["point-maze/corridor-2", "bit-grid/test"])
def test_other_actions_and_observations_conform(benchmark_id):
    check_learner("own-reinforce", benchmark_id, {"num_envs": 2, "rollout_steps": 60}, steps=1_000)


@pytest.mark.slow
def test_it_is_trained_exported_and_evaluated_by_the_command_line(tmp_path):
    run, submission = tmp_path / "run", tmp_path / "submission"
    small = ("--num-envs", 8, "--rollout-steps", 50, "--steps", 1_200, "--evaluate-every", 400)
    words = ("--teacher", "own-retry", "--teacher-options", "share=0.7", *small, "--evaluation-episodes", 2)
    call("train", "own-reinforce", "grid-world/target-a", *words, "--out", run)
    settings = json.loads((run / "config.json").read_text())
    assert settings["finished"] and settings["settings"]["configuration"]["teacher"] == "own-retry"
    curve = (run / "curve.csv").read_text().splitlines()
    assert len(curve) == 5 and "policy_loss" in curve[0] and "baseline" in curve[0]
    call("export", run)
    call("evaluate", "grid-world/target-a", "--policy", run / "policy.onnx", "-o", submission)
    assert json.loads((submission / "submission.json").read_text())["benchmark"] == "grid-world/target-a"


def test_it_learns():
    """Two actions at once, of which each has to name what is seen: 0.42 by chance."""
    from own_method.reinforce import Reinforce, ReinforceConfiguration

    rows = Pairs(32)
    actions = actions_of(rows.action_space)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        features = SpaceFeatures(rows.space)
        network = nn.Sequential(features, dense_layers(features.features_dim, actions.num_outputs, 32, 1))
    settings = ReinforceConfiguration(learning_rate=0.02)
    learner = Reinforce(SimpleNamespace(network=network, actions=actions), settings, np.random.default_rng(0))
    collector = Collector(rows, learner, 8)
    for _ in range(40):
        learner.update(collector.collect())
    assert rows.score(400) > 0.9


def test_returns_are_known_where_an_episode_ends():
    from own_method.reinforce import returns_to_go

    rewards = np.array([[1, 0], [2, 4], [4, 8]], np.float32)
    ends = np.array([[False, False], [True, False], [False, True]])
    returns, known = returns_to_go(rewards, ends, 0.5)
    assert returns.tolist() == [[2, 4], [2, 8], [4, 8]]
    assert known.tolist() == [[True, True], [True, True], [False, True]]


@pytest.mark.slow
def test_the_wheel_declares_both(tmp_path):
    """Built as pip builds it, without asking a registry."""
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", tmp_path]
    subprocess.run([*map(str, command), str(EXAMPLE)], check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        assert "own_method/retry.py" in wheel.namelist()
        assert wheel.read("own_method-0.1.0.dist-info/entry_points.txt").decode().split() == entry_points_file().split()
