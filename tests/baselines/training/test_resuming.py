"""A run that is killed between two checkpoints ends as if it had not been: learners under teachers, in other families.

Every method and every teacher by itself is in tests/testing.

A run that ends where its folder would be opened refuses what any run refuses; nothing is trained or written.

Which tasks a run trained on: collected, kept in bounded memory, resumed, and written beside the policy.
"""

import numpy as np
import pytest

from procgen_bench.baselines.method_table import METHODS, get_method
from procgen_bench.baselines.training import task_records as task_recorder
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.run_folder import TRAINING_TASKS_FILE, read_training_record, unopened
from procgen_bench.baselines.training.task_records import TaskRecorder
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.registrations import make_task_space
from procgen_bench.testing import check_learner
from procgen_bench.testing.runs import Run, StoppedError, kept
from tests.baselines.curricula.test_every_teacher import OPTIONS as TEACHER_OPTIONS

ANT = "ant-maze/test"
#: Steps of a run, and before its first checkpoint: an episode of each of two ants takes 2,000 steps, and under robust
#: PLR nothing is learned before ten levels have been played.
LONGER = {ANT: (12_000, 6_000), "robust-plr": (3_000, 1_800)}
CASES = [
    *(("recurrent-ppo", teacher, "grid-world/graded") for teacher in TEACHER_OPTIONS if teacher != "uniform"),
    ("ppo", "targets", "grid-world/target-a"),
    ("a2c", "uniform", "point-maze/test"),
    ("ddpg-her", "plr", "point-maze/test"),
    ("dqn-ride", "robust-plr", "bit-grid/test"),
    ("dqn-her", "robust-plr", "bit-grid/test"),
    ("sibling-rivalry", "plr", "point-maze/test"),
    ("ppo-icm", "robust-plr", "bit-grid/test"),
    ("sibling-rivalry", "uniform", ANT),
    ("sibling-rivalry", "uniform", "fetch-blocks/test"),
    ("sibling-rivalry", "plr", "grid-world/graded"),
    ("ddpg-her", "uniform", ANT),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(case, id="-".join(case)) for case in CASES])
def test_a_killed_run_ends_as_if_it_had_not_been(case):
    learner, teacher, benchmark_id = case
    settings = {"teacher": teacher, "teacher_options": TEACHER_OPTIONS[get_teacher(teacher).of or teacher]}
    steps, kept_after = LONGER.get(benchmark_id) or LONGER.get(teacher) or (600, 250)
    check_learner(learner, benchmark_id, settings | {"checkpoint_every": kept_after}, steps)


def test_rows_that_cannot_be_kept_begin_again_at_every_checkpoint(tmp_path, monkeypatch):
    """As after a resumption, which knows no more of them."""
    monkeypatch.setattr(CurriculumVectorEnv, "can_be_kept", property(lambda self: False))
    run = Run.small(METHODS["ppo"], get_benchmark("grid-world/graded"), 800, {})
    arrays, _ = kept(run.train(tmp_path / "whole", 3, noise=1))

    def stop(trainer):
        if trainer.checkpointed and trainer.steps > trainer.checkpointed + 100:
            raise StoppedError

    run.stopped(tmp_path / "stopped", 3, noise=1, watch=stop)
    resumed, _ = kept(run.train(tmp_path / "stopped", 3, noise=1))
    learned = [name for name in arrays if name.startswith("player.student.network")]
    assert learned and all(np.array_equal(arrays[name], resumed[name]) for name in learned)


#: A method of the trainer, and one that trains by itself.
SMALL = {
    "ppo": {"num_envs": 4, "rollout_steps": 8, "width": 8},
    "sb3-ppo": {"num_envs": 4, "width": 8, "arguments": "n_steps=8,batch_size=8"},
}


def train(method, out, **settings):
    configuration = METHODS[method].load("configuration")(**SMALL[method] | settings, evaluation_tasks=2)
    METHODS[method].train(get_benchmark("grid-world/graded"), configuration, 0, 64, out)


@pytest.mark.parametrize("method", SMALL)
def test_an_unopened_run_writes_nothing_and_closes_its_rows(method, tmp_path, monkeypatch):
    closed = []
    close = CurriculumVectorEnv.close
    monkeypatch.setattr(CurriculumVectorEnv, "close", lambda rows: closed.append(rows.steps) or close(rows))
    with unopened():
        train(method, tmp_path / "run")
    assert not (tmp_path / "run").exists() and closed == [0]


def test_an_unopened_run_refuses_what_any_run_refuses_and_the_next_one_is_trained(tmp_path):
    with pytest.raises(UnknownNameError, match="unknown teacher 'nobody'"), unopened():
        train("ppo", tmp_path / "run", teacher="nobody")
    train("ppo", tmp_path / "run")
    assert (tmp_path / "run" / "policy").is_dir()


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


RECORDED_SETTINGS = {
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
    chosen.train(
        get_benchmark(benchmark_id), chosen.load("configuration")(**RECORDED_SETTINGS[method]), 0, 250, tmp_path / "run"
    )
    written = np.load(tmp_path / "run" / TRAINING_TASKS_FILE, allow_pickle=False)
    assert written.dtype == np.uint64 and written.tolist() == fingerprints(seen)
    if benchmark_id == "grid-world/target-a":
        assert written.tolist() == fingerprints(get_benchmark(benchmark_id).task_suite().tasks)
    else:
        assert len(written) >= 4
    assert (
        read_training_record(tmp_path / "run" / "policy").tasks == (tmp_path / "run" / TRAINING_TASKS_FILE).read_bytes()
    )
