"""What is measured of our learners on GridWorld-v0: rounds of the training loop under a teacher."""

from collections.abc import Callable

import numpy as np

from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.learner import Learner
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark


def taught_rows(num_rows: int, teacher: str = "uniform", solvable: bool = False) -> CurriculumVectorEnv:
    """Rows whose levels a teacher proposes."""
    levels = LevelSource(get_benchmark("grid-world/graded"), solvable)
    return CurriculumVectorEnv(
        "GridWorld-v0", num_rows, get_teacher(teacher).make("", levels, np.random.default_rng(0)), 0
    )


def training_round(rows: CurriculumVectorEnv, learner: Learner, steps: int) -> Callable[[], None]:
    """A function that collects so many steps of every row, tells the teacher and updates, as the training loop does."""
    rows.begin()
    collector = Collector(rows, learner, steps)

    def train_once() -> None:
        rollout = collector.collect()
        rows.teacher.observe(collector.finished_episodes(rollout))
        learner.update(rollout)

    return train_once
