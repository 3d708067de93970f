"""PPO on the distance that is left: what Sibling Rivalry calls the naive reward (equation 2)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.baselines.configuration import for_environment
from procgen_bench.baselines.episodic.configuration import GOALS, DistanceConfiguration
from procgen_bench.baselines.episodic.episodes import Episodes
from procgen_bench.baselines.episodic.labels import Labeller, Labels
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.episodic.episode_rows import EpisodeRows
    from procgen_bench.baselines.episodic.goal_view import Distance
    from procgen_bench.baselines.run_folder import RunFolder


@dataclass(frozen=True)
class NaiveConfiguration(DistanceConfiguration):
    """Defaults are the paper's (table 1)."""


def train(benchmark: Benchmark, configuration: NaiveConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train as long as whole episodes fit in ``steps`` environment steps; resumes the run that ``out`` holds."""
    from procgen_bench.baselines.episodic.training import train_on_episodes

    configuration = for_environment(configuration, benchmark.environment_id, GOALS)
    per_step = configuration.per_step
    assert per_step is not None  # the paper's figures are filled in

    def make_labeller(rows: "EpisodeRows") -> TerminalDistance:
        return TerminalDistance(rows.view.distance, rows.view.threshold, per_step)

    return train_on_episodes("ppo-naive", benchmark, configuration, seed, steps, out, make_labeller, siblings="none")


class TerminalDistance(Labeller):
    """Labels every episode by how far from the goal it ended.

    Args:
        distance: d, between batches of goals.
        threshold: delta, the greatest distance at which a goal is reached.
        per_step: Whether success, and by how much the goal has come nearer, are paid as they come (voxel building).
    """

    def __init__(self, distance: "Distance", threshold: float, per_step: bool = False):
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


if __name__ == "__main__":
    from procgen_bench.baselines.command_line import main

    main("ppo-naive")
