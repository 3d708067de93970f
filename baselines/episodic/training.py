"""How a method that learns from whole episodes is trained under a teacher: its network, its rows, and the loop."""

from collections.abc import Callable
from pathlib import Path

import torch

from procgen_bench.baselines.episodic.actor_critic import GoalActorCritic
from procgen_bench.baselines.episodic.collection import EpisodeCollector
from procgen_bench.baselines.episodic.configuration import EpisodicConfiguration
from procgen_bench.baselines.episodic.episode_rows import EpisodeRows
from procgen_bench.baselines.episodic.episodes import Siblings
from procgen_bench.baselines.episodic.hierarchy import steps_per_action, training_options
from procgen_bench.baselines.episodic.labels import Labeller
from procgen_bench.baselines.episodic.learner import EpisodeLearner
from procgen_bench.baselines.episodic.policy import GoalPolicy
from procgen_bench.baselines.learning.beginning import begin_run, rng_of
from procgen_bench.baselines.learning.chance import own_chance
from procgen_bench.baselines.learning.training import Training
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine.goal_env import GoalRows


def train_on_episodes(
    method: str,
    benchmark: Benchmark,
    configuration: EpisodicConfiguration,
    seed: int,
    steps: int,
    out: Path,
    make_labeller: Callable[[GoalRows], Labeller],
    siblings: Siblings,
) -> RunFolder:
    """Train as long as an episode of every row fits in ``steps`` environment steps; resumes the run in ``out``.

    Args:
        method: The method's name.
        benchmark: What is trained for.
        configuration: The method's settings; the paper's figures are filled in.
        seed: Seed of the run.
        steps: Environment steps.
        out: Run folder.
        make_labeller: Rows -> the rule that labels their episodes.
        siblings: What the rows of a pair share.

    Raises:
        InvalidOptionError: Rows do not come in pairs.
    """
    environment_id, paired = benchmark.environment_id, siblings != "none"
    if paired and configuration.rollouts % 2:
        raise InvalidOptionError(f"rollouts is {configuration.rollouts}, expected an even number: siblings are pairs")
    run, rows = begin_run(
        method,
        benchmark,
        configuration,
        seed,
        steps,
        out,
        configuration.rollouts,
        steps_per_action(environment_id),
        rows_type=EpisodeRows,
        whole_episodes=True,
        siblings=siblings,
        **training_options(environment_id),
    )
    env, rng = rows.env, rng_of("learner", seed)
    assert isinstance(env, GoalRows)  # whole episodes are for goals
    with own_chance(rng, torch.device("cpu")):
        policy = GoalPolicy(environment_id, configuration.stochastic)
        network = GoalActorCritic(env.single_observation_space, env.single_action_space, paired)
        labeller = make_labeller(env)
    learner = EpisodeLearner(network, labeller, configuration, rng)
    Training(run, learner, rows, policy, {}, env.single.horizon, EpisodeCollector).train()
    rows.close()
    return run
