"""How a method that learns from whole episodes is trained under a teacher: its network, its rows, and the loop."""

from collections.abc import Callable
from pathlib import Path

import torch

from procgen_bench.baselines.episodic.actor_critic import GoalActorCritic
from procgen_bench.baselines.episodic.collection import EpisodeCollector
from procgen_bench.baselines.episodic.configuration import EpisodicConfiguration
from procgen_bench.baselines.episodic.episode_rows import EpisodeRows
from procgen_bench.baselines.episodic.episodes import Siblings
from procgen_bench.baselines.episodic.goal_view import has_starts
from procgen_bench.baselines.episodic.hierarchy import (
    check_goal_options,
    policy_settings,
    row_options,
    steps_per_action,
    with_low_level,
)
from procgen_bench.baselines.episodic.labels import Labeller
from procgen_bench.baselines.episodic.learner import EpisodeLearner
from procgen_bench.baselines.episodic.policy import GoalPolicy
from procgen_bench.baselines.learning.beginning import begin_run, rng_of
from procgen_bench.baselines.learning.chance import own_chance
from procgen_bench.baselines.learning.training import Training
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import InvalidOptionError


def train_on_episodes(
    method: str,
    benchmark: Benchmark,
    configuration: EpisodicConfiguration,
    seed: int,
    steps: int,
    out: Path,
    make_labeller: Callable[[EpisodeRows], Labeller],
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
        InvalidOptionError: Rows do not come in pairs, a group would tear one apart, there are no convolutions whose
            precision could be chosen, or tasks that have no starts of their own shall be given some.
    """
    environment_id, paired = benchmark.environment_id, siblings != "none"
    settings = policy_settings(environment_id, configuration)
    check_goal_options(environment_id, configuration)
    if paired and configuration.rollouts % 2:
        raise InvalidOptionError(f"rollouts is {configuration.rollouts}, expected an even number: siblings are pairs")
    if paired and configuration.group_size % 2 and 1 < configuration.group_size < configuration.rollouts:
        raise InvalidOptionError(
            f"group_size is {configuration.group_size}, expected an even number, or 1: siblings are pairs, of which a "
            "group holds both"
        )
    if siblings == "goal" and not has_starts(environment_id):
        raise InvalidOptionError(f"own_starts is True, expected False: {environment_id} has no starts beside goals")
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
        **row_options(environment_id, configuration),
    )
    env, rng = rows.env, rng_of("learner", seed)
    assert isinstance(rows, EpisodeRows)  # as asked for
    with own_chance(rng, torch.device("cpu")):
        policy = GoalPolicy(environment_id, configuration.stochastic, **settings)
        network = GoalActorCritic(rows.view.space(env.single_observation_space), env.single_action_space, paired)
        labeller = make_labeller(rows)
    horizon = benchmark.max_episode_steps // rows.steps_per_action
    learner = with_low_level(EpisodeLearner(network, labeller, configuration, rng), rows, configuration, seed)
    Training(run, learner, rows, policy, settings, horizon, EpisodeCollector).train()
    rows.close()
    return run
