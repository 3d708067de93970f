"""The training loop: run folders and resumption after a kill."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import fields

import numpy as np
import pytest
from safetensors.numpy import load_file

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.methods.dqn_settings import DQNConfiguration
from procgen_bench.baselines.training import run_folder
from procgen_bench.baselines.training.run_folder import (
    TRAINING_TASKS_FILE,
    DamagedRunError,
    RunFolder,
    RunFolderError,
    read_config,
    read_training_record,
    training_command,
)
from procgen_bench.core import provenance
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import ProcgenBenchError

SMALL = {
    "dqn": [
        *("--teacher", "targets", "--learning-starts", "150", "--batch-size", "32"),
        *("--evaluate-every", "150", "--checkpoint-every", "60"),
    ],
    "sac": [
        *("--num-envs", "8", "--rollout-steps", "4", "--learning-starts", "200", "--batch-size", "32"),
        *("--evaluate-every", "256", "--checkpoint-every", "128"),
    ],
    "ppo": [
        *("--num-envs", "16", "--rollout-steps", "16", "--minibatches", "2"),
        *("--evaluate-every", "1024", "--checkpoint-every", "512"),
    ],
}
BENCHMARKS = {"dqn": "grid-world/target-a", "sac": "point-maze/corridor-2", "ppo": "grid-world/target-a"}
STEPS = {"dqn": 300, "sac": 2_000, "ppo": 6_000}


def command(method, out, *, seed=3, steps=None):
    return [
        *(sys.executable, "-m", f"procgen_bench.baselines.{method}", BENCHMARKS[method]),
        *("--seed", str(seed), "--steps", str(steps or STEPS[method]), "--out", str(out), *SMALL[method]),
    ]


def run_killed(method, out):
    """Start a run and kill it once it has written a checkpoint and gone on."""
    process = subprocess.Popen(command(method, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (out / "checkpoint").exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.1)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "the run was over before it could be killed"


def curve(out):
    with (out / "curve.csv").open() as file:
        return [{key: value for key, value in row.items() if key != "seconds"} for row in csv.DictReader(file)]


@pytest.mark.slow  # every day an exception ends the run: test_resuming
@pytest.mark.parametrize("method", list(SMALL))
def test_a_killed_run_resumes_and_ends_with_the_same_weights(method, tmp_path):
    subprocess.run(command(method, tmp_path / "whole"), check=True, capture_output=True)
    run_killed(method, tmp_path / "killed")
    assert not json.loads((tmp_path / "killed" / "config.json").read_text())["finished"]
    subprocess.run(command(method, tmp_path / "killed"), check=True, capture_output=True)
    whole, killed = (load_file(tmp_path / name / "policy" / "weights.safetensors") for name in ("whole", "killed"))
    assert all(np.array_equal(whole[name], killed[name]) for name in whole)
    assert curve(tmp_path / "whole") == curve(tmp_path / "killed")
    played = [(tmp_path / name / TRAINING_TASKS_FILE).read_bytes() for name in ("whole", "killed")]
    assert played[0] == played[1]
    other = tmp_path / "other"
    subprocess.run(command(method, other, seed=4, steps=160), check=True, capture_output=True)
    weights = load_file(other / "policy" / "weights.safetensors")
    head = {"dqn": "head.0.weight", "sac": "mean.weight", "ppo": "critic.weight"}[method]
    assert not np.array_equal(whole[head], weights[head])


def test_a_folder_of_another_run_is_refused(tmp_path):
    benchmark = get_benchmark("grid-world/graded")
    run = RunFolder(tmp_path / "run", "dqn", benchmark, DQNConfiguration(), seed=0, steps=10).open()
    run.write_curve([{"step": 0, "seconds": 0.0}])
    RunFolder(tmp_path / "run", "dqn", benchmark, DQNConfiguration(), seed=0, steps=10).open()
    with pytest.raises(RunFolderError, match=r"a run with seed = 0, not 1"):
        RunFolder(tmp_path / "run", "dqn", benchmark, DQNConfiguration(), seed=1, steps=10).open()
    with pytest.raises(RunFolderError, match=r"a run with learning_rate = 0\.0003, not 0\.25"):
        RunFolder(tmp_path / "run", "dqn", benchmark, DQNConfiguration(learning_rate=0.25), seed=0, steps=10).open()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("mine")
    with pytest.raises(RunFolderError, match="is not empty and holds no run"):
        RunFolder(tmp_path / "other", "dqn", benchmark, DQNConfiguration(), seed=0, steps=10).open()


#: Opens a run's folder, says so, and holds it until its input ends.
HOLDER = """
import sys
from pathlib import Path
from procgen_bench.baselines.methods.dqn_settings import DQNConfiguration
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.core.benchmarks import get_benchmark
benchmark, settings = get_benchmark("grid-world/graded"), DQNConfiguration()
run = RunFolder(Path(sys.argv[1]), "dqn", benchmark, settings, seed=0, steps=10).open()
print("open", flush=True)
sys.stdin.read()
"""


def test_a_folder_that_another_process_trains_in_is_refused(tmp_path):
    run = RunFolder(tmp_path / "run", "dqn", get_benchmark("grid-world/graded"), DQNConfiguration(), seed=0, steps=10)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, run.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout.readline() == "open\n"
        before = (run.path / "config.json").read_bytes()
        with pytest.raises(RunFolderError, match=r"run is trained by another process; wait, or"):
            run.open()
        assert (run.path / "config.json").read_bytes() == before
        holder.kill()
    assert run.open().open() is run


def test_a_run_that_failed_before_its_first_evaluation_gives_way_to_a_corrected_one(tmp_path):
    benchmark, wrong = get_benchmark("grid-world/target-a"), DQNConfiguration(buffer_size=1, rollout_steps=6)
    train = get_method("dqn").train
    with pytest.raises(ProcgenBenchError, match="buffer_size"):
        train(benchmark, wrong, 0, 100, tmp_path / "run")
    right = DQNConfiguration(learning_starts=200, evaluation_episodes=1)
    assert train(benchmark, right, 0, 100, tmp_path / "run").finished
    assert json.loads((tmp_path / "run" / "config.json").read_text())["settings"]["configuration"]["rollout_steps"] == 1


def test_a_run_of_before_an_option_was_there_goes_on_by_its_default(tmp_path):
    benchmark = get_benchmark("grid-world/graded")
    run = RunFolder(tmp_path / "run", "dqn", benchmark, DQNConfiguration(), seed=0, steps=10).open()
    run.write_curve([{"step": 0, "seconds": 0.0}])
    config = json.loads((run.path / "config.json").read_text())
    del config["settings"]["configuration"]["target_share"]
    (run.path / "config.json").write_text(json.dumps(config))
    RunFolder(run.path, "dqn", benchmark, DQNConfiguration(), seed=0, steps=10).open()
    with pytest.raises(RunFolderError, match=r"a run with target_share = 0\.0, not 0\.5"):
        RunFolder(run.path, "dqn", benchmark, DQNConfiguration(target_share=0.5), seed=0, steps=10).open()


@pytest.mark.parametrize(("later", "said"), [("a" * 40, "a" * 40), ("b" * 40, "a" * 40 + "+changes")])
def test_a_run_is_of_the_commit_that_it_began_under(tmp_path, monkeypatch, later, said):
    settings = (tmp_path / "run", "dqn", get_benchmark("grid-world/graded"), DQNConfiguration(), 0, 10)
    monkeypatch.setattr(provenance, "commit", lambda: "a" * 40)
    RunFolder(*settings).open().write_curve([{"step": 0, "seconds": 0.0}])
    monkeypatch.setattr(run_folder, "commit", lambda: later)
    run = RunFolder(*settings).open()
    monkeypatch.setattr(provenance, "commit", lambda: "c" * 40)
    run.finish()
    monkeypatch.setattr(run_folder, "commit", lambda: "c" * 40)
    assert RunFolder(*settings).open().finished
    assert json.loads((run.path / "config.json").read_text())["provenance"]["commit"] == said


def test_a_checkpoint_killed_between_its_renames_is_found(tmp_path):
    run = RunFolder(
        tmp_path / "run", "dqn", get_benchmark("grid-world/graded"), DQNConfiguration(), seed=0, steps=10
    ).open()
    assert run.read_checkpoint() is None
    run.write_checkpoint({"a": np.arange(3)}, {"step": 1})
    (run.path / "checkpoint").rename(run.path / ".checkpoint.retired")
    arrays, values = run.read_checkpoint()
    assert arrays["a"].tolist() == [0, 1, 2]
    assert values == {"step": 1}
    run.write_checkpoint({"a": np.arange(4)}, {"step": 2})
    assert run.read_checkpoint()[1] == {"step": 2}
    assert not (run.path / ".checkpoint.retired").exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("checkpoint/arrays.safetensors", b"\x10\0"),
        ("checkpoint/values.json", b'{"step": '),
        ("config.json", b""),
        ("curve.csv", b"step,seconds\n0,\xff\n"),
    ],
)
def test_a_damaged_file_of_a_run_is_named(name, content, tmp_path):
    settings = (tmp_path / "run", "dqn", get_benchmark("grid-world/graded"), DQNConfiguration(), 0, 10)
    run = RunFolder(*settings).open()
    run.write_curve([{"step": 0, "seconds": 0.0}])
    run.write_checkpoint({"a": np.arange(3)}, {"step": 1})
    (run.path / name).write_bytes(content)
    with pytest.raises(DamagedRunError, match=rf"{name} is damaged \(.*\); remove {run.path} to train it") as caught:
        RunFolder(*settings).open().read_checkpoint()
        read_training_record(run.policy_path)
    assert "\n" not in str(caught.value)


def test_a_policy_in_its_run_folder_brings_its_training_record(tmp_path):
    configuration = DQNConfiguration(batch_size=64, restore_on_drop=False)
    run = RunFolder(tmp_path / "run", "dqn", get_benchmark("grid-world/graded"), configuration, seed=2, steps=10).open()
    assert read_training_record(run.policy_path) is None
    rows = [{"step": step, "seconds": step / 2, "return": 0.25, "success": 0.5, "length": 9.0} for step in (0, 10)]
    run.write_curve(rows)
    record = read_training_record(run.policy_path)
    assert record.curve == rows
    assert record.seconds == 5.0
    assert record.command == (
        "procgen-bench train dqn grid-world/graded --seed 2 --steps 10 --batch-size 64 --no-restore-on-drop"
    )


def test_the_command_leaves_out_what_is_at_its_default():
    settings = {"method": "dqn", "benchmark": "grid-world/graded", "seed": 0, "steps": 10}
    settings |= {"configuration": {"warmth": 0.5, "discount": 0.99, "glows": True}}
    command = training_command(settings, {"discount": 0.99, "warmth": 0.25, "glows": False})
    assert command == "procgen-bench train dqn grid-world/graded --seed 0 --steps 10 --warmth 0.5 --glows"


@pytest.mark.parametrize(("num_envs", "stated"), [(64, ""), (256, " --num-envs 256")])
def test_the_command_states_what_the_family_suggests_otherwise(num_envs, stated, tmp_path):
    """256 rows are the method's default, and 64 the family's, which the command line takes there."""
    configuration = get_method("ppo").configured("XLandSmall-v0", {"num_envs": num_envs})
    run = RunFolder(tmp_path / "run", "ppo", get_benchmark("xland/small"), configuration, seed=0, steps=10).open()
    command = read_config(run.path)["command"]
    assert command == f"procgen-bench train ppo xland/small --seed 0 --steps 10{stated}"


def test_the_configurations_describe_every_field():
    for field in fields(DQNConfiguration):
        assert field.metadata["description"].endswith(".")
