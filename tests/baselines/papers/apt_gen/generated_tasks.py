"""APT-Gen teachers on real levels, and made-up episodes on what they generate."""

import numpy as np

from procgen_bench.baselines.training.contracts import EpisodeSteps, FinishedEpisodes
from procgen_bench.baselines.training.teacher_table import get_teacher
from tests.baselines.curricula.students import ACTIONS, OBSERVATIONS, levels_of, made_up


def make(options="", benchmark_id="grid-world/target-a"):
    teacher = get_teacher("apt-gen").make(options, levels_of(benchmark_id, False), np.random.default_rng(0))
    teacher.setup(OBSERVATIONS, ACTIONS)
    return teacher


def play(teacher, returns, length, success=None):
    """Generated episodes of these returns, each of so many steps, and a target's of none between them."""
    proposals = [own for own in teacher.propose(np.arange(2 * len(returns)), 0) if own.level % 2 == 0]
    tell(teacher, proposals, returns, length, success)


def tell(teacher, proposals, returns, length, success=None):
    """Episodes of these proposals."""
    numbers = np.array([own.level for own in proposals])
    success = np.zeros(len(numbers), bool) if success is None else np.asarray(success)
    unknown = np.full(len(numbers), np.nan, np.float32)
    steps = tuple(made_up(own.task, False) for own in proposals)
    train, lengths = np.ones(len(numbers), bool), np.full(len(numbers), length)
    teacher.observe(
        FinishedEpisodes(
            numbers,
            np.zeros(len(numbers), np.int16),
            train,
            np.asarray(returns, float),
            success,
            lengths,
            unknown,
            unknown,
            unknown,
            steps,
        )
    )


def episode(shown, length=5):
    seen = np.full((length + 1, 4), shown, np.float32)
    return EpisodeSteps({"seen": seen}, np.zeros(length, np.int64), np.zeros(length, np.float32))
