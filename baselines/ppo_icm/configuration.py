"""The settings of PPO with intrinsic curiosity."""

from dataclasses import dataclass

from procgen_bench.baselines.configuration import option
from procgen_bench.baselines.episodic.configuration import EpisodicConfiguration


@dataclass(frozen=True)
class CuriosityConfiguration(EpisodicConfiguration):
    """Defaults are the paper's (table 1 and appendix F)."""

    discount: float = option(0.98, "Discount factor.")
    bootstrap: bool = option(True, "Whether the critic's value follows an episode that was cut off.")
    bonus_weight: float = option(0.01, "Weight of the scaled bonus, where success is rewarded by 1.")
    module_rate: float = option(0.05, "Learning rate of the curiosity module, as a share of the policy's.")
