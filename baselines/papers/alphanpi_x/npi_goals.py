"""npi-goals: AlphaNPI-X's stage 1 (Pierrot et al., 2020), a policy that brings blocks to goals, for programs to call.

DDPG with hindsight (Andrychowicz et al., 2017) on FetchBlocks, in three phases: the acting block's own place; all
blocks' places, with the other blocks visible; calls of programs, half of which start where other calls ended.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.papers.alphanpi_x.block_learner import (
    BlockLearner,
    Exploration,
    Phase,
    achieved_goals,
    block_rewards,
)
from procgen_bench.baselines.papers.alphanpi_x.block_phases import (
    BlockPhasesTeacher,
    ContinuingRows,
    KeepingTeacher,
    PhaseSettings,
)
from procgen_bench.baselines.papers.alphanpi_x.block_policy import BlockPolicy
from procgen_bench.baselines.papers.alphanpi_x.block_views import BlockActor, BlockNetwork, make_view
from procgen_bench.baselines.papers.alphanpi_x.episode_replay import EpisodeForm, EpisodeReplay
from procgen_bench.baselines.papers.alphanpi_x.npi_goals_settings import OWN_TEACHERS, PHASES, NPIGoalsConfiguration
from procgen_bench.baselines.papers.alphanpi_x.program_goals import ProgramGoalsTeacher
from procgen_bench.baselines.policies.tensors import torch_seeded_from
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.method import Context, RowsOptions
from procgen_bench.baselines.training.player import Player
from procgen_bench.tasks.fetch_blocks import FetchBlocksTaskSpace
from procgen_bench.tasks.programs import ATOMIC_STEPS
from procgen_bench.tasks.programs.states import BLOCK_SIZE, GRIPPER_SIZE


def phase_settings(configuration: NPIGoalsConfiguration) -> PhaseSettings:
    """What the teacher of phases is set by."""
    return PhaseSettings(
        configuration.phase_1_steps,
        configuration.added_starts,
        configuration.least_weight,
        configuration.continued,
        configuration.states_kept,
        configuration.greedy_rows,
    )


def explorations(configuration: NPIGoalsConfiguration) -> dict[Phase, Exploration]:
    """How actions are chosen while learning."""
    goals = Exploration(configuration.noise, configuration.epsilon)
    programs = Exploration(configuration.program_noise, configuration.program_epsilon)
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
        explorations(configuration),
        configuration.action_l2,
        configuration.actor_every,
        configuration.greedy_rows,
        (configuration.program_tolerance, configuration.last_tolerance or configuration.program_tolerance),
        configuration.let_go,
        configuration.critic_first,
        configuration.stay_near,
    )


def rows_options(environment_id: str, configuration: NPIGoalsConfiguration) -> RowsOptions:
    """Rows whose last states a teacher of the method's own keeps."""

    def make_teacher(levels: LevelSource, rng: np.random.Generator) -> KeepingTeacher:
        kind = BlockPhasesTeacher if configuration.teacher == PHASES else ProgramGoalsTeacher
        return kind(levels, rng, phase_settings(configuration))

    # Goals of programs go on in every row; only the phases store states, for any row.
    keeps_all = configuration.noisy_states or configuration.teacher != PHASES
    return RowsOptions(
        configuration.num_envs,
        ATOMIC_STEPS,
        rows_type=ContinuingRows,
        make_teacher=make_teacher if configuration.teacher in OWN_TEACHERS else None,
        options={
            "num_kept": configuration.num_envs if keeps_all else configuration.greedy_rows,
            "num_threads": configuration.row_threads,
        },
    )


def make_players(context: Context) -> list[Player]:
    """One learner, which follows its teacher's phase."""
    configuration, env, rng = context.configuration, context.rows.env, context.rng("learner")
    teacher, action_space = context.rows.teacher.unwrapped, env.single_action_space
    assert isinstance(action_space, spaces.Box) and isinstance(env.task_space, FetchBlocksTaskSpace)  # FetchBlocks'

    def phase() -> Phase:
        return teacher.phase if isinstance(teacher, BlockPhasesTeacher) else Phase.ALL_BLOCKS

    with torch_seeded_from(rng, torch.device("cpu")):
        policy = BlockPolicy(context.benchmark.environment_id, configuration.stochastic, **configuration.sizes)
        learner = make_learner(configuration, env.task_space.num_blocks, action_space, phase, context.steps, rng)
    return [Player(learner, policy, configuration.sizes)]
