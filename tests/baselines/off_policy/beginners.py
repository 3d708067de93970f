"""Learners of goals that have just begun, with the rows that they act in."""

import numpy as np

from procgen_bench.baselines.methods.goal_replay import DDPGHERConfiguration
from procgen_bench.baselines.off_policy.configuration import OffPolicyConfiguration
from procgen_bench.baselines.off_policy.deterministic_gradient import GoalDDPG
from procgen_bench.baselines.off_policy.q_learning import GoalDQN
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark

ROWS = 16
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


def _collector(learner_type, rows, configuration, hindsight, **keywords):
    spaces = rows.env.single_observation_space, rows.env.single_action_space
    rng = np.random.default_rng(3)
    return Collector(rows, learner_type(*spaces, configuration, rows.env, hindsight, rng, **keywords), 50)


def dqn(hindsight=4, dense=False, **settings):
    """A collector for DQN on bits."""
    rows = rows_of("bit-grid/test")
    return _collector(GoalDQN, rows, OffPolicyConfiguration(**SMALL | settings), hindsight, dense=dense)


def ddpg(noise=0.1, action_l2=0.25, **settings):
    """A collector for DDPG in the point maze."""
    rows, configuration = rows_of("point-maze/test"), DDPGHERConfiguration(**SMALL | settings)
    return _collector(GoalDDPG, rows, configuration, 4, noise=noise, action_l2=action_l2)
