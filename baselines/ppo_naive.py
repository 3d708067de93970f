"""PPO on the distance that is left at the end: what Sibling Rivalry calls the naive reward (equation 2)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.baselines.configuration import for_environment
from procgen_bench.baselines.episodic.configuration import GOALS, EpisodicConfiguration
from procgen_bench.baselines.episodic.episodes import Episodes
from procgen_bench.baselines.episodic.labels import Labeller, Labels
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.episodic.episode_rows import EpisodeRows
    from procgen_bench.baselines.episodic.goal_view import Distance
    from procgen_bench.baselines.run_folder import RunFolder


@dataclass(frozen=True)
class NaiveConfiguration(EpisodicConfiguration):
    """Defaults are the paper's (table 1)."""


def train(benchmark: Benchmark, configuration: NaiveConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train as long as whole episodes fit in ``steps`` environment steps; resumes the run that ``out`` holds."""
    from procgen_bench.baselines.episodic.training import train_on_episodes

    configuration = for_environment(configuration, benchmark.environment_id, GOALS)

    def make_labeller(rows: "EpisodeRows") -> TerminalDistance:
        return TerminalDistance(rows.view.distance, rows.view.threshold)

    return train_on_episodes("ppo-naive", benchmark, configuration, seed, steps, out, make_labeller, siblings="none")


class TerminalDistance(Labeller):
    """Labels every episode by how far from the goal it ended.

    Args:
        distance: d, between batches of goals.
        threshold: delta, the greatest distance at which a goal is reached.
    """

    def __init__(self, distance: "Distance", threshold: float):
        self.distance, self.threshold = distance, threshold

    def label(self, episodes: Episodes) -> Labels:
        """Equation 2 at the last step, 0 before; every episode is included."""
        to_goal = self.distance(episodes.ends, episodes.goals)
        return Labels(
            rewards=episodes.at_the_end(naive_reward(to_goal, self.threshold)),
            included=np.ones(len(to_goal), np.bool_),
            anti_goals=None,
            measures={"distance": float(to_goal.mean())},
        )


def naive_reward(to_goal: np.ndarray, threshold: float) -> np.ndarray:
    """Equation 2 from d(s, g): 1 where the goal is reached, otherwise minus the distance."""
    return np.where(to_goal <= threshold, 1.0, -to_goal)


if __name__ == "__main__":
    from procgen_bench.baselines.command_line import main

    main("ppo-naive")
