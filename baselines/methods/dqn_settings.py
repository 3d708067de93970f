"""Settings of deep Q-learning, and of its variants with a bonus."""

from dataclasses import dataclass
from typing import ClassVar

from procgen_bench.baselines.parts.replay_settings import OffPolicySettings, ReplayConfiguration, TargetUpdates
from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    POSITIVE,
    SHARE,
    option,
)


@dataclass(frozen=True)
class DQNConfiguration(ReplayConfiguration):
    """Defaults are APT-Gen's (section B.2) where it gives a figure. More rows and fewer updates are faster."""

    method: ClassVar[str] = "dqn"

    num_envs: int = option(1, "Rows of the vector environment.", COUNT)
    rollout_steps: int = option(1, "Steps of every row between updates.", COUNT)
    batch_size: int = option(128, "Transitions per gradient step.", COUNT)
    updates_per_step: float = option(10.0, "Gradient steps for every environment step.", AMOUNT)
    discount: float = option(0.99, "Discount factor (not given in the paper); in TablePush 0.9 learns faster.", SHARE)
    target_update_interval: int = option(
        1, "Environment steps between copies to the target network (not given).", COUNT
    )
    exploration_fraction: float = option(0.1, "Share of training over which epsilon falls (not given).", SHARE)
    exploration_final: float = option(
        0.05, "Epsilon from then on (not given); at 0.1 C's lava ends more episodes.", SHARE
    )
    max_gradient: float = option(10.0, "Maximum norm of the gradient (not given).", POSITIVE)
    clip_next_values: bool = option(True, "Clip the next Q-value to the returns of the episodes in the replay.")
    restore_on_drop: bool = option(True, "Restore the last evaluated policy when its return was above 0 and drops.")
    layers: int = option(1, "Dense layers.", COUNT)
    evaluate_every: int = option(1_000, "Steps between evaluations.", COUNT)
    checkpoint_every: int = option(10_000, "Least steps between checkpoints.", COUNT)

    @property
    def off_policy(self) -> OffPolicySettings:
        """Settings of the learner."""
        return OffPolicySettings(
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            discount=self.discount,
            target_updates=TargetUpdates(1.0, "environment steps", max(self.target_update_interval, self.num_envs)),
            learning_starts=self.learning_starts,
            updates_per_step=self.updates_per_step,
            device=self.device,
        )


@dataclass(frozen=True)
class ExploringConfiguration(DQNConfiguration):
    """APT-Gen searched its baselines' settings and does not give them (section 4.2).

    As in RIDE's published code, which has all three bonuses: the weight (0.1 in half of its README's commands, 0.5 in
    the others), what teaches RIDE's features, and that the bonus learns at the policy's rate. There rewards are clipped
    to a goal's worth; here the bonus is. Ours are the running scale (there each task has its weight), that ICM's and
    RND's bonus is the squared error, of features of length 1 (there the error's norm, of features as they are), that
    only the inverse model teaches ICM's features (there the forward model, too), that bonuses learn from the replay and
    not from what was just played, how often they do, and the steps before any is given.
    """

    bonus_weight: float = option(0.1, "Weight of the scaled bonus, where a goal is worth 1.", AMOUNT)
    bonus_learning_rate: float = option(3e-4, "Learning rate of Adam for the bonus's networks.", AMOUNT)
    bonus_updates_per_step: float = option(
        0.125, "Gradient steps of the bonus's networks for every environment step.", AMOUNT
    )
    bonus_width: int = option(128, "Features of an observation in the bonus's networks.", COUNT)
    bonus_starts: int = option(
        1_000, "Steps whose bonuses are measured, to scale the later ones, and not given.", AMOUNT
    )

    #: Whether states that the episode has been in are rewarded less; see :class:`.IntrinsicRewards`.
    episodic: ClassVar[bool] = False


@dataclass(frozen=True)
class ICMConfiguration(ExploringConfiguration):
    """Intrinsic curiosity (Pathak et al., 2017)."""

    method: ClassVar[str] = "dqn-icm"


@dataclass(frozen=True)
class RNDConfiguration(ExploringConfiguration):
    """Random network distillation (Burda et al., 2018); its encoders scale what they read."""

    method: ClassVar[str] = "dqn-rnd"


@dataclass(frozen=True)
class RIDEConfiguration(ExploringConfiguration):
    """Impact-driven exploration (Raileanu & Rocktäschel, 2020)."""

    method: ClassVar[str] = "dqn-ride"
    episodic: ClassVar[bool] = True
