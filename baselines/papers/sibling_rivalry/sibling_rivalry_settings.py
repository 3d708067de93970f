"""Settings of Sibling Rivalry and of the methods that it is compared with, which learn from whole episodes."""

from dataclasses import dataclass
from typing import ClassVar

from procgen_bench.baselines.papers.sibling_rivalry.episode_settings import (
    GOALS,
    DistanceConfiguration,
    EpisodicConfiguration,
    Siblings,
)
from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    DISTANCE,
    SHARE,
    PaperDefaults,
    option,
)

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


@dataclass(frozen=True)
class NaiveConfiguration(DistanceConfiguration):
    """Defaults are the paper's (table 1)."""

    method: ClassVar[str] = "ppo-naive"
    tables: ClassVar[tuple[PaperDefaults, ...]] = (GOALS,)


@dataclass(frozen=True)
class GridOracleConfiguration(EpisodicConfiguration):
    """The paper gives no values: regions and weight are those of its published source, the rest is table 1's."""

    divisions: int = option(5, "Regions along each side of the plane.", COUNT)
    region_weight: float = option(0.01, "Reward of each region visited, where success is rewarded by 1.", AMOUNT)

    method: ClassVar[str] = "ppo-grid-oracle"


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
