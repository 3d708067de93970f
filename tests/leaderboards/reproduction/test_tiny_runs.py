"""Small reproductions from training to their pictures."""

import json
import os
import signal
import subprocess
import sys

import pytest

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.training.run_folder import read_curve
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.sweeps.figure_file import read_figure
from procgen_bench.leaderboards.sweeps.figure_runs import sweep_runs
from tests.engine.process_tree import comes_true


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "steps", "least", "most"), [("PPO + SR", 310_000, 0.3, 1.0), ("PPO (naive)", 110_000, -0.01, 0.01)]
)
def test_siblings_build_in_the_small_arena_and_the_naive_reward_nothing(label, steps, least, most, tmp_path):
    (run,) = sweep_runs(read_figure("sibling-rivalry", 5), tmp_path, ["small"], [label], 1, steps)
    method = get_method(run.method)
    configuration = method.load("configuration")(**run.options)
    trained = method.train(get_benchmark(run.benchmark), configuration, run.seed, steps, run.folder)
    assert least <= read_curve(trained.path / "curve.csv")[-1]["completion"] <= most


@pytest.mark.slow
def test_a_tiny_reproduction_goes_on_after_a_kill_and_is_drawn(tmp_path):
    words = [sys.executable, "-m", "procgen_bench.cli", "reproduce", "apt-gen", "--figure", "3", "--panel", "grid-a"]
    words += ["--method", "Random", "--method", "DQN", "--seeds", "2", "--steps", "400", "--workers", "1"]
    words += ["--out", str(tmp_path)]
    runs = sweep_runs(read_figure("apt-gen", 3), tmp_path, ["grid-a"], ["Random", "DQN"], 2, 400)
    with subprocess.Popen(words, start_new_session=True, stderr=subprocess.DEVNULL) as command:
        assert comes_true(lambda: runs[1].log.exists(), seconds=120)
        os.killpg(command.pid, signal.SIGKILL)
    assert runs[0].finished and not runs[-1].finished and not (tmp_path / "figure-3.png").exists()
    written = (runs[0].folder / "curve.csv").stat().st_mtime_ns

    again = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0, again.stderr
    assert all(run.finished for run in runs) and written == (runs[0].folder / "curve.csv").stat().st_mtime_ns
    assert again.stdout.splitlines()[-1] == f"picture: {tmp_path / 'figure-3.png'}"
    table = (tmp_path / "figure-3.md").read_text()
    assert "## grid-world/target-a" in table and "| Random | " in table and "| 400 |" in table
    tasks = [json.loads(line)["task"] for line in (runs[0].folder / "levels.jsonl").read_text().splitlines()]
    assert 1 < len({json.dumps(task) for task in tasks}) < len(tasks), "targets, and others"

    shown = [*words[:4], "apt-gen", "--figure", "6", "--panel", "grid-a", "--steps", "400", "--out", str(tmp_path)]
    strips = subprocess.run(shown, capture_output=True, text=True, timeout=300)
    assert strips.returncode == 0, strips.stderr
    assert (tmp_path / "figure-6.png").stat().st_size > 1_000
