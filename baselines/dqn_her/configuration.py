"""DQN with hindsight's settings."""

from dataclasses import dataclass

from procgen_bench.baselines.configuration import option
from procgen_bench.baselines.off_policy.configuration import OffPolicyConfiguration


@dataclass(frozen=True)
class DQNHERConfiguration(OffPolicyConfiguration):
    """Defaults are the paper's (table 2)."""

    relabelled: int = option(4, "Relabelled transitions to every one as played (k).")
