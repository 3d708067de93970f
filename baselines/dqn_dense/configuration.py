"""Settings of DQN with dense rewards."""

from dataclasses import dataclass

from procgen_bench.baselines.off_policy.configuration import OffPolicyConfiguration


@dataclass(frozen=True)
class DQNDenseConfiguration(OffPolicyConfiguration):
    """Defaults are the paper's (table 2)."""
