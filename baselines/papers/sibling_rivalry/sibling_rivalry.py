"""Sibling Rivalry (Trott et al., 2019): pairs of rollouts that relabel each other's rewards.

Its two rules are mutual relabelling (equations 3 and 4) and selective inclusion (algorithm 1).
"""

import gymnasium
import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.papers.sibling_rivalry.bonus_rewards import (
    BonusRewards,
    StateEncoder,
    bonus_settings,
    state_space,
)
from procgen_bench.baselines.papers.sibling_rivalry.coverage import regions_visited
from procgen_bench.baselines.papers.sibling_rivalry.episode_learner import EpisodeCollector, EpisodeLearner
from procgen_bench.baselines.papers.sibling_rivalry.episode_settings import EpisodicConfiguration
from procgen_bench.baselines.papers.sibling_rivalry.goal_view import Distance, has_starts
from procgen_bench.baselines.papers.sibling_rivalry.sibling_rivalry_settings import (
    CuriosityConfiguration,
    DistillationConfiguration,
    GridOracleConfiguration,
    NaiveConfiguration,
    SiblingRivalryConfiguration,
)
from procgen_bench.baselines.papers.sibling_rivalry.two_levels import with_low_level
from procgen_bench.baselines.papers.sibling_rivalry.whole_episodes import (
    EpisodeRows,
    Episodes,
    Labeller,
    Labels,
    siblings_of,
)
from procgen_bench.baselines.parts.bonuses.curiosity import Curiosity
from procgen_bench.baselines.parts.bonuses.distillation import Distillation
from procgen_bench.baselines.parts.bonuses.learned_bonus import LearnedBonus
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic
from procgen_bench.baselines.parts.hierarchy import (
    GoalPolicy,
    check_goal_options,
    policy_settings,
    row_options,
    steps_per_action,
    view_options,
)
from procgen_bench.baselines.policies.tensors import array_leaves, torch_seeded_from
from procgen_bench.baselines.training.method import Context, RowsOptions, cooling
from procgen_bench.baselines.training.player import Player
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.registrations import family_id


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


def make_labeller(configuration: EpisodicConfiguration, rows: EpisodeRows) -> Labeller:
    """The rule of a configuration's method, by which the episodes of these rows are rewarded."""
    match configuration:
        case SiblingRivalryConfiguration():
            assert configuration.epsilon is not None and configuration.per_step is not None  # the paper's
            view = rows.view
            return SiblingRivalry(view.distance, view.threshold, configuration.epsilon, configuration.per_step)
        case NaiveConfiguration():
            assert configuration.per_step is not None  # the paper's
            return TerminalDistance(rows.view.distance, rows.view.threshold, configuration.per_step)
        case GridOracleConfiguration():
            plane = plane_of(rows.environment_id)
            return GridOracle(plane, configuration.divisions, configuration.region_weight)
        case CuriosityConfiguration() | DistillationConfiguration():
            return _bonus_rewards(configuration, rows)
    raise TypeError(f"no rewards are known for {type(configuration).__name__}")


def _bonus_rewards(
    configuration: CuriosityConfiguration | DistillationConfiguration, rows: EpisodeRows
) -> BonusRewards:
    """What a forward model does not predict is rewarded, or states unlike those that a predictor knows."""
    assert configuration.discount is not None
    space = state_space(rows.env.single_observation_space)
    settings = bonus_settings(configuration, configuration.module_rate)
    bonus: LearnedBonus
    if isinstance(configuration, CuriosityConfiguration):
        bonus = Curiosity(space, rows.env.single_action_space, StateEncoder, settings)
    else:
        bonus = Distillation(space, StateEncoder, settings)
    return BonusRewards(bonus, configuration.bonus_weight, configuration.discount, configuration.scale_bonus)


def rows_options(environment_id: str, configuration: EpisodicConfiguration) -> RowsOptions:
    """Rows that play whole episodes, in pairs where the method has siblings.

    Raises:
        InvalidOptionError: Rows do not come in pairs, a group would tear one apart, there are no convolutions whose
            precision could be chosen, tasks that have no starts of their own are to be given some, or goals are no
            places on a plane that could be divided.
    """
    siblings, observation = configuration.siblings, _observed_in_training(environment_id, configuration)
    check_goal_options(environment_id, configuration, observation)
    rows, group = configuration.rollouts, configuration.group_size
    if siblings != "none" and rows % 2:
        raise InvalidOptionError(f"rollouts is {rows}, expected an even number: siblings are pairs")
    if siblings != "none" and group % 2 and 1 < group < rows:
        raise InvalidOptionError(
            f"group_size is {group}, expected an even number, or 1: siblings are pairs, of which a group holds both"
        )
    if siblings == "goal" and not has_starts(environment_id):
        raise InvalidOptionError(f"own_starts is True, expected False: {environment_id} has no starts beside goals")
    if isinstance(configuration, GridOracleConfiguration):
        GridOracle(plane_of(environment_id), configuration.divisions, configuration.region_weight)
    return RowsOptions(
        rows,
        rollout_steps=0,
        steps_per_action=steps_per_action(environment_id),
        whole_episodes=True,
        rows_type=EpisodeRows,
        collector_type=EpisodeCollector,
        options={"siblings": siblings, **row_options(environment_id, configuration), **view_options(observation)},
    )


def _observed_in_training(environment_id: str, configuration: EpisodicConfiguration) -> str:
    """The environment's argument ``observation``: with the pose beside the picture where it is to be recognised."""
    if not configuration.recognition:
        return configuration.observation
    if family_id(environment_id) != "VoxelBuild-v0" or configuration.observation:
        raise InvalidOptionError(
            f"recognition is {configuration.recognition:g}, expected 0: only agents that see pictures of where they "
            "stand, as VoxelBuild-v0's do without --observation, can tell from them"
        )
    return "picture+pose"


def make_players(context: Context) -> list[Player]:
    """One learner, of subgoals over a low level where the environment has one."""
    configuration, rows, rng = context.configuration, context.rows, context.rng("learner")
    environment_id = context.benchmark.environment_id
    settings = policy_settings(environment_id, configuration) | view_options(configuration.observation)
    recognises = configuration.recognition > 0
    if recognises:
        settings["recognises"] = True
    assert isinstance(rows, EpisodeRows)  # as asked for
    is_paired = configuration.siblings != "none"
    with torch_seeded_from(rng, torch.device("cpu")):
        policy = GoalPolicy(environment_id, configuration.stochastic, **settings)
        seen = rows.view.space(rows.env.single_observation_space)
        network = GoalActorCritic(seen, rows.env.single_action_space, is_paired, recognises=recognises)
        labeller = make_labeller(configuration, rows)
    own = EpisodeLearner(network, labeller, configuration, rng)
    own.entropy_left = cooling(configuration.entropy_cooldown, rows, context.steps)
    return [Player(with_low_level(own, rows, configuration, context.seed), policy, settings)]
