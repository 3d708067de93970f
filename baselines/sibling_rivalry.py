"""Sibling Rivalry (Trott et al., 2019): pairs of rollouts that relabel each other's rewards.

Its two rules are mutual relabelling (equations 3 and 4) and selective inclusion (algorithm 1).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.baselines.configuration import DISTANCE, Figures, for_environment, option
from procgen_bench.baselines.episodic.configuration import GOALS, DistanceConfiguration
from procgen_bench.baselines.episodic.episodes import Episodes, Siblings, siblings_of
from procgen_bench.baselines.episodic.labels import Labeller, Labels
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.episodic.episode_rows import EpisodeRows
    from procgen_bench.baselines.episodic.goal_view import Distance
    from procgen_bench.baselines.run_folder import RunFolder

#: Table 1's figures that differ between environments; voxel building's are the bits'. Other families' epsilon is half a
#: side of where their goals lie, as the point maze's.
_FIGURES: Figures = {
    "BitGrid-v0": {"epsilon": float("inf"), "entropy_weight": 0.0},
    "SparsePointMaze-v0": {"epsilon": 5.0},
    "SparseAntMaze-v0": {"epsilon": 10.0},
    "VoxelBuild-v0": {"epsilon": float("inf"), "entropy_weight": 0.0},
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


def train(
    benchmark: Benchmark, configuration: SiblingRivalryConfiguration, seed: int, steps: int, out: Path
) -> "RunFolder":
    """Train as long as whole episodes fit in ``steps`` environment steps; resumes the run that ``out`` holds."""
    from procgen_bench.baselines.episodic.training import train_on_episodes

    configuration = for_environment(configuration, benchmark.environment_id, GOALS, _FIGURES)

    epsilon, per_step = configuration.epsilon, configuration.per_step
    assert epsilon is not None and per_step is not None  # the paper's figures are filled in

    def make_labeller(rows: "EpisodeRows") -> SiblingRivalry:
        return SiblingRivalry(rows.view.distance, rows.view.threshold, epsilon, per_step)

    siblings: Siblings = "goal" if configuration.own_starts else "start and goal"
    return train_on_episodes("sibling-rivalry", benchmark, configuration, seed, steps, out, make_labeller, siblings)


class SiblingRivalry(Labeller):
    """Labels pairs of episodes (rows 2k and 2k + 1), each by the other's end.

    Args:
        distance: d, between batches of goals.
        threshold: delta, the greatest distance at which a goal is reached.
        epsilon: Greatest distance between siblings' ends at which the closer one is learned from too.
        per_step: Whether success, and by how much the end is closer to the goal than to the anti-goal, are paid as they
            come (voxel building), instead of r' at the end. Nothing is cut off at 0 then, as in the published source.
    """

    def __init__(self, distance: "Distance", threshold: float, epsilon: float, per_step: bool = False):
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


if __name__ == "__main__":
    from procgen_bench.baselines.command_line import main

    main("sibling-rivalry")
