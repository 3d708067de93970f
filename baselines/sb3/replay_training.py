"""How a learner from a replay is trained under a teacher: network, rows, and the loop."""

from collections.abc import Callable
from pathlib import Path

import torch
from gymnasium import spaces

from procgen_bench.baselines.parts.encoders import own_network
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.baselines.sb3.replay_configuration import ReplayConfiguration
from procgen_bench.baselines.sb3.replay_learner import ReplayLearner
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.prepare import prepare_run, rng_of
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.benchmark import Benchmark


def train_from_replay(
    method: str,
    benchmark: Benchmark,
    configuration: ReplayConfiguration,
    seed: int,
    steps: int,
    out: Path,
    make_learner: Callable[..., ReplayLearner],
    policy_type: Callable[..., WeightedPolicy],
    check_actions: Callable[[spaces.Space], None],
) -> RunFolder:
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds.

    Where ``check_actions`` refuses the environment's actions, no folder is made.
    """
    sizes = {
        "width": configuration.width,
        "layers": configuration.layers,
        "network": own_network(configuration.network),
    }
    run, rows = prepare_run(
        method, benchmark, configuration, seed, steps, out, configuration.num_envs, check_actions=check_actions
    )
    with torch.random.fork_rng(devices=[]):
        policy = policy_type(benchmark.environment_id, configuration.stochastic, **sizes)
    learner = make_learner(rows, configuration, steps, rng_of("learner", seed))
    with Trainer(run, Player(learner, policy, sizes), rows, configuration.rollout_steps) as trainer:
        trainer.advance(steps)
    return run
