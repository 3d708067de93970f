"""DDPG with hindsight's settings."""

from dataclasses import dataclass

from procgen_bench.baselines.configuration import option
from procgen_bench.baselines.off_policy.configuration import OffPolicyConfiguration


@dataclass(frozen=True)
class DDPGHERConfiguration(OffPolicyConfiguration):
    """Defaults are the paper's (table 2)."""

    relabelled: int = option(4, "Relabelled transitions to every one as played (k).")
    noise: float = option(0.1, "Standard deviation of behaviour's noise, as a share of an action's greatest size.")
    action_l2: float | None = option(
        None, "Weight of the mean squared action; the paper's for the environment by default."
    )
