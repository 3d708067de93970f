"""How an off-policy method is trained under a teacher: its networks, its rows, and the loop."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from procgen_bench.baselines.off_policy.configuration import OffPolicyConfiguration
from procgen_bench.baselines.off_policy.learner import GoalLearner
from procgen_bench.baselines.parts.hierarchy import (
    check_goal_options,
    policy_settings,
    row_options,
    steps_per_action,
)
from procgen_bench.baselines.parts.two_levels import with_low_level
from procgen_bench.baselines.policies.tensors import torch_seeded_from
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.prepare import prepare_run, rng_of
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.engine.goal_env import GoalRows


def train_from_hindsight(
    method: str,
    benchmark: Benchmark,
    configuration: OffPolicyConfiguration,
    seed: int,
    steps: int,
    out: Path,
    learner_type: Callable[..., GoalLearner],
    policy_type: Callable[..., WeightedPolicy],
    relabelled: int,
    **keywords: Any,
) -> RunFolder:
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds.

    Args:
        method: The method's name.
        benchmark: What is trained for.
        configuration: The method's settings; the paper's figures are filled in.
        seed: Seed of the run.
        steps: Environment steps.
        out: Run folder.
        learner_type: What learns.
        policy_type: Plays with the learner's weights.
        relabelled: Relabelled transitions to every one as played.
        **keywords: The learner's own.
    """
    environment_id = benchmark.environment_id
    settings = policy_settings(environment_id, configuration)
    check_goal_options(environment_id, configuration)
    run, rows = prepare_run(
        method,
        benchmark,
        configuration,
        seed,
        steps,
        out,
        configuration.rollouts,
        steps_per_action(environment_id),
        **row_options(environment_id, configuration),
    )
    env, rng = rows.env, rng_of("learner", seed)
    assert isinstance(env, GoalRows)  # hindsight is for goals
    with torch_seeded_from(rng, torch.device("cpu")):
        policy = policy_type(environment_id, configuration.stochastic, **settings)
        learner = learner_type(
            env.single_observation_space,
            env.single_action_space,
            configuration,
            env,
            relabelled,
            rng,
            **keywords,
        )
    both_levels = with_low_level(learner, rows, configuration, seed)
    with Trainer(run, Player(both_levels, policy, settings), rows, rollout_steps=env.single.horizon) as trainer:
        trainer.advance(steps)
    return run
