"""What is refused before a method's networks and simulators are loaded, which takes seconds."""

from procgen_bench.baselines.training.settings import CurriculumConfiguration, MethodConfiguration, check_ranges
from procgen_bench.baselines.training.teacher_table import get_teacher


def check_settings(configuration: MethodConfiguration, environment_id: str) -> None:
    """Refuse settings, a teacher's among them, that no run in the environment can have.

    Raises:
        InvalidOptionError: One is out of its range or no choice, or they do not hold together.
        UnknownNameError: There is no such teacher.
        TeacherOptionError: The teacher has no such options.
        UnsupportedEnvironmentError: The method has no values for the environment.
    """
    check_ranges(configuration)
    resolved = configuration.resolved(environment_id)
    resolved.check(environment_id)
    if isinstance(resolved, CurriculumConfiguration) and resolved.teacher not in resolved.own_teachers:
        get_teacher(resolved.teacher).configured(resolved.teacher_options)
