"""Learners of goals that have just begun, with the rows that they act in."""

import numpy as np
import torch

from procgen_bench.baselines.papers.sibling_rivalry.goal_replay import make_learner
from procgen_bench.baselines.papers.sibling_rivalry.goal_replay_settings import (
    DDPGHERConfiguration,
    DQNDenseConfiguration,
    DQNHERConfiguration,
)
from procgen_bench.baselines.policies.tensors import torch_seeded_from
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark

ROWS, HORIZON = 16, 50
SMALL = {
    "rollouts": ROWS,
    "minibatches": 3,
    "batch_size": 32,
    "buffer_size": 4_000,
    "discount": 0.9,
    "adam_epsilon": 1e-8,
}


def rows_of(benchmark_id, rows=ROWS, seed=0):
    """Rows under the uniform teacher."""
    benchmark = get_benchmark(benchmark_id)
    teacher = get_teacher("uniform").make("", LevelSource(benchmark, solvable=True), np.random.default_rng(seed))
    return CurriculumVectorEnv(benchmark.environment_id, rows, teacher, seed)


def _collector(benchmark_id, configuration):
    rows, rng = rows_of(benchmark_id), np.random.default_rng(3)
    spaces = rows.env.single_observation_space, rows.env.single_action_space
    with torch_seeded_from(rng, torch.device("cpu")):
        learner = make_learner(configuration, *spaces, rows.env, HORIZON, rng)
    return Collector(rows, learner, HORIZON)


def dqn(**settings):
    """A collector for DQN on bits, with hindsight."""
    return _collector("bit-grid/test", DQNHERConfiguration(**SMALL | settings))


def dense_dqn(**settings):
    """A collector for DQN on bits, rewarded by distances."""
    return _collector("bit-grid/test", DQNDenseConfiguration(**SMALL | settings))


def ddpg(**settings):
    """A collector for DDPG in the point maze."""
    return _collector("point-maze/test", DDPGHERConfiguration(**SMALL | {"action_l2": 0.25} | settings))
