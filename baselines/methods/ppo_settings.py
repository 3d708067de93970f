"""Settings of PPO, recurrent PPO and A2C."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    POSITIVE,
    SHARE,
    RolloutConfiguration,
    option,
)


@dataclass(frozen=True)
class BegunConfiguration(RolloutConfiguration):
    """Settings of learners that may start with weights from another run."""

    begin_from: str = option(
        "",
        "Folder of a run or policy whose weights the run starts with, or trained, the package's policy, and the scale "
        "of its critic's returns, where both have one. The optimiser starts afresh.",
    )


@dataclass(frozen=True)
class ActorCriticConfiguration(BegunConfiguration):
    """Settings of methods that train an :class:`.ActorCritic`."""

    width: int = option(128, "Units in each dense layer.", COUNT)
    layers: int = option(2, "Dense layers.", COUNT)
    network: str = option(
        "",
        "What reads the observations before these layers: view, a small convolution over pictures of categories, or a "
        "network of your own, module:Class.",
    )
    memory: int = option(0, "Units of the memory; 0: the network has none.", AMOUNT)
    memory_kind: Literal["gru", "lstm"] = option(
        "gru", "What the memory is: a gated recurrent unit, or a long short-term memory."
    )
    head_width: int = option(
        0,
        "Units of a layer of the actor alone, and of one of the critic, behind the memory; 0: they have none.",
        AMOUNT,
    )
    action_repeat: int = option(
        1, "Steps that an action lasts, in training and in play, if all episodes have one length.", COUNT
    )

    @property
    def sizes(self) -> dict[str, Any]:
        """What the policy is built from, as its folder keeps it."""
        sizes = {name: getattr(self, name) for name in ("width", "layers", "memory", "network", "action_repeat")}
        later = {"memory_kind": "gru", "head_width": 0}  # a folder that says nothing of these means these
        return sizes | {name: getattr(self, name) for name, usual in later.items() if getattr(self, name) != usual}


@dataclass(frozen=True)
class PolicyGradientConfiguration(BegunConfiguration):
    """Settings of :class:`PolicyGradient`, for any network."""

    learning_rate: float = option(1e-3, "Learning rate of the optimiser.", AMOUNT)
    minibatches: int = option(4, "Minibatches of each epoch, divided among the players if several learn.", COUNT)
    epochs: int = option(4, "Passes over each rollout.", COUNT)
    discount: float = option(0.99, "Discount factor.", SHARE)
    gae_lambda: float = option(0.95, "Decay of generalised advantage estimation.", SHARE)
    clip_range: float = option(0.2, "Clip range of the probability ratio; 0: the plain policy gradient.", AMOUNT)
    max_kl: float = option(0.0, "Divergence from the policy that acted at which an update ends; 0: none.", AMOUNT)
    entropy_weight: float = option(0.01, "Weight of the entropy bonus.", AMOUNT)
    entropy_target: float = option(
        0.0, "Actions' mean entropy, in nats, that its weight is adapted to, from 0.0001 to 1; 0: it is not.", AMOUNT
    )
    barrier_weight: float = option(
        0.0,
        "Weight of a barrier that keeps actions possible: how far the uniform distribution diverges from the policy's.",
        AMOUNT,
    )
    cooldown: float = option(
        0.0, "Share of the run, at its end, over which learning rate and entropy's weight fall to 0.", SHARE
    )
    value_weight: float = option(0.5, "Weight of the critic's loss.", AMOUNT)
    max_gradient: float = option(0.5, "Maximum norm of the gradient.", POSITIVE)
    normalise: bool = option(True, "Whether each minibatch's advantages are normalised.")
    optimiser: Literal["adam", "rmsprop"] = option("adam", "The optimiser.")


@dataclass(frozen=True)
class PPOConfiguration(PolicyGradientConfiguration, ActorCriticConfiguration):
    """Settings for short episodes and many rows on a CPU."""

    method: ClassVar[str] = "ppo"


@dataclass(frozen=True)
class RecurrentPPOConfiguration(PPOConfiguration):
    """Settings for what has to be remembered: whole rollouts are learned from in their order."""

    method: ClassVar[str] = "recurrent-ppo"

    num_envs: int = option(512, "Rows of the vector environment.", COUNT)
    memory: int = option(128, "Units of the memory.", COUNT)


@dataclass(frozen=True)
class A2CConfiguration(PPOConfiguration):
    """Defaults are stable-baselines3's but for the rows: one plain gradient step for five steps of every row."""

    method: ClassVar[str] = "a2c"

    num_envs: int = option(64, "Rows of the vector environment.", COUNT)
    rollout_steps: int = option(5, "Steps of every row between updates.", COUNT)
    learning_rate: float = option(7e-4, "Learning rate of the optimiser.", AMOUNT)
    minibatches: int = option(1, "Minibatches of each epoch.", COUNT)
    epochs: int = option(1, "Passes over each rollout.", COUNT)
    gae_lambda: float = option(1.0, "Decay of generalised advantage estimation.", SHARE)
    clip_range: float = option(0.0, "Clip range of the probability ratio; 0: the plain policy gradient.", AMOUNT)
    normalise: bool = option(False, "Whether each minibatch's advantages are normalised.")
    optimiser: Literal["adam", "rmsprop"] = option("rmsprop", "The optimiser.")
