"""Sibling Rivalry (Trott et al., 2019): pairs of rollouts that relabel each other's rewards.

Its two rules are mutual relabelling (equations 3 and 4) and selective inclusion (algorithm 1).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import gymnasium
import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.parts.bonus_rewards import BonusRewards, StateEncoder, bonus_settings, state_space
from procgen_bench.baselines.parts.bonuses.coverage import regions_visited
from procgen_bench.baselines.parts.bonuses.curiosity import Curiosity
from procgen_bench.baselines.parts.bonuses.distillation import Distillation
from procgen_bench.baselines.parts.episode_learner import (
    GOALS,
    DistanceConfiguration,
    EpisodeCollector,
    EpisodeLearner,
    EpisodicConfiguration,
)
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic
from procgen_bench.baselines.parts.goal_view import Distance, has_starts
from procgen_bench.baselines.parts.hierarchy import (
    GoalPolicy,
    check_goal_options,
    policy_settings,
    row_options,
    steps_per_action,
    view_options,
)
from procgen_bench.baselines.parts.two_levels import with_low_level
from procgen_bench.baselines.parts.whole_episodes import EpisodeRows, Episodes, Labeller, Labels, Siblings, siblings_of
from procgen_bench.baselines.policies.tensors import array_leaves, torch_seeded_from
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.prepare import prepare_run, rng_of
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    DISTANCE,
    SHARE,
    PaperDefaults,
    for_environment,
    option,
)
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.registrations import family_id

#: Table 1's figures that differ between environments; voxel building's are the bits'. Other families' epsilon is half a
#: side of where their goals lie, as the point maze's.
_PAPER_DEFAULTS: PaperDefaults = {
    "BitGrid-v0": {"epsilon": float("inf"), "entropy_weight": 0.0},
    "SparsePointMaze-v0": {"epsilon": 5.0},
    "SparseAntMaze-v0": {"epsilon": 10.0},
    "VoxelBuild-v0": {"epsilon": float("inf"), "entropy_weight": 0.0},
    "VoxelBuildSmall-v0": {"epsilon": float("inf"), "entropy_weight": 0.0},
    "FetchBlocks-v0": {"epsilon": 0.15},
    "GridWorld-v0": {"epsilon": 4.0},
}


@dataclass(frozen=True)
class SiblingRivalryConfiguration(DistanceConfiguration):
    """Defaults are the paper's (table 1)."""

    epsilon: float | None = option(
        None,
        "Inclusion threshold, in the environment's distance; the paper's for the environment by default.",
        DISTANCE,
    )
    own_starts: bool = option(False, "Whether siblings draw their starts apart (appendix D).")

    method: ClassVar[str] = "sibling-rivalry"
    tables: ClassVar[tuple[PaperDefaults, ...]] = (GOALS, _PAPER_DEFAULTS)

    @property
    def siblings(self) -> Siblings:
        """What the rows of a pair share."""
        return "goal" if self.own_starts else "start and goal"

    def make_labeller(self, rows: EpisodeRows) -> "SiblingRivalry":
        """Pairs relabel each other's rewards."""
        assert self.epsilon is not None and self.per_step is not None  # the paper's are filled in
        return SiblingRivalry(rows.view.distance, rows.view.threshold, self.epsilon, self.per_step)


class SiblingRivalry(Labeller):
    """Labels pairs of episodes (rows 2k and 2k + 1), each by the other's end.

    Args:
        distance: d, between batches of goals.
        threshold: delta, the greatest distance at which a goal is reached.
        epsilon: Greatest distance between siblings' ends at which the closer one is learned from too.
        per_step: Whether success, and by how much the end is closer to the goal than to the anti-goal, are paid as they
            come (voxel building), instead of r' at the end. Nothing is cut off at 0 then, as in the published source.
    """

    def __init__(self, distance: Distance, threshold: float, epsilon: float, per_step: bool = False):
        self.distance, self.threshold, self.epsilon, self.per_step = distance, threshold, epsilon, per_step

    def label(self, episodes: Episodes) -> Labels:
        """Each episode is rewarded by r', whose anti-goal is where its sibling ended: its goal, if it reached that.

        So the published source has it: an episode that failed beside a success earns 0, wherever around the goal its
        sibling stopped.
        """
        to_goal = self.distance(episodes.ends, episodes.goals)
        reached = (to_goal <= self.threshold).reshape(-1, *(1,) * (episodes.ends.ndim - 1))
        achieved = np.where(reached, episodes.goals, episodes.ends)
        anti_goals = siblings_of(achieved)
        between = self.distance(achieved, anti_goals)
        included = self.included(to_goal, between)
        return Labels(
            rewards=self._rewards(episodes, anti_goals, to_goal, between),
            included=included,
            anti_goals=anti_goals,
            measures={
                "distance": float(to_goal.mean()),
                "sibling_distance": float(between.mean()),
                "included": float(included.mean()),
            },
        )

    def _rewards(
        self, episodes: Episodes, anti_goals: np.ndarray, to_goal: np.ndarray, between: np.ndarray
    ) -> np.ndarray:
        """float64 (T, N), from the distances (N,) of the ends."""
        if not self.per_step:
            return episodes.at_the_end(self_balancing_reward(to_goal, between, self.threshold))
        states = episodes.observed("achieved_goal")
        balance = self.distance(states, anti_goals) - self.distance(states, episodes.goals)
        return episodes.changes(balance, between - to_goal) + episodes.at_the_end(to_goal <= self.threshold)

    def included(self, to_goal: np.ndarray, between: np.ndarray) -> np.ndarray:
        """The episodes that algorithm 1 adds to the buffer.

        Args:
            to_goal: (N,), distances from the ends to the goals.
            between: (N,), distances between the siblings' ends, the same for both of a pair.

        Returns:
            bool (N,): true for the farther one of every pair, and for the closer one where it reached the goal or the
            pair ended within epsilon. Of two equally far, the second is the closer one, as in algorithm 1.
        """
        first = np.arange(len(to_goal)) % 2 == 0
        others = siblings_of(to_goal)
        closer = np.where(first, to_goal < others, to_goal <= others)
        return ~closer | (to_goal <= self.threshold) | (between <= self.epsilon)


def self_balancing_reward(to_goal: np.ndarray, to_anti_goal: np.ndarray, threshold: float) -> np.ndarray:
    """Equation 3: r'(s, g, g') from d(s, g) and d(s, g').

    Returns:
        1 where the goal is reached, otherwise min(0, d(s, g') - d(s, g)).
    """
    return np.where(to_goal <= threshold, 1.0, np.minimum(0.0, to_anti_goal - to_goal))


@dataclass(frozen=True)
class NaiveConfiguration(DistanceConfiguration):
    """Defaults are the paper's (table 1)."""

    method: ClassVar[str] = "ppo-naive"
    tables: ClassVar[tuple[PaperDefaults, ...]] = (GOALS,)

    def make_labeller(self, rows: EpisodeRows) -> "TerminalDistance":
        """The distance that is left at the end is the reward."""
        assert self.per_step is not None  # the paper's is filled in
        return TerminalDistance(rows.view.distance, rows.view.threshold, self.per_step)


class TerminalDistance(Labeller):
    """Labels every episode by how far from the goal it ended.

    Args:
        distance: d, between batches of goals.
        threshold: delta, the greatest distance at which a goal is reached.
        per_step: Whether success, and by how much the goal has come nearer, are paid as they come (voxel building).
    """

    def __init__(self, distance: Distance, threshold: float, per_step: bool = False):
        self.distance, self.threshold, self.per_step = distance, threshold, per_step

    def label(self, episodes: Episodes) -> Labels:
        """Equation 2 at the last step, 0 before, or as it changes; every episode is included."""
        to_goal = self.distance(episodes.ends, episodes.goals)
        return Labels(
            rewards=self._rewards(episodes, to_goal),
            included=np.ones(len(to_goal), np.bool_),
            anti_goals=None,
            measures={"distance": float(to_goal.mean())},
        )

    def _rewards(self, episodes: Episodes, to_goal: np.ndarray) -> np.ndarray:
        """float64 (T, N), from the distances (N,) of the ends."""
        if not self.per_step:
            return episodes.at_the_end(naive_reward(to_goal, self.threshold))
        to_goals = self.distance(episodes.observed("achieved_goal"), episodes.goals)
        return episodes.changes(-to_goals, -to_goal) + episodes.at_the_end(to_goal <= self.threshold)


def naive_reward(to_goal: np.ndarray, threshold: float) -> np.ndarray:
    """Equation 2 from d(s, g): 1 where the goal is reached, otherwise minus the distance."""
    return np.where(to_goal <= threshold, 1.0, -to_goal)


#: The paper's mazes, where environments have room for others: 5 x 5 regions are the published source's, of 2 x 2 cells.
_PLANES = {"SparsePointMaze-v0": spaces.Box(-0.5, 9.5, (2,))}


@dataclass(frozen=True)
class GridOracleConfiguration(EpisodicConfiguration):
    """The paper gives no values: regions and weight are those of its published source, the rest is table 1's."""

    divisions: int = option(5, "Regions along each side of the plane.", COUNT)
    region_weight: float = option(0.01, "Reward of each region visited, where success is rewarded by 1.", AMOUNT)

    method: ClassVar[str] = "ppo-grid-oracle"

    def check(self, environment_id: str) -> None:
        """Refuse an environment whose goals are not places on a bounded plane.

        Raises:
            InvalidOptionError: They are not.
        """
        GridOracle(plane_of(environment_id), self.divisions, self.region_weight)

    def make_labeller(self, rows: EpisodeRows) -> "GridOracle":
        """Visited regions of the plane are rewarded."""
        return GridOracle(plane_of(rows.environment_id), self.divisions, self.region_weight)


def plane_of(environment_id: str) -> spaces.Box:
    """The space of the places that are divided into regions: a goal environment's goals, or its paper's."""
    known = family_id(environment_id)
    if known in _PLANES:
        return _PLANES[known]
    with gymnasium.make(environment_id) as env:
        leaves = array_leaves(env.observation_space)
    return leaves["achieved_goal"]


class GridOracle(Labeller):
    """Rewards every episode at its end for its success and its coverage of the plane that goals lie in.

    Args:
        plane: Space of the goals: x and y, bounded.
        divisions: Regions along each side, at least 1.
        weight: Reward of each region visited.

    Raises:
        InvalidOptionError: Goals are no places on a bounded plane.
    """

    def __init__(self, plane: spaces.Box, divisions: int, weight: float):
        if plane.shape != (2,) or not plane.is_bounded():
            raise InvalidOptionError(f"goals are of {plane}, expected two bounded coordinates, x and y")
        self.low, self.high, self.divisions, self.weight = plane.low, plane.high, divisions, weight

    def label(self, episodes: Episodes) -> Labels:
        """Coverage counts the start's region and the end's; every episode is included."""
        places = np.concatenate([episodes.observed("achieved_goal"), episodes.ends[np.newaxis]])
        counted = np.concatenate([episodes.played, np.ones((1, len(episodes.lengths)), np.bool_)])
        regions = regions_visited(places, counted, self.low, self.high, self.divisions)
        return Labels(
            rewards=episodes.at_the_end(episodes.successes + self.weight * regions),
            included=np.ones(len(regions), np.bool_),
            anti_goals=None,
            measures={"regions": float(regions.mean())},
        )


@dataclass(frozen=True)
class CuriosityConfiguration(EpisodicConfiguration):
    """Defaults are the paper's (table 1 and appendix F)."""

    discount: float = option(0.98, "Discount factor.", SHARE)
    bootstrap: bool = option(True, "Whether the critic's value follows an episode that was cut off.")
    bonus_weight: float = option(0.01, "Weight of the bonus, where success is rewarded by 1.", AMOUNT)
    scale_bonus: bool = option(
        False,
        "Whether bonuses are divided by the running deviation of their discounted sums (not in the published source).",
    )
    module_rate: float = option(0.05, "Learning rate of the curiosity module, as a share of the policy's.", AMOUNT)

    method: ClassVar[str] = "ppo-icm"

    def make_labeller(self, rows: EpisodeRows) -> BonusRewards:
        """What a forward model does not predict is rewarded."""
        space, settings = state_space(rows.env.single_observation_space), bonus_settings(self, self.module_rate)
        curiosity = Curiosity(space, rows.env.single_action_space, StateEncoder, settings)
        return BonusRewards(curiosity, self.bonus_weight, self.discount, self.scale_bonus)


@dataclass(frozen=True)
class DistillationConfiguration(EpisodicConfiguration):
    """The paper gives no values: defaults are its curiosity's (table 1 and appendix F)."""

    discount: float = option(0.98, "Discount factor.", SHARE)
    bootstrap: bool = option(True, "Whether the critic's value follows an episode that was cut off.")
    bonus_weight: float = option(0.01, "Weight of the bonus, where success is rewarded by 1.", AMOUNT)
    scale_bonus: bool = option(
        True, "Whether bonuses are divided by the running deviation of their discounted sums (Burda et al. do)."
    )
    module_rate: float = option(0.05, "Learning rate of the predictor, as a share of the policy's.", AMOUNT)

    method: ClassVar[str] = "ppo-rnd"

    def make_labeller(self, rows: EpisodeRows) -> BonusRewards:
        """States unlike those that a predictor knows are rewarded."""
        space, settings = state_space(rows.env.single_observation_space), bonus_settings(self, self.module_rate)
        return BonusRewards(
            Distillation(space, StateEncoder, settings), self.bonus_weight, self.discount, self.scale_bonus
        )


def train(benchmark: Benchmark, configuration: EpisodicConfiguration, seed: int, steps: int, out: Path) -> RunFolder:
    """Train as long as whole episodes fit in ``steps`` environment steps; resumes the run that ``out`` holds.

    Raises:
        InvalidOptionError: A setting does not hold in the environment.
    """
    environment_id = benchmark.environment_id
    configuration = for_environment(configuration, environment_id, *configuration.tables)
    configuration.check(environment_id)
    return train_on_episodes(benchmark, configuration, seed, steps, out)


def train_on_episodes(
    benchmark: Benchmark, configuration: EpisodicConfiguration, seed: int, steps: int, out: Path
) -> RunFolder:
    """Train as long as an episode of every row fits in ``steps`` environment steps; resumes the run in ``out``.

    Args:
        benchmark: What is trained for.
        configuration: The method's settings; the paper's are filled in.
        seed: Seed of the run.
        steps: Environment steps.
        out: Run folder.

    Raises:
        InvalidOptionError: Rows do not come in pairs, a group would tear one apart, there are no convolutions whose
            precision could be chosen, or tasks that have no starts of their own are to be given some.
    """
    environment_id, siblings = benchmark.environment_id, configuration.siblings
    paired = siblings != "none"
    view = view_options(configuration.observation)
    settings = policy_settings(environment_id, configuration) | view
    check_goal_options(environment_id, configuration, configuration.observation)
    if paired and configuration.rollouts % 2:
        raise InvalidOptionError(f"rollouts is {configuration.rollouts}, expected an even number: siblings are pairs")
    if paired and configuration.group_size % 2 and 1 < configuration.group_size < configuration.rollouts:
        raise InvalidOptionError(
            f"group_size is {configuration.group_size}, expected an even number, or 1: siblings are pairs, of which a "
            "group holds both"
        )
    if siblings == "goal" and not has_starts(environment_id):
        raise InvalidOptionError(f"own_starts is True, expected False: {environment_id} has no starts beside goals")
    run, rows = prepare_run(
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
        **view,
    )
    env, rng = rows.env, rng_of("learner", seed)
    assert isinstance(rows, EpisodeRows)  # as asked for
    with torch_seeded_from(rng, torch.device("cpu")):
        policy = GoalPolicy(environment_id, configuration.stochastic, **settings)
        network = GoalActorCritic(rows.view.space(env.single_observation_space), env.single_action_space, paired)
        labeller = configuration.make_labeller(rows)
    horizon = benchmark.max_episode_steps // rows.steps_per_action
    learner = with_low_level(EpisodeLearner(network, labeller, configuration, rng), rows, configuration, seed)
    with Trainer(run, Player(learner, policy, settings), rows, horizon, EpisodeCollector) as trainer:
        trainer.advance(steps)
    return run
