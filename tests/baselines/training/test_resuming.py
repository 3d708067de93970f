"""A run that is killed between two checkpoints ends as if it had not been: learners under teachers, in other families.

Every method and every teacher by itself is in tests/testing.
"""

import numpy as np
import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark
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
