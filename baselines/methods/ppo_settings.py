"""Settings of PPO, recurrent PPO and A2C."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    POSITIVE,
    SHARE,
    PaperDefaults,
    RolloutConfiguration,
    option,
)


@dataclass(frozen=True)
class RewardConfiguration(RolloutConfiguration):
    """Settings of learners with self reward-play, and with first weights from another run."""

    reward_play: bool = option(
        False, "Self reward-play: the learner is rewarded for making rewards start, then stop, and so on."
    )
    begin_from: str = option(
        "",
        "Folder of a run or policy whose weights the run starts with, or trained, the package's policy, and the scale "
        "of its critic's returns (PopArt), where the folder has one. The optimiser starts afresh.",
    )


@dataclass(frozen=True)
class ActorCriticConfiguration(RewardConfiguration):
    """Settings of methods that train an :class:`.ActorCritic`."""

    width: int = option(128, "Units in each dense layer.", COUNT)
    layers: int = option(2, "Dense layers.", COUNT)
    network: str = option("", "A network of your own, module:Class, that reads the observations before these layers.")
    memory: int = option(0, "Units of the memory; 0: the network has none.", AMOUNT)
    goal_attention: bool = option(
        False,
        "Whether XLand's goals are read after the memory, as a whole and by option; the agent follows the best option.",
    )
    observation: str = option(
        "",
        "The environment's argument of that name: XLand-v0 has `state` besides pictures. Empty: its default.",
    )
    privileged: bool = option(
        False, "Whether the policy also observes what the player does not see, in XLand; the leaderboard refuses it."
    )
    action_repeat: int = option(
        1, "Steps that an action lasts, in training and in play, if all episodes have one length.", COUNT
    )
    staggered: bool = option(
        True, "Whether rows start at different ages if all episodes have one length, by cutting the first episodes."
    )
    co_players: str = option(
        "",
        "Players in the other seats of tasks, by name or a policy's folder, separated by commas, one drawn for each "
        "world; `learner`: the learner itself; `trained`: the package's policy. Empty: the environment's default.",
    )
    atom_weight: float = option(
        0.0,
        "Weight of the loss of predicting which atoms of XLand's goals hold; 0: none, 1: as published. With "
        "goal_attention they are predicted from features that have not read the goal, else from ones that have.",
        AMOUNT,
    )
    teacher_policy: str = option(
        "",
        "Folder of a policy with the same observations and actions, or trained, which the run's policy is distilled "
        "from at steps without reward.",
    )
    distil: float = option(4.0, "Weight of the divergence from the teacher's policy.", AMOUNT)
    distil_share: float = option(0.2, "Share of the run, at its start, with a teacher's policy.", SHARE)

    @property
    def sizes(self) -> dict[str, Any]:
        """What the policy is built from, as its folder keeps it."""
        numbers = {"width": self.width, "layers": self.layers, "memory": self.memory}
        further = {name: getattr(self, name) for name in ("goal_attention", "observation", "privileged")}
        chosen = {name: value for name, value in further.items() if value}
        return numbers | {"network": self.network, "action_repeat": self.action_repeat} | chosen


@dataclass(frozen=True)
class PolicyGradientConfiguration(RewardConfiguration):
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
    cooldown: float = option(
        0.0, "Share of the run, at its end, over which learning rate and entropy's weight fall to 0.", SHARE
    )
    value_weight: float = option(0.5, "Weight of the critic's loss.", AMOUNT)
    max_gradient: float = option(0.5, "Maximum norm of the gradient.", POSITIVE)
    normalise: bool = option(True, "Whether each minibatch's advantages are normalised.")
    optimiser: Literal["adam", "rmsprop"] = option("adam", "The optimiser.")
    popart_share: float = option(
        0.0, "Step size of the returns' statistics at an update (PopArt); 0: returns are not normalised.", SHARE
    )


#: Episodes of XLand last hundreds of steps, in which rewards are frequent once a goal is met.
_FOR_XLAND: dict[str, Any] = {
    "num_envs": 64,
    "rollout_steps": 50,
    "epochs": 2,
    "learning_rate": 7e-4,
    "entropy_weight": 0.003,
    "popart_share": 0.01,
    "evaluate_every": 1_000_000,
}


@dataclass(frozen=True)
class PPOConfiguration(PolicyGradientConfiguration, ActorCriticConfiguration):
    """Settings for short episodes and many rows on a CPU."""

    method: ClassVar[str] = "ppo"
    suggested: ClassVar[PaperDefaults] = dict.fromkeys(("XLand-v0", "XLandSmall-v0"), _FOR_XLAND)


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
    suggested: ClassVar[PaperDefaults] = {}

    num_envs: int = option(64, "Rows of the vector environment.", COUNT)
    rollout_steps: int = option(5, "Steps of every row between updates.", COUNT)
    learning_rate: float = option(7e-4, "Learning rate of the optimiser.", AMOUNT)
    minibatches: int = option(1, "Minibatches of each epoch.", COUNT)
    epochs: int = option(1, "Passes over each rollout.", COUNT)
    gae_lambda: float = option(1.0, "Decay of generalised advantage estimation.", SHARE)
    clip_range: float = option(0.0, "Clip range of the probability ratio; 0: the plain policy gradient.", AMOUNT)
    normalise: bool = option(False, "Whether each minibatch's advantages are normalised.")
    optimiser: Literal["adam", "rmsprop"] = option("rmsprop", "The optimiser.")
