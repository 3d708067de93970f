"""Which tasks a run trained on: collected, kept in bounded memory, resumed, and written beside the policy."""

import numpy as np
import pytest

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.training import task_records as task_recorder
from procgen_bench.baselines.training.run_folder import TRAINING_TASKS_FILE, read_training_record
from procgen_bench.baselines.training.task_records import TaskRecorder
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.registrations import make_task_space

TASKS = make_task_space("BitGrid-v0").suite("test").tasks


def fingerprints(tasks) -> list[int]:
    return sorted({task.short_fingerprint() for task in tasks})


def test_short_fingerprints_are_the_first_64_bits_of_the_fingerprint():
    task = TASKS[0]
    assert task.short_fingerprint() == int.from_bytes(bytes.fromhex(task.fingerprint())[:8])
    assert len(fingerprints(TASKS)) == len(TASKS)


def test_a_recorder_holds_every_task_once():
    recorder = TaskRecorder()
    assert recorder.fingerprints().tolist() == []
    recorder.record(TASKS[:20])
    recorder.record(TASKS[10:30])
    found = recorder.fingerprints()
    assert found.dtype == np.uint64 and found.tolist() == fingerprints(TASKS[:30])


def test_beyond_its_limit_it_keeps_a_sample_in_which_nothing_is_missing(monkeypatch):
    """The smallest fingerprints, whatever the order in which the tasks come, and however they are sorted meanwhile."""
    monkeypatch.setattr(task_recorder, "MAX_RECORDED_TASKS", 100)
    monkeypatch.setattr(task_recorder, "_MAX_UNSORTED", 7)
    expected = fingerprints(TASKS)[:100]
    for order in (TASKS, TASKS[::-1], (*TASKS[250:], *TASKS)):
        recorder = TaskRecorder()
        for task in order:
            recorder.record([task])
        assert recorder.fingerprints().tolist() == expected


def test_a_restored_recorder_forgets_what_it_held_and_goes_on():
    recorder, other = TaskRecorder(), TaskRecorder()
    recorder.record(TASKS[:5])
    other.record(TASKS[5:9])
    other.restore(recorder.arrays())
    for one in (recorder, other):
        one.record(TASKS[20:25])
        assert one.fingerprints().tolist() == fingerprints([*TASKS[:5], *TASKS[20:25]])


SMALL = {
    "sibling-rivalry": {"rollouts": 4, "evaluation_tasks": 4},
    "dqn-her": {"rollouts": 4, "evaluation_tasks": 4, "minibatches": 2, "batch_size": 32},
    "ppo": {"num_envs": 4, "rollout_steps": 32, "minibatches": 2, "epochs": 1, "teacher": "targets"},
}


@pytest.mark.parametrize(
    ("method", "benchmark_id"),
    [("sibling-rivalry", "bit-grid/test"), ("dqn-her", "bit-grid/test"), ("ppo", "grid-world/target-a")],
)
def test_every_kind_of_trainer_writes_the_tasks_beside_the_policy(method, benchmark_id, tmp_path, monkeypatch):
    seen = set()
    record = TaskRecorder.record

    def recorded(self, tasks):
        tasks = list(tasks)
        seen.update(tasks)
        record(self, tasks)

    monkeypatch.setattr(TaskRecorder, "record", recorded)
    chosen = get_method(method)
    chosen.train(get_benchmark(benchmark_id), chosen.load("configuration")(**SMALL[method]), 0, 250, tmp_path / "run")
    written = np.load(tmp_path / "run" / TRAINING_TASKS_FILE, allow_pickle=False)
    assert written.dtype == np.uint64 and written.tolist() == fingerprints(seen)
    if benchmark_id == "grid-world/target-a":
        assert written.tolist() == fingerprints(get_benchmark(benchmark_id).task_suite().tasks)
    else:
        assert len(written) >= 4
    assert (
        read_training_record(tmp_path / "run" / "policy").tasks == (tmp_path / "run" / TRAINING_TASKS_FILE).read_bytes()
    )
