"""Settings of AlphaNPI-X's goal policy."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from procgen_bench.baselines.parts.replay_settings import OffPolicySettings, TargetUpdates
from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    POSITIVE,
    SHARE,
    CurriculumConfiguration,
    option,
)
from procgen_bench.core.errors import InvalidOptionError

#: Metres from its goal within which a block is in place, the paper's: the ``DISTANCE_THRESHOLD`` of programs' zones,
#: whose kernels take a second to import.
_PAPERS_TOLERANCE = 0.05
#: Share of the networks that target networks follow in each gradient step.
_TARGET_NETWORK_SHARE = 0.02
#: The teachers that are this method's own.
OWN_TEACHERS = (PHASES, PROGRAM_GOALS) = ("phases", "program-goals")


@dataclass(frozen=True)
class NPIGoalsConfiguration(CurriculumConfiguration):
    """Defaults are those that learned on one core; the paper's and its sources' are in the options' help."""

    method: ClassVar[str] = "npi-goals"
    own_teachers: ClassVar[tuple[str, ...]] = OWN_TEACHERS

    teacher: str = option(
        PHASES,
        "Who proposes levels: phases (the paper's starts, then programs from stored states); program-goals (ends of "
        "programs that call others, the paper's multitask rival; without hindsight with --relabelled 0); one that "
        "`procgen-bench list` shows, or your own, MODULE:CLASS. Under all but phases every block is rewarded and seen "
        "from the start.",
    )
    view: Literal["relative", "raw"] = option(
        "relative", "What is seen: relative (the acting block, then the others as a set), or raw (the paper's numbers)."
    )
    reward: Literal["own", "all"] = option(
        "own",
        "What is rewarded in the first phase: the place of the acting block only, or of all blocks, as in the paper.",
    )
    strategy: Literal["future", "final"] = option(
        "future", "Goals of relabelled transitions: achieved later (the source's), or at the end (final, the paper's)."
    )
    relabelled: int = option(4, "Relabelled transitions to every one as played (k, the paper's).", AMOUNT)
    discount: float = option(0.98, "Discount factor; the paper's is 0.99.", SHARE)
    num_envs: int = option(16, "Rows of the vector environment.", COUNT)
    row_threads: int = option(1, "Threads for the rows' physics; the run is the same with any number.", COUNT)
    greedy_rows: int = option(4, "How many of the rows act without noise; success by kind is measured on them.", AMOUNT)
    batch_size: int = option(256, "Transitions per gradient step; the paper's 28 workers have 7,168 together.", COUNT)
    updates_per_step: float = option(0.15, "Gradient steps for every environment step.", AMOUNT)
    learning_starts: int = option(6_400, "Environment steps before learning starts.", AMOUNT)
    buffer_size: int = option(1_000_000, "Transitions that the replay holds (the paper's), as whole episodes.", COUNT)
    learning_rate: float = option(1e-3, "Step size of Adam (the paper's).", AMOUNT)
    decline: float = option(
        0.0,
        "Share of the run, at its end, in which the learning rate falls linearly to a tenth; the paper has none.",
        SHARE,
    )
    actor_every: int = option(2, "Gradient steps of the critic for one of the actor.", COUNT)
    action_l2: float = option(1.0, "Weight of the mean squared action in the actor's loss (the source's).", AMOUNT)
    width: int = option(256, "Numbers in each of the two dense layers (the paper's).", COUNT)
    noise: float = option(0.2, "Standard deviation of the noise of actions while goals are learned.", AMOUNT)
    epsilon: float = option(0.3, "Share of uniformly random actions meanwhile.", SHARE)
    program_noise: float = option(
        0.15, "Standard deviation of the noise of actions while programs are learned.", AMOUNT
    )
    program_epsilon: float = option(0.2, "Share of uniformly random actions meanwhile.", SHARE)
    phase_1_steps: int = option(
        1_000_000,
        "Steps before programs; over their second half starts become random, and the other blocks count in any case.",
        AMOUNT,
    )
    added_starts: float = option(0.3, "Share of starts that the paper lacks: a block gripped beside, towers.", SHARE)
    least_weight: float = option(0.2, "The least weight of a kind of tasks; else it is 1 less its success.", SHARE)
    program_tolerance: float = option(
        _PAPERS_TOLERANCE,
        "Metres from its goal within which a block counts as in place in what is learned of programs; calls succeed "
        f"within {_PAPERS_TOLERANCE:g}, the paper's, from which a stack may fall when it is let go.",
        POSITIVE,
    )
    last_tolerance: float = option(
        0.0,
        "What this has shrunk to at the end, linearly with the learning rate (--decline), so that blocks come to the "
        "middle of their places; 0: it stays.",
        AMOUNT,
    )
    let_go: float = option(
        0.4,
        "What is lost of the reward for programs while the hand is at the block in place; 0: nothing, the paper's.",
        SHARE,
    )
    continued: float = option(0.5, "Share of program calls that start where other calls ended (the paper's).", SHARE)
    states_kept: int = option(10_000, "States that are stored for this.", COUNT)
    noisy_states: bool = option(
        True, "Whether states in which rows with noise have ended are stored, too; chains of calls begin in the others."
    )
    begin_from: str = option(
        "",
        "Folder of a run or policy whose actor the run starts with, or trained, the package's policy; a run's folder "
        "also has a critic. With --phase-1-steps 0 programs are learned from the start.",
    )
    critic_first: int = option(
        0, "Gradient steps in which the critic learns alone, so that a trained actor is not led by a new one.", AMOUNT
    )
    stay_near: float = option(
        0.0,
        "Weight of the squared difference from the first actor's actions where the block is not in place, of runs that "
        "begin from a policy.",
        AMOUNT,
    )
    evaluate_every: int = option(50_000, "Steps between evaluations.", COUNT)
    evaluation_tasks: int | None = option(
        100, "Tasks of an evaluation, spread over the benchmark's; all without.", COUNT
    )

    #: Trained policies play their best action.
    stochastic: ClassVar[bool] = False

    def check(self, environment_id: str) -> None:
        """Refuse what does not hold together.

        Raises:
            InvalidOptionError: ``discount`` is 1, which has no bound for targets, no row is left
                to explore, there are options for the method's own teacher, which has none, no policy to stay near, or
                no time for the tolerance to shrink.
        """
        if self.discount == 1:
            raise InvalidOptionError("discount is 1, expected less: sums of rewards would have no bound")
        if self.greedy_rows >= self.num_envs:
            raise InvalidOptionError(
                f"greedy_rows is {self.greedy_rows}, expected less than num_envs, {self.num_envs}: others explore"
            )
        if self.last_tolerance and not self.decline:
            raise InvalidOptionError(
                f"last_tolerance is {self.last_tolerance:g}, expected 0, or decline with the share of the run in which "
                "the tolerance shrinks to it"
            )
        if self.teacher in OWN_TEACHERS and self.teacher_options:
            raise InvalidOptionError(
                f"teacher_options is {self.teacher_options!r}, expected none: what the teacher {self.teacher!r} is set "
                "by are options of the method"
            )
        if self.stay_near and not self.begin_from:
            raise InvalidOptionError(
                f"stay_near is {self.stay_near:g}, expected 0, or begin_from with the policy to stay near"
            )

    def settings(self, steps: int) -> OffPolicySettings:
        """What the learner of a run of so many steps is set by: rewards are 0 at the goal and -1 elsewhere."""
        return OffPolicySettings(
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            discount=self.discount,
            target_updates=TargetUpdates(_TARGET_NETWORK_SHARE, "gradient steps"),
            learning_starts=self.learning_starts,
            updates_per_step=self.updates_per_step,
            reward_offset=-1.0,
            target_clip=(-1 / (1 - self.discount), 0.0),  # as in hindsight's source: what rewards can add up to
            decline=(steps - int(self.decline * steps), steps),
            device=self.device,
        )

    @property
    def sizes(self) -> dict[str, Any]:
        """What the policy is built from besides the environment."""
        return {"view": self.view, "width": self.width}
