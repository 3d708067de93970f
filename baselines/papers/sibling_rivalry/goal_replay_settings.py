"""Settings of methods that replay episodes with the goals that they reached."""

from dataclasses import dataclass
from typing import ClassVar, Literal, Self

from procgen_bench.baselines.papers.sibling_rivalry.episode_settings import ANT_EVALUATION_TASKS
from procgen_bench.baselines.parts.replay_settings import OffPolicySettings, TargetUpdates
from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    SHARE,
    GoalConfiguration,
    PaperDefaults,
    for_environment,
    option,
)

#: Table 2's figures that differ between environments, but for the size of the minibatches.
#:
#: The paper averages the gradients of 20 workers' minibatches of 64 (ant, bits: 128), so the same step on one process
#: has 1,280 (2,560) transitions. With the defaults, 4 million steps in the point maze take five minutes on one core,
#: and ten million on bits half an hour.
_VECTORS: PaperDefaults = {
    "SparsePointMaze-v0": {"action_l2": 0.25, "batch_size": 512},
    "SparseAntMaze-v0": {"action_l2": 0.0002, "batch_size": 512, "evaluation_tasks": ANT_EVALUATION_TASKS},
}


_BITS: PaperDefaults = {"BitGrid-v0": {"batch_size": 256}}


@dataclass(frozen=True)
class GoalReplayConfiguration(GoalConfiguration):
    """Table 2's, for 20 workers in one."""

    rollouts: int = option(80, "Rows, each played for one horizon between updates: the paper's 4 of 20 workers.", COUNT)
    minibatches: int = option(40, "Gradient steps per update.", COUNT)
    batch_size: int | None = option(
        None, "Transitions per minibatch; by default bounded by what one processor core can do (see the method).", COUNT
    )
    learning_rate: float = option(1e-3, "Learning rate of Adam.", AMOUNT)
    adam_epsilon: float = option(1e-3, "Adam's epsilon (the published source's).", AMOUNT)
    discount: float = option(0.98, "Discount factor.", SHARE)
    polyak: float = option(0.95, "Share of the target networks that stays, once per update.", SHARE)
    epsilon: float = option(0.2, "Probability of a uniformly random action.", SHARE)
    buffer_size: int = option(400_000, "Capacity of the replay buffer, in transitions.", COUNT)
    evaluate_every: int = option(200_000, "Steps between evaluations.", COUNT)
    evaluation_tasks: int | None = option(
        None, "Tasks per evaluation; by default all of the benchmark's, ant 30.", COUNT
    )
    checkpoint_every: int = option(1_000_000, "Least steps between checkpoints.", COUNT)

    #: Trained policies play their best action.
    stochastic: ClassVar[bool] = False
    method: ClassVar[str]
    rows_option: ClassVar[str] = "rollouts"
    table: ClassVar[PaperDefaults] = _BITS

    @property
    def settings(self) -> OffPolicySettings:
        """Settings of the learner, with the paper's defaults filled in."""
        assert self.batch_size is not None
        return OffPolicySettings(
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            discount=self.discount,
            target_updates=TargetUpdates(1 - self.polyak, "updates"),
            updates_per_rollout=self.minibatches,
            device=self.device,
        )

    def resolved(self, environment_id: str) -> Self:
        """With the paper's values for the environment in place of ``None``."""
        return for_environment(self, environment_id, self.table)


@dataclass(frozen=True)
class DQNDenseConfiguration(GoalReplayConfiguration):
    """The distance reward at every step (section 4.2 and appendix F)."""

    method: ClassVar[str] = "dqn-dense"


@dataclass(frozen=True)
class HindsightConfiguration(GoalReplayConfiguration):
    """Hindsight experience replay (Andrychowicz et al., 2017)."""

    relabelled: int = option(4, "Relabelled transitions to every one as played (k).", AMOUNT)
    strategy: Literal["future", "final"] = option(
        "future", "Goals of relabelled transitions: achieved at a later step (future), or at the episode's end (final)."
    )


@dataclass(frozen=True)
class DQNHERConfiguration(HindsightConfiguration):
    """Defaults are the paper's (table 2)."""

    method: ClassVar[str] = "dqn-her"


@dataclass(frozen=True)
class DDPGHERConfiguration(HindsightConfiguration):
    """Defaults are the paper's (table 2)."""

    noise: float = option(
        0.1, "Standard deviation of behaviour's noise, as a share of an action's greatest size.", AMOUNT
    )
    action_l2: float | None = option(
        None, "Weight of the mean squared action; the paper's for the environment by default.", AMOUNT
    )

    method: ClassVar[str] = "ddpg-her"
    table: ClassVar[PaperDefaults] = _VECTORS
