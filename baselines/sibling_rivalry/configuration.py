"""Sibling Rivalry's settings."""

from dataclasses import dataclass

from procgen_bench.baselines.configuration import option
from procgen_bench.baselines.episodic.configuration import EpisodicConfiguration


@dataclass(frozen=True)
class SiblingRivalryConfiguration(EpisodicConfiguration):
    """Defaults are the paper's (table 1)."""

    epsilon: float | None = option(
        None, "Inclusion threshold, in the environment's distance; the paper's for the environment by default."
    )
    own_starts: bool = option(False, "Whether siblings draw their starts apart (appendix D).")
    per_step: bool | None = option(
        None, "Whether the reward is paid as it changes with every step; in voxel building only by default."
    )
