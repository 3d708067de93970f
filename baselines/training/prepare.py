"""What every run under a teacher begins with: its levels, its folder, its rows, its generators."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.training.contracts import STUDENT, Teacher
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.settings import CurriculumConfiguration, check_ranges
from procgen_bench.baselines.training.target_share import BesideTargets
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import InvalidOptionError, ProcgenBenchError
from procgen_bench.core.seeding import seed_from_parts


class TooFewStepsError(ProcgenBenchError):
    """A run that is over before every row has acted."""


def prepare_run(
    benchmark: Benchmark,
    configuration: CurriculumConfiguration,
    seed: int,
    steps: int,
    out: Path,
    num_rows: int,
    steps_per_action: int = 1,
    rows_type: Callable[..., CurriculumVectorEnv] = CurriculumVectorEnv,
    whole_episodes: bool = False,
    check_actions: Callable[[spaces.Space], None] | None = None,
    make_teacher: Callable[[LevelSource, np.random.Generator], Teacher] | None = None,
    **options: Any,
) -> tuple[RunFolder, CurriculumVectorEnv]:
    """The run's folder, not opened yet, and the rows under its teacher; torch computes in as many threads as asked.

    Args:
        benchmark: What is trained for.
        configuration: The method's settings, and its name.
        seed: Seed of the run.
        steps: Environment steps.
        out: Run folder.
        num_rows: Rows that play side by side.
        steps_per_action: See :class:`.CurriculumVectorEnv`.
        rows_type: What the rows are.
        whole_episodes: Whether they play whole episodes together, and not single steps.
        check_actions: Refuses action spaces that the method does not support; ``None``: none are refused here.
        make_teacher: Makes a teacher that is the method's own; ``None``: it is the configuration's.
        **options: The rows' further keyword arguments.

    Raises:
        InvalidOptionError: One of the settings is out of its range, or there is no such device.
        UnsupportedActionsError: ``check_actions`` says so.
        UnreadableObservationsError: Observations are no arrays.
        UndrawnTasksError: The teacher is to propose tasks like the benchmark's, which cannot be drawn.
        TooFewStepsError: ``steps`` does not suffice for an action, or an episode, in every row.
    """
    check_ranges(configuration)
    check_device(configuration.device)
    each, least = ("an episode", benchmark.max_episode_steps) if whole_episodes else ("an action", steps_per_action)
    if steps < num_rows * least:
        raise TooFewStepsError(
            f"steps is {steps}, expected at least {num_rows * least}, {each} of each of {num_rows} rows; "
            "give more steps or fewer rows"
        )
    levels = LevelSource(benchmark, configuration.solvable)
    if make_teacher is None:
        make_teacher = partial(get_teacher(configuration.teacher).make, configuration.teacher_options)
    teacher = make_teacher(levels, rng_of("teacher", seed))
    if configuration.target_share:
        levels.check_targets(f"target_share {configuration.target_share}")
        targets = get_teacher("targets").make("", levels, rng_of("targets", seed))
        teacher = BesideTargets(teacher, targets, configuration.target_share)
    torch.set_num_threads(configuration.threads)
    rows = rows_type(benchmark.environment_id, num_rows, teacher, seed, steps_per_action=steps_per_action, **options)
    try:
        if check_actions is not None:
            check_actions(rows.env.single_action_space)
        return RunFolder(out, configuration.method, benchmark, configuration, seed, steps), rows
    except BaseException:
        rows.close()
        raise


def seed_of_player(name: str, seed: int) -> int:
    """The seed of a run's player: the run's own of the student, others of all others."""
    return seed if name == STUDENT else seed_from_parts(name, seed)


def rng_of(name: str, seed: int) -> np.random.Generator:
    """The generator of a part of the run of this seed."""
    return np.random.default_rng(seed_from_parts(name, seed))


def check_device(name: str) -> None:
    """Raise :class:`InvalidOptionError` unless PyTorch computes on the device of this name here."""
    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise InvalidOptionError(f"device is {name!r}, expected cpu, or cuda where there is one: {reason}") from None
