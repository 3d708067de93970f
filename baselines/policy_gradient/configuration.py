"""What PPO and A2C have in common to be set."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from procgen_bench.baselines.configuration import AMOUNT, COUNT, POSITIVE, SHARE, option
from procgen_bench.baselines.learning.configuration import RolloutConfiguration

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class PolicyGradientConfiguration(RolloutConfiguration):
    """Settings of an actor-critic under a teacher."""

    learning_rate: float = option(1e-3, "Step size of the optimiser.", AMOUNT)
    minibatches: int = option(4, "Minibatches of each epoch.", COUNT)
    epochs: int = option(4, "Passes over each rollout.", COUNT)
    discount: float = option(0.99, "Discount factor.", SHARE)
    gae_lambda: float = option(0.95, "Decay of generalised advantage estimation.", SHARE)
    clip_range: float = option(0.2, "Clip range of the probability ratio; 0: the plain policy gradient.", AMOUNT)
    entropy_weight: float = option(0.01, "Weight of the entropy bonus.", AMOUNT)
    value_weight: float = option(0.5, "Weight of the critic's loss.", AMOUNT)
    max_gradient: float = option(0.5, "Greatest norm of the gradient.", POSITIVE)
    normalise: bool = option(True, "Whether each minibatch's advantages are normalised.")
    optimiser: Literal["adam", "rmsprop"] = option("adam", "The optimiser.")
    width: int = option(128, "Numbers in each dense layer.", COUNT)
    layers: int = option(2, "Dense layers.", COUNT)
    network: str = option("", "A network of your own, module:Class, that reads the observations before these layers.")
    memory: int = option(0, "Numbers that the network remembers; 0: it has no memory.", AMOUNT)

    def make_optimizer(self, parameters: Iterable["torch.nn.Parameter"]) -> "torch.optim.Optimizer":
        """The optimiser, with the epsilons that stable-baselines3 gives it."""
        import torch

        if self.optimiser == "adam":
            return torch.optim.Adam(parameters, lr=self.learning_rate, eps=1e-5, fused=True)
        return torch.optim.RMSprop(parameters, lr=self.learning_rate, alpha=0.99, eps=1e-5)
