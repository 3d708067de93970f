"""The Grid Oracle's settings."""

from dataclasses import dataclass

from procgen_bench.baselines.configuration import option
from procgen_bench.baselines.episodic.configuration import EpisodicConfiguration


@dataclass(frozen=True)
class GridOracleConfiguration(EpisodicConfiguration):
    """The paper gives no figures: regions and weight are those of its published source, the rest is table 1's."""

    divisions: int = option(5, "Regions along each side of the plane, at least 1.")
    region_weight: float = option(0.01, "Reward of each region visited, where success is rewarded by 1.")
