"""Settings of V-MPO."""

from dataclasses import dataclass
from typing import ClassVar

from procgen_bench.baselines.methods.ppo_settings import ActorCriticConfiguration
from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    POSITIVE,
    SHARE,
    option,
)


@dataclass(frozen=True)
class VMPOConfiguration(ActorCriticConfiguration):
    """The bound is XLand's (table 4); rates and sizes are for a laptop."""

    method: ClassVar[str] = "vmpo"

    rollout_steps: int = option(24, "Steps of every row between updates.", COUNT)
    learning_rate: float = option(
        7e-4, "Learning rate of Adam; XLand's is 1e-4, for 200 times as many updates.", AMOUNT
    )
    minibatches: int = option(8, "Minibatches of each epoch, one gradient step each.", COUNT)
    epochs: int = option(2, "Passes over each rollout.", COUNT)
    target_period: int = option(
        1,
        "Least gradient steps until the acting policy is replaced, between rollouts; XLand's: 50.",
        COUNT,
    )
    discount: float = option(0.99, "Discount factor.", SHARE)
    gae_lambda: float = option(
        1.0, "Decay of generalised advantage estimation; 1: n-step returns, as published.", SHARE
    )
    kl_bound: float = option(0.01252, "Bound of the mean divergence from the acting policy.", POSITIVE)
    entropy_weight: float = option(0.0, "Weight of an entropy bonus; the source has none.", AMOUNT)
    popart_share: float = option(
        0.01, "Step size of the returns' statistics at an update (PopArt); 0: returns are not normalised.", SHARE
    )
    max_gradient: float = option(10.0, "Maximum norm of the gradient.", POSITIVE)
