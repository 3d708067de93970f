"""A run that is killed between two checkpoints ends as if it had not been: every learner, under every teacher."""

import dataclasses

import numpy as np
import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.benchmarks import get_benchmark
from tests.baselines.curricula.test_every_teacher import OPTIONS as TEACHER_OPTIONS
from tests.baselines.killed_runs import KilledError, last_checkpoint

#: Settings of those names that a method has: a checkpoint after every few rollouts, all parts of it in use.
SMALL = {
    "num_envs": 8,
    "rollouts": 4,
    "rollout_steps": 8,
    "minibatches": 2,
    "epochs": 1,
    "width": 16,
    "batch_size": 16,
    "learning_starts": 100,
    "updates_per_step": 0.25,
    "buffer_size": 2_000,
    "evaluation_tasks": 2,
    "evaluate_every": 200,
    "checkpoint_every": 200,
    "bonus_starts": 100,
}
STEPS = 1_500
#: An episode of each of four ants is 2,000 steps.
ANT, ANT_STEPS = "ant-maze/test", 10_000
LEARNERS = {
    "ppo": "grid-world/graded",
    "recurrent-ppo": "grid-world/graded",
    "a2c": "point-maze/test",
    "dqn": "bit-grid/test",
    "dqn-icm": "grid-world/target-a",
    "dqn-rnd": "bit-grid/test",
    "dqn-ride": "grid-world/target-a",
    "sac": "point-maze/test",
    "ddpg-her": "point-maze/corridor-2",
    "dqn-her": "bit-grid/test",
    "dqn-dense": "bit-grid/test",
    "sibling-rivalry": "point-maze/corridor-2",
    "ppo-naive": "point-maze/corridor-2",
    "ppo-icm": "bit-grid/test",
    "ppo-rnd": "bit-grid/test",
    "ppo-grid-oracle": "point-maze/corridor-2",
}
CASES = [
    *((learner, "uniform", benchmark_id) for learner, benchmark_id in LEARNERS.items()),
    *(("recurrent-ppo", teacher, "grid-world/graded") for teacher in TEACHER_OPTIONS if teacher != "uniform"),
    ("ppo", "targets", "grid-world/target-a"),
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
QUICK = ("ppo", "uniform", "grid-world/graded")
QUICK_ONES = (QUICK, ("sibling-rivalry", "uniform", "point-maze/corridor-2"))


def train(learner, teacher, benchmark_id, out, seed=3):
    method = METHODS[learner]
    configuration = method.load("configuration")
    fields = {field.name for field in dataclasses.fields(configuration)}
    settings = {key: value for key, value in SMALL.items() if key in fields}
    steps = ANT_STEPS if benchmark_id == ANT else STEPS
    settings |= {"teacher": teacher, "teacher_options": TEACHER_OPTIONS.get(teacher, "")}
    return method.load("train")(get_benchmark(benchmark_id), configuration(**settings), seed, steps, out)


def train_killed(case, out, monkeypatch):
    """Train until some rollouts after the first checkpoint."""
    learn, left = Trainer._learn_from_one_rollout, 3

    def killed(*arguments):
        nonlocal left
        left -= (out / "checkpoint").exists()
        if not left:
            raise KilledError
        learn(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(Trainer, "_learn_from_one_rollout", killed)
        with pytest.raises(KilledError):
            train(*case, out)


def kept(run):
    """Its last checkpoint, in which what is no number equals itself."""
    arrays, *rest = last_checkpoint(run)
    return arrays, *map(repr, rest)


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=() if case in QUICK_ONES else pytest.mark.slow, id="-".join(case)) for case in CASES],
)
def test_a_killed_run_ends_as_if_it_had_not_been(case, tmp_path, monkeypatch):
    arrays, *rest = kept(train(*case, tmp_path / "whole"))
    train_killed(case, tmp_path / "killed", monkeypatch)
    resumed, *others = kept(train(*case, tmp_path / "killed"))
    assert rest == others and arrays.keys() == resumed.keys()
    assert [name for name in arrays if not np.array_equal(arrays[name], resumed[name], equal_nan=True)] == []


def test_other_seeds_end_otherwise(tmp_path):
    first, second = (kept(train(*QUICK, tmp_path / str(seed), seed=seed))[0] for seed in (0, 1))
    assert not np.array_equal(
        first["player.student.network.critic.weight"], second["player.student.network.critic.weight"]
    )


def test_rows_that_cannot_be_kept_begin_anew_at_every_checkpoint(tmp_path, monkeypatch):
    """As after a resumption, which knows no more of them."""
    monkeypatch.setattr(CurriculumVectorEnv, "can_be_kept", property(lambda self: False))
    arrays, *_ = kept(train(*QUICK, tmp_path / "whole"))
    train_killed(QUICK, tmp_path / "killed", monkeypatch)
    resumed, *_ = kept(train(*QUICK, tmp_path / "killed"))
    learned = [name for name in arrays if name.startswith("player.student.network")]
    assert learned and all(np.array_equal(arrays[name], resumed[name]) for name in learned)
