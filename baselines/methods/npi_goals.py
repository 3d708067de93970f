"""npi-goals: AlphaNPI-X's stage 1 (Pierrot et al., 2020), a policy that brings blocks to goals, for programs to call.

DDPG with hindsight (Andrychowicz et al., 2017) on FetchBlocks, in three phases: the acting block's own place; all
blocks' places, with the other blocks visible; calls of programs, half of which start where other calls ended.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.curricula.block_phases import (
    BlockPhasesTeacher,
    ContinuingRows,
    KeepingTeacher,
    PhaseSettings,
)
from procgen_bench.baselines.parts.block_learner import BlockLearner, Exploration, Phase, achieved_goals, block_rewards
from procgen_bench.baselines.parts.block_options import begin_with_actor, program_goals_teacher
from procgen_bench.baselines.parts.block_policy import BlockPolicy
from procgen_bench.baselines.parts.block_views import RELATIVE, VIEWS, BlockActor, BlockNetwork, make_view
from procgen_bench.baselines.parts.episode_replay import EpisodeForm, EpisodeReplay
from procgen_bench.baselines.parts.off_policy import OffPolicySettings, TargetUpdates
from procgen_bench.baselines.policies.tensors import torch_seeded_from
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.prepare import prepare_run, rng_of
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.settings import AMOUNT, COUNT, POSITIVE, SHARE, CurriculumConfiguration, option
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.fetch_blocks import FetchBlocksTaskSpace
from procgen_bench.tasks.programs import ATOMIC_STEPS
from procgen_bench.tasks.programs.states import BLOCK_SIZE, GRIPPER_SIZE
from procgen_bench.tasks.programs.zones import DISTANCE_THRESHOLD

#: The teachers that are this method's own.
OWN_TEACHERS = (PHASES, PROGRAM_GOALS) = ("phases", "program-goals")


@dataclass(frozen=True)
class NPIGoalsConfiguration(CurriculumConfiguration):
    """Defaults are those that learned on one core; the paper's and its sources' are in the options' help."""

    method: ClassVar[str] = "npi-goals"

    teacher: str = option(
        PHASES,
        "Who proposes levels: phases (the paper's starts, then programs from stored states); program-goals (ends of "
        "programs that call others, the paper's multitask rival; without hindsight with --relabelled 0); one that "
        "`procgen-bench list` shows, or your own, MODULE:CLASS. Under all but phases every block is rewarded and seen "
        "from the start.",
    )
    view: Literal["relative", "raw"] = option(
        RELATIVE, "What is seen: relative (the acting block, then the others as a set), or raw (the paper's numbers)."
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
    clip_targets: bool = option(True, "Whether targets are clipped to [-1 / (1 - discount), 0] (the source's).")
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
    tau: float = option(0.02, "Share of the networks that target networks follow in each gradient step.", SHARE)
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
        1_000_000, "Steps before programs; starts become random over their second half.", AMOUNT
    )
    mastered: float = option(
        0.9, "Success with the own block with which the others count, after half of these steps at the latest.", SHARE
    )
    added_starts: float = option(0.3, "Share of starts that the paper lacks: a block gripped beside, towers.", SHARE)
    least_weight: float = option(0.2, "The least weight of a kind of tasks; else it is 1 less its success.", SHARE)
    program_tolerance: float = option(
        DISTANCE_THRESHOLD,
        "Metres from its goal within which a block counts as in place in what is learned of programs; calls succeed "
        f"within {DISTANCE_THRESHOLD:g}, the paper's, from which a stack may fall when it is let go.",
        POSITIVE,
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

    def check(self) -> None:
        """Refuse what is no choice.

        Raises:
            InvalidOptionError: A choice is unknown, ``discount`` is 1, which has no bound for targets, no row is left
                to explore, there are options for the method's own teacher, which has none, or no policy to stay near.
        """
        for name, known in (("view", VIEWS), ("reward", ("own", "all")), ("strategy", ("future", "final"))):
            check_choice(name, getattr(self, name), known)
        if self.discount == 1:
            raise InvalidOptionError("discount is 1, expected less: sums of rewards would have no bound")
        if self.greedy_rows >= self.num_envs:
            raise InvalidOptionError(
                f"greedy_rows is {self.greedy_rows}, expected less than num_envs, {self.num_envs}: others explore"
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
        clip = (-1 / (1 - self.discount), 0.0) if self.clip_targets else (-np.inf, np.inf)
        return OffPolicySettings(
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            discount=self.discount,
            target_updates=TargetUpdates(self.tau, "gradient steps"),
            learning_starts=self.learning_starts,
            updates_per_step=self.updates_per_step,
            reward_offset=-1.0,
            target_clip=clip,
            decline=(steps - int(self.decline * steps), steps),
            device=self.device,
        )

    @property
    def phases(self) -> PhaseSettings:
        """What the teacher is set by."""
        return PhaseSettings(
            self.phase_1_steps,
            self.mastered,
            self.added_starts,
            self.least_weight,
            self.continued,
            self.states_kept,
            self.greedy_rows,
        )

    @property
    def sizes(self) -> dict[str, Any]:
        """What the policy is built from besides the environment."""
        return {"view": self.view, "width": self.width}

    def exploration(self) -> dict[Phase, Exploration]:
        """How actions are chosen while learning."""
        goals, programs = Exploration(self.noise, self.epsilon), Exploration(self.program_noise, self.program_epsilon)
        return {Phase.OWN_BLOCK: goals, Phase.ALL_BLOCKS: goals, Phase.PROGRAMS: programs}


def make_learner(
    configuration: NPIGoalsConfiguration,
    num_blocks: int,
    action_space: spaces.Box,
    phase: Callable[[], Phase],
    steps: int,
    rng: np.random.Generator,
) -> BlockLearner:
    """The learner of a run of so many steps for N blocks; torch's generator draws its weights."""
    size, width, device = int(np.prod(action_space.shape)), configuration.width, configuration.device

    def prepared(network: BlockNetwork) -> tuple[Any, torch.optim.Optimizer]:
        network = network.to(device)
        return network, torch.optim.Adam(network.parameters(), configuration.learning_rate, fused=True)

    actor, of_actor = prepared(BlockActor(make_view(configuration.view, num_blocks), size, width))
    critic, of_critic = prepared(BlockNetwork(make_view(configuration.view, num_blocks), 1, size, width))
    form = EpisodeForm(ATOMIC_STEPS, BLOCK_SIZE * num_blocks + GRIPPER_SIZE, size, 3 * num_blocks, achieved_goals)
    return BlockLearner(
        action_space,
        actor,
        critic,
        {"actor": of_actor, "critic": of_critic},
        EpisodeReplay(
            configuration.buffer_size,
            form,
            configuration.relabelled,
            configuration.strategy,
            rng,
            block_rewards,
            torch.device(device),
        ),
        configuration.settings(steps),
        rng,
        phase,
        configuration.reward == "own",
        configuration.exploration(),
        configuration.action_l2,
        configuration.actor_every,
        configuration.greedy_rows,
        configuration.program_tolerance,
        configuration.let_go,
        configuration.critic_first,
        configuration.stay_near,
    )


def train(benchmark: Benchmark, configuration: NPIGoalsConfiguration, seed: int, steps: int, out: Path) -> RunFolder:
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds."""
    configuration.check()
    teachers: list[KeepingTeacher] = []

    def make_own(levels: LevelSource, rng: np.random.Generator) -> KeepingTeacher:
        is_phases = configuration.teacher == PHASES
        kind = BlockPhasesTeacher if is_phases else program_goals_teacher()
        teachers.append(kind(levels, rng, configuration.phases))
        return teachers[0]

    def phase() -> Phase:
        teacher = teachers[0] if teachers else None
        return teacher.phase if isinstance(teacher, BlockPhasesTeacher) else Phase.ALL_BLOCKS

    run, rows = prepare_run(
        benchmark,
        configuration,
        seed,
        steps,
        out,
        configuration.num_envs,
        rows_type=partial(
            ContinuingRows,
            keep=lambda states: teachers[0].keep(states) if teachers else None,
            num_kept=configuration.num_envs if configuration.noisy_states else configuration.greedy_rows,
        ),
        make_teacher=make_own if configuration.teacher in OWN_TEACHERS else None,
        num_threads=configuration.row_threads,
    )
    rng, action_space = rng_of("learner", seed), rows.env.single_action_space
    task_space = rows.env.task_space
    assert isinstance(action_space, spaces.Box) and isinstance(task_space, FetchBlocksTaskSpace)  # FetchBlocks'
    with torch_seeded_from(rng, torch.device("cpu")):
        policy = BlockPolicy(benchmark.environment_id, configuration.stochastic, **configuration.sizes)
        learner = make_learner(configuration, task_space.num_blocks, action_space, phase, steps, rng)
    if configuration.begin_from:
        begin_with_actor(run, rows, learner)
        learner.begin()
    with Trainer(run, Player(learner, policy, configuration.sizes), rows, ATOMIC_STEPS) as trainer:
        trainer.advance(steps)
    return run
