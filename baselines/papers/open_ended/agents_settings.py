"""Settings of XLand's agents: those of PPO, recurrent PPO, A2C and V-MPO, and what the paper adds to them."""

from dataclasses import dataclass
from typing import Any, ClassVar

from procgen_bench.baselines.methods.ppo_settings import (
    A2CConfiguration,
    PPOConfiguration,
    RecurrentPPOConfiguration,
)
from procgen_bench.baselines.methods.vmpo_settings import VMPOConfiguration
from procgen_bench.baselines.training.settings import AMOUNT, SHARE, PaperDefaults, option


@dataclass(frozen=True)
class AgentOptions:
    """What agents of XLand have besides the settings of their algorithm.

    The fields stand alone: a dataclass takes over all fields of a base, so that one with the algorithm's among them
    would undo the defaults of the algorithm's subclasses.
    """

    goal_attention: bool = option(
        False, "Whether goals are read after the memory, as a whole and by option; the agent follows the best option."
    )
    observation: str = option(
        "", "The environment's argument of that name: `state` besides pictures. Empty: its default."
    )
    privileged: bool = option(
        False, "Whether the policy also observes what the player does not see; the leaderboard refuses it."
    )
    co_players: str = option(
        "",
        "Players in the other seats of tasks, by name or a policy's folder, separated by commas, one drawn for each "
        "world; `learner`: the learner itself; `trained`: the package's policy. Empty: the environment's default.",
    )
    reward_play: bool = option(
        False, "Self reward-play: the learner is rewarded for making rewards start, then stop, and so on."
    )
    atom_weight: float = option(
        0.0,
        "Weight of the loss of predicting which atoms of goals hold; 0: none, 1: as published. With "
        "goal_attention they are predicted from features that have not read the goal, else from ones that have.",
        AMOUNT,
    )
    teacher_policy: str = option(
        "",
        "Policy folder (or `trained`), of the same observations and actions, to distil from at steps without reward.",
    )
    distil: float = option(4.0, "Weight of the divergence from the teacher's policy.", AMOUNT)
    distil_share: float = option(0.2, "Share of the run, at its start, with a teacher's policy.", SHARE)

    @property
    def sizes(self) -> dict[str, Any]:
        """What the policy is built from, as its folder keeps it."""
        further = {name: getattr(self, name) for name in ("goal_attention", "observation", "privileged")}
        own: dict[str, Any] = super().sizes  # type: ignore[misc]  # of the algorithm's configuration
        return own | {name: value for name, value in further.items() if value}


@dataclass(frozen=True)
class NormalisedReturnsOptions:
    """What algorithms whose critics speak of returns as they are have besides."""

    popart_share: float = option(
        0.0, "Step size of the returns' statistics at an update (PopArt); 0: returns are not normalised.", SHARE
    )


#: Episodes last hundreds of steps, in which rewards are frequent once a goal is met.
_LONG_EPISODES: dict[str, Any] = {
    "num_envs": 64,
    "rollout_steps": 50,
    "epochs": 2,
    "learning_rate": 7e-4,
    "entropy_weight": 0.003,
    "popart_share": 0.01,
    "evaluate_every": 1_000_000,
}
_SUGGESTED: PaperDefaults = dict.fromkeys(("XLand-v0", "XLandSmall-v0"), _LONG_EPISODES)


@dataclass(frozen=True)
class AgentPPOConfiguration(AgentOptions, NormalisedReturnsOptions, PPOConfiguration):
    """Settings for short episodes and many rows on a CPU."""

    suggested: ClassVar[PaperDefaults] = _SUGGESTED


@dataclass(frozen=True)
class AgentRecurrentPPOConfiguration(AgentOptions, NormalisedReturnsOptions, RecurrentPPOConfiguration):
    """Settings for what has to be remembered: whole rollouts are learned from in their order."""

    suggested: ClassVar[PaperDefaults] = _SUGGESTED


@dataclass(frozen=True)
class AgentA2CConfiguration(AgentOptions, NormalisedReturnsOptions, A2CConfiguration):
    """Defaults are stable-baselines3's but for the rows: one plain gradient step for five steps of every row."""


@dataclass(frozen=True)
class AgentVMPOConfiguration(AgentOptions, VMPOConfiguration):
    """Temperature, bounds and the share of actions are the paper's (table 4); rates and sizes are for a laptop."""
