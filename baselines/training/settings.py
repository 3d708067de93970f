"""Configurations: fields with a default, a sentence, which the command line shows as the option's help, and a range."""

import dataclasses
import itertools
import math
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, get_args, get_origin, get_type_hints

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import InvalidOptionError, UnsupportedEnvironmentError
from procgen_bench.core.registrations import family_id

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


Configuration = TypeVar("Configuration", bound="DataclassInstance")
#: Values of configuration fields by environment id.
PaperDefaults = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Range:
    """The numbers that an option takes, none of which is NaN.

    Attributes:
        words: What an error says of them, behind "a number".
        least: The least of them.
        most: The greatest.
        open: Whether the least itself is left out.
    """

    words: str
    least: float = -sys.float_info.max
    most: float = sys.float_info.max
    open: bool = False

    @property
    def shown(self) -> dict[str, float]:
        """What help shows of it: ``min`` and ``max``."""
        bounds = {"min": self.least, "max": self.most}
        return {} if self.open else {name: bound for name, bound in bounds.items() if abs(bound) < sys.float_info.max}

    def __contains__(self, value: float) -> bool:
        return (self.least < value if self.open else self.least <= value) and value <= self.most


NUMBER = Range("that is finite")
AMOUNT = Range("of at least 0", 0)
POSITIVE = Range("above 0", 0, open=True)
COUNT = Range("of at least 1", 1)
PAIR = Range("of at least 2", 2)
SHARE = Range("from 0 to 1", 0, 1)
DISTANCE = Range("of at least 0, or inf", 0, math.inf)


def option(default: Any, description: str, within: Range | None = None) -> Any:
    """A dataclass field with a description and, for numbers, a range (``field.metadata``)."""
    return field(default=default, metadata={"description": description, "range": within})


def check_order(configuration: Any, *names: str) -> None:
    """Refuse a configuration whose options of these names do not rise, or stay.

    Raises:
        InvalidOptionError: One is below the one before.
    """
    for low, high in itertools.pairwise(names):
        least, value = getattr(configuration, low), getattr(configuration, high)
        if value < least:
            raise InvalidOptionError(f"{high} is {value!r}, expected at least {low}, which is {least!r}")


def check_ranges(configuration: Any) -> None:
    """Refuse a configuration dataclass one of whose numbers is out of its option's range, or a word no choice.

    Raises:
        InvalidOptionError: One is, or is no integer where the option is one.
    """
    kinds = get_type_hints(type(configuration))
    for one in dataclasses.fields(configuration):
        value, within = getattr(configuration, one.name), one.metadata.get("range")
        if get_origin(kinds[one.name]) is Literal:
            check_choice(one.name, value, get_args(kinds[one.name]))
        if within is None or value is None:
            continue
        whole = kinds[one.name] in (int, int | None)
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)) or value not in within:
            raise InvalidOptionError(
                f"{one.name} is {value!r}, expected {'an integer' if whole else 'a number'} {within.words}"
            )


def for_environment(configuration: Configuration, environment_id: str, *tables: PaperDefaults) -> Configuration:
    """A configuration dataclass with the environment's figures in place of those of its fields that are ``None``.

    Args:
        configuration: The configuration.
        environment_id: The environment, or another of its class.
        *tables: PaperDefaults by environment; later tables win.

    Raises:
        UnsupportedEnvironmentError: A table has no values for the environment: the method does not support it.
    """
    figures: dict[str, Any] = {}
    known = family_id(environment_id)
    for table in tables:
        if known not in table:
            raise UnsupportedEnvironmentError("this method", environment_id, table)
        figures |= table[known]
    missing = {name: value for name, value in figures.items() if getattr(configuration, name) is None}
    return dataclasses.replace(configuration, **missing)


@dataclass(frozen=True)
class MethodConfiguration:
    """Settings of a method, which need neither its networks nor a simulator to be read and checked."""

    #: The method's name.
    method: ClassVar[str]
    suggested: ClassVar[PaperDefaults] = {}  # by environment, in place of the defaults

    @classmethod
    def within(cls, environment_id: str, **options: Any) -> Self:
        """With these options; others are as the method suggests for the environment, or at their defaults."""
        return cls(**cls.suggested.get(family_id(environment_id), {}) | options)

    def resolved(self, environment_id: str) -> Self:
        """With the environment's values in place of those that are ``None``.

        Raises:
            UnsupportedEnvironmentError: The method has none for the environment.
        """
        return self

    def check(self, environment_id: str) -> None:
        """Refuse settings that do not hold together, or not in the environment, by an :class:`.InvalidOptionError`.

        It is called with settings that are :meth:`resolved`, each within its range.
        """


@dataclass(frozen=True)
class CurriculumConfiguration(MethodConfiguration):
    """Settings of the one loop."""

    #: Teachers that are the method's own, whose options are the method's; see :attr:`.RowsOptions.make_teacher`.
    own_teachers: ClassVar[tuple[str, ...]] = ()
    #: The option that says how many rows play side by side.
    rows_option: ClassVar[str] = "num_envs"

    teacher: str = option(
        "uniform", "Teacher that proposes levels: one that `procgen-bench list` shows, or your own, MODULE:CLASS."
    )
    teacher_options: str = option("", "The teacher's own settings, e.g. score=value_loss,buffer_size=1000.")
    target_share: float = option(
        0.0,
        "Share of levels that are like the benchmark's own, as those of the teacher `targets`, with any teacher.",
        SHARE,
    )
    solvable: bool = option(
        True,
        "Whether to propose solvable levels only, where that is quick to decide; in TablePush, those with a target.",
    )
    evaluate_every: int = option(250_000, "Steps between evaluations.", COUNT)
    evaluation_tasks: int | None = option(
        200, "Tasks of an evaluation, spread over the benchmark's; all where it has fewer.", COUNT
    )
    evaluation_episodes: int | None = option(
        None,
        "Episodes of each of them; one is enough where both the policy and the environment are deterministic.",
        COUNT,
    )
    keep_policies: bool = option(False, "Whether the policy of every evaluation is kept: policies/STEP.")
    checkpoint_every: int = option(250_000, "Least steps between checkpoints.", COUNT)
    device: str = option("cpu", "Where the networks are: cpu, or cuda.")
    threads: int = option(1, "Threads of the learner; a run resumes exactly with the same number.", COUNT)


@dataclass(frozen=True)
class GoalConfiguration(CurriculumConfiguration):
    """And of methods for goals, which choose subgoals for the ant."""

    low_level: str = option(
        "learned",
        "What walks the ant to subgoals: learned (a policy that is trained, too), or shipped (the controller).",
    )
    precision: str = option(
        "float32",
        "Precision of convolutions: float32, or bfloat16, 1.7 times as fast on bits where the processor can.",
    )
    ant_threads: int = option(1, "Threads for the ants' physics; the run is the same with any number.", COUNT)


@dataclass(frozen=True)
class RolloutConfiguration(CurriculumConfiguration):
    """And of learners to which it is the same how long their rollouts are."""

    num_envs: int = option(256, "Rows of the vector environment.", COUNT)
    rollout_steps: int = option(32, "Actions of every row between updates.", COUNT)
    stochastic: bool = option(True, "Whether the trained policy draws its actions instead of taking the best.")
