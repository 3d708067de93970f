"""The naive method's settings."""

from dataclasses import dataclass

from procgen_bench.baselines.episodic.configuration import EpisodicConfiguration


@dataclass(frozen=True)
class NaiveConfiguration(EpisodicConfiguration):
    """Defaults are the paper's (table 1)."""
