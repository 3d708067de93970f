"""PPO on the sparse reward and the regions visited: the Grid Oracle (Sibling Rivalry, appendix E)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import gymnasium
import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.configuration import AMOUNT, COUNT, for_environment, option
from procgen_bench.baselines.episodic.configuration import TABLE_1, EpisodicConfiguration
from procgen_bench.baselines.episodic.episodes import Episodes
from procgen_bench.baselines.episodic.labels import Labeller, Labels
from procgen_bench.baselines.exploration.coverage import regions_visited
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.registrations import family_id

if TYPE_CHECKING:
    from procgen_bench.baselines.run_folder import RunFolder

#: The paper's mazes, where environments have room for others: 5 x 5 regions are the published source's, of 2 x 2 cells.
_PLANES = {"SparsePointMaze-v0": spaces.Box(-0.5, 9.5, (2,))}


@dataclass(frozen=True)
class GridOracleConfiguration(EpisodicConfiguration):
    """The paper gives no figures: regions and weight are those of its published source, the rest is table 1's."""

    divisions: int = option(5, "Regions along each side of the plane.", COUNT)
    region_weight: float = option(0.01, "Reward of each region visited, where success is rewarded by 1.", AMOUNT)


def train(
    benchmark: Benchmark, configuration: GridOracleConfiguration, seed: int, steps: int, out: Path
) -> "RunFolder":
    """Train as long as whole episodes fit in ``steps`` environment steps; resumes the run that ``out`` holds.

    Raises:
        InvalidOptionError: The environment's goals are no places on a bounded plane.
    """
    from procgen_bench.baselines.episodic.training import train_on_episodes

    configuration = for_environment(configuration, benchmark.environment_id, TABLE_1)
    oracle = GridOracle(plane_of(benchmark.environment_id), configuration.divisions, configuration.region_weight)
    return train_on_episodes(
        "ppo-grid-oracle", benchmark, configuration, seed, steps, out, lambda rows: oracle, siblings="none"
    )


def plane_of(environment_id: str) -> spaces.Box:
    """The space of the places that are divided into regions: a goal environment's goals, or its paper's."""
    from procgen_bench.baselines.encoder import array_leaves

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


if __name__ == "__main__":
    from procgen_bench.baselines.command_line import main

    main("ppo-grid-oracle")
