"""What is refused before a method's networks and simulators are loaded, which takes seconds."""

from typing import Any

from procgen_bench.baselines.training.settings import CurriculumConfiguration, check_ranges
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.errors import ProcgenBenchError


class TooFewStepsError(ProcgenBenchError):
    """A run that is over before every row has acted."""


def check_settings(configuration: Any, environment_id: str, steps: int) -> None:
    """Refuse settings, a teacher's among them, that no run of so many steps in the environment can have.

    Args:
        configuration: The method's settings, a :class:`.MethodConfiguration`.
        environment_id: Where it is trained.
        steps: Environment steps.

    Raises:
        InvalidOptionError: One is out of its range or no choice, or they do not hold together.
        UnknownNameError: There is no such teacher.
        TeacherOptionError: The teacher has no such options.
        TooFewStepsError: There is not one step for each row.
        UnsupportedEnvironmentError: The method has no values for the environment.
    """
    check_ranges(configuration)
    resolved = configuration.resolved(environment_id)
    resolved.check(environment_id)
    if not isinstance(resolved, CurriculumConfiguration):
        return
    if resolved.teacher not in resolved.own_teachers:
        get_teacher(resolved.teacher).configured(resolved.teacher_options)
    check_steps(steps, getattr(resolved, resolved.rows_option, 1), 1, "an action")


def check_steps(steps: int, num_rows: int, least: int, each: str) -> None:
    """Refuse fewer steps than what each row does at least, which takes ``least`` of them.

    Raises:
        TooFewStepsError: There are fewer.
    """
    if steps < num_rows * least:
        raise TooFewStepsError(
            f"steps is {steps}, expected at least {num_rows * least}, {each} of each of {num_rows} rows; "
            "give more steps or fewer rows"
        )
