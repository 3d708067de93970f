"""A run: its rows under a teacher, its players, its folder. The only place where they are put together."""

import contextlib
from functools import partial
from pathlib import Path
from typing import Any

import torch

from procgen_bench.baselines.method_table import Method, policy_type_of
from procgen_bench.baselines.training.beginning import begin
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv, closed_on_error
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.method import Context, RowsOptions, rng_of
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.refusals import check_steps
from procgen_bench.baselines.training.repeating_rows import RepeatingRows
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.settings import CurriculumConfiguration
from procgen_bench.baselines.training.target_share import BesideTargets
from procgen_bench.baselines.training.teacher import Teacher
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import InvalidOptionError


def run(method: Method, benchmark: Benchmark, configuration: Any, seed: int, steps: int, out: Path) -> RunFolder:
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds.

    A teacher of several players gets as many, each with weights and a random generator of its own.

    Args:
        method: What is trained.
        benchmark: What it is trained for.
        configuration: The method's settings, a :class:`.MethodConfiguration` that :func:`.check_settings` accepts.
        seed: Seed of the run.
        steps: Environment steps.
        out: Run folder.

    Raises:
        ProcgenBenchError: :func:`make_rows`, :func:`.begin` or the method refuses the run, before anything is written;
            or the run fails.
    """
    environment_id = benchmark.environment_id
    prepare_torch(configuration)
    configuration = configuration.resolved(environment_id)
    folder = RunFolder(out, configuration.method, benchmark, configuration, seed, steps)
    if method.rows_options is None:
        method.load("loop")(folder)
        return folder
    needs = method.load("rows_options")(environment_id, configuration)
    rows = make_rows(benchmark, configuration, seed, steps, needs)
    with closed_on_error(rows):
        if method.check_actions is not None:
            method.load("check_actions")(rows.env.single_action_space)
    context = Context(benchmark, configuration, seed, steps, rows)
    if method.make_players is None:
        with contextlib.closing(rows):
            method.load("loop")(folder, context)
        return folder
    with closed_on_error(rows):
        players = make_players(method, context)
        if getattr(configuration, "begin_from", ""):
            for player in players:
                if player.learner is not None:
                    begin(folder, rows, player.learner)
    rollout_steps = needs.rollout_steps or benchmark.max_episode_steps // needs.steps_per_action
    with Trainer(folder, players, rows, rollout_steps, needs.collector_type or Collector) as trainer:
        trainer.advance(steps)
    return folder


def make_players(method: Method, context: Context) -> list[Player]:
    """The players of a run, with their learners' compiled twins where there are such."""
    players: list[Player] = method.load("make_players")(context)
    if method.twin is not None:
        twin_of = method.load("twin")
        for player in players:
            player.learner = twin_of(player.learner)
    return players


def make_rows(
    benchmark: Benchmark, configuration: CurriculumConfiguration, seed: int, steps: int, needs: RowsOptions
) -> CurriculumVectorEnv:
    """The rows of a run under its teacher.

    Raises:
        UnreadableObservationsError: Observations are no arrays.
        UndrawnTasksError: The teacher is to propose tasks like the benchmark's, which cannot be drawn.
        TooFewStepsError: ``steps`` does not suffice for an action, or an episode, in every row.
    """
    each, least = "an action", needs.steps_per_action
    if needs.whole_episodes:
        each, least = "an episode", benchmark.max_episode_steps
    check_steps(steps, needs.num_rows, least, each)
    rows_type = needs.rows_type or (RepeatingRows if needs.is_repeated else CurriculumVectorEnv)
    options: dict[str, Any] = {"steps_per_action": needs.steps_per_action, **needs.options}
    if needs.frozen_players:
        options["frozen_players"] = {
            name: policy_type_of(folder.method, folder.environment).from_folder(folder)
            for name, folder in needs.frozen_players.items()
        }
    teacher = _make_teacher(LevelSource(benchmark, configuration.solvable), configuration, seed, needs)
    rows: CurriculumVectorEnv = rows_type(benchmark.environment_id, needs.num_rows, teacher, seed, **options)
    return rows


def _make_teacher(
    levels: LevelSource, configuration: CurriculumConfiguration, seed: int, needs: RowsOptions
) -> Teacher:
    """The method's own teacher or the configuration's, with targets beside its levels where those are asked for."""
    make = needs.make_teacher or partial(get_teacher(configuration.teacher).make, configuration.teacher_options)
    teacher = make(levels, rng_of("teacher", seed))
    if not configuration.target_share:
        return teacher
    levels.check_targets(f"target_share {configuration.target_share}")
    targets = get_teacher("targets").make("", levels, rng_of("targets", seed))
    return BesideTargets(teacher, targets, configuration.target_share)


def prepare_torch(configuration: Any) -> None:
    """Have PyTorch compute in as many threads as asked.

    Raises:
        InvalidOptionError: It does not compute on the device here.
    """
    check_device(configuration.device)
    torch.set_num_threads(configuration.threads)


def check_device(name: str) -> None:
    """Raise :class:`InvalidOptionError` unless PyTorch computes on the device of this name here."""
    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise InvalidOptionError(f"device is {name!r}, expected cpu, or cuda where there is one: {reason}") from None
