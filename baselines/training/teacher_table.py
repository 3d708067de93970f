"""The table of teachers: what ``--teacher NAME`` knows, and ``--teacher-options`` sets. Loaded when it is used."""

import dataclasses
import inspect
import pkgutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_origin, get_type_hints

import numpy as np

from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.settings import check_ranges
from procgen_bench.core.errors import InvalidOptionError, ProcgenBenchError, UnknownNameError
from procgen_bench.core.own_code import import_code, names_code
from procgen_bench.core.plugins import PluginTable

if TYPE_CHECKING:  # it takes torch, which a list of the teachers does without
    from procgen_bench.baselines.training.teacher import Teacher


class TeacherOptionError(ProcgenBenchError):
    """A teacher's options are not what it takes."""


class OwnTeacherError(ProcgenBenchError):
    """The user's own teacher cannot be loaded, or is invalid."""


@dataclass(frozen=True)
class TeacherEntry:
    """One teacher.

    Attributes:
        name: What the command line calls it.
        description: One sentence, with its source.
        teacher: ``"module:class"`` of the :class:`~procgen_bench.baselines.training.teacher.Teacher`.
        configuration: ``"module:class"`` of its configuration dataclass, whose defaults are the published settings.
    """

    name: str
    description: str
    teacher: str
    configuration: str

    def configured(self, options: str) -> Any:
        """The configuration with options like ``"replay_probability=0.5,buffer_size=4000"`` in place of its defaults.

        Raises:
            TeacherOptionError: An option is unknown, or given twice, or its value is not of the field's type, or out
                of its range.
        """
        configuration = pkgutil.resolve_name(self.configuration)()
        types = get_type_hints(type(configuration))
        changed = {}
        for option in filter(None, options.split(",")):
            name, _, text = option.partition("=")
            if name not in types:
                known = ", ".join(types) or "none"
                raise TeacherOptionError(f"teacher {self.name!r} has no option {name!r}; its options: {known}")
            if name in changed:
                raise TeacherOptionError(f"teacher {self.name!r}: {name} is given twice, in {options!r}; give it once")
            changed[name] = self._read(name, types[name], text)
        try:
            configuration = dataclasses.replace(configuration, **changed)
            check_ranges(configuration)
        except InvalidOptionError as error:
            raise TeacherOptionError(f"teacher {self.name!r}: {error}") from None
        return configuration

    def make(self, options: str, levels: LevelSource, rng: np.random.Generator) -> "Teacher":
        """The teacher with these options."""
        return pkgutil.resolve_name(self.teacher)(levels, rng, self.configured(options))

    def _read(self, name: str, kind: type, text: str) -> Any:
        if get_origin(kind) is Literal:
            return text
        truths = {"true": True, "false": False}
        try:
            return truths[text] if kind is bool else kind(text)
        except (ValueError, KeyError):
            expected = "true or false" if kind is bool else f"a value of type {kind.__name__}"
            raise TeacherOptionError(f"teacher {self.name!r}: {name} is {text!r}, expected {expected}") from None


def _own(
    name: str, module: str, kind: str, description: str, configuration: str = "", settings: str = ""
) -> TeacherEntry:
    """A teacher in a module of baselines/, and its configuration: there, or beside it in one that loads no networks."""
    path = f"procgen_bench.baselines.{module}"
    beside = f"{path.rpartition('.')[0]}.{settings}" if settings else path
    return TeacherEntry(name, description, f"{path}:{kind}Teacher", f"{beside}:{configuration or kind}Configuration")


def _design(name: str, kind: str, description: str, module: str = "code") -> TeacherEntry:
    return _own(name, f"papers.code.{module}", kind, description, settings="design_settings")


_OWN = (
    _own("uniform", "curricula.uniform", "Uniform", "Levels drawn uniformly: domain randomisation."),
    _own("targets", "curricula.targets", "Targets", "The benchmark's own task, or fresh ones of its distribution."),
    _own("plr", "curricula.plr", "PLR", "Prioritised level replay (Jiang et al. 2021)."),
    _own(
        "robust-plr",
        "curricula.plr",
        "RobustPLR",
        "PLR-perp: prioritised level replay that learns from replayed levels only (Jiang et al. 2021b).",
        configuration="PLR",
    ),
    _own(
        "accel", "curricula.accel", "ACCEL", "Robust PLR whose replayed levels are mutated (Parker-Holder et al. 2022)."
    ),
    _own(
        "learnability",
        "curricula.learnability",
        "Learnability",
        "SFL: levels that are solved sometimes, of a large batch that is tried (Rutherford et al. 2024).",
    ),
    _own(
        "ncc",
        "curricula.ncc",
        "NCC",
        "NCC: kept levels, by a distribution that learns from scores (Monette et al. 2025).",
    ),
    _own(
        "alp-gmm",
        "curricula.alp_gmm",
        "ALPGMM",
        "Gaussian mixtures over levels, drawn from by their absolute learning progress (Portelas et al. 2019).",
    ),
    _own(
        "goal-gan",
        "curricula.goal_gan",
        "GoalGAN",
        "Levels of intermediate difficulty from a generative adversarial network (Florensa et al. 2018).",
    ),
    _own(
        "apt-gen",
        "papers.apt_gen.apt_gen",
        "APTGen",
        "Generated tasks, as similar to the benchmark's as the student can handle, and its own (Fang et al. 2021).",
    ),
    *(
        _design(name, kind, description)
        for name, kind, description in (
            ("code", "CoDE", "CoDE: a generator of designs, paid by regret and difficulty (Gur et al. 2021)."),
            ("pop-regret", "PopRegret", "The same, paid by the regret of a population alone."),
            ("difficulty", "Difficulty", "The same, paid by difficulty alone."),
            ("paired", "PAIRED", "PAIRED: the same, paid by the regret to an antagonist (Dennis et al. 2020)."),
            (
                "flexible-paired",
                "FlexiblePAIRED",
                "The same with the better of two as the antagonist (Gur et al. 2021).",
            ),
            ("alp", "ALP", "The same, paid by the change of returns: absolute learning progress."),
        )
    ),
    _design(
        "random-designs", "RandomDesigns", "Designs drawn uniformly, of as many choices as a generator's.", "designs"
    ),
    _design("scheduled-designs", "ScheduledDesigns", "Designs of more and more primitives, by a schedule.", "designs"),
    _own(
        "dynamic-tasks",
        "papers.open_ended.dynamic_tasks",
        "DynamicTasks",
        "Levels neither too easy, nor too hard, nor for a random policy (Open-Ended Learning Team 2021).",
    ),
    _own(
        "stages",
        "curricula.stages",
        "Stages",
        "Levels in an order of one's own, each stage opened once those before go well.",
    ),
    _own("demonstrations", "curricula.demonstrations", "Demonstrations", "Starts in the middle of what a solver does."),
    _own(
        "ladder", "curricula.ladder", "Ladder", "Levels graded by the length of their solutions; longer ones are grown."
    ),
)

#: Ours, and those of other packages (entry point group ``procgen_bench.teachers``: a :class:`TeacherEntry`).
TEACHERS: PluginTable[TeacherEntry] = PluginTable("teachers", TeacherEntry, {entry.name: entry for entry in _OWN})


def get_teacher(name: str) -> TeacherEntry:
    """The teacher ``name``, or the user's own: ``module:Class``, which is imported.

    Raises:
        UnknownNameError: There is no such teacher.
        OwnTeacherError: A person's own cannot be imported, or is no :class:`Teacher` with a configuration dataclass.
    """
    if names_code(name):
        return _entry_of(name)
    if name not in TEACHERS:
        raise UnknownNameError("teacher", name, [*TEACHERS, "or module:Class"])
    return TEACHERS[name]


def _entry_of(source: str) -> TeacherEntry:
    from procgen_bench.baselines.training.teacher import Teacher

    found = import_code(source, OwnTeacherError)
    if not (isinstance(found, type) and issubclass(found, Teacher)) or inspect.isabstract(found):
        raise OwnTeacherError(
            f"{source} is {found!r}, expected a subclass of {Teacher.__module__}.Teacher with propose"
        )
    settings: Any = found.configuration_type
    if not dataclasses.is_dataclass(settings) or any(
        field.default is field.default_factory is dataclasses.MISSING for field in dataclasses.fields(settings)
    ):
        raise OwnTeacherError(
            f"{source} has configuration_type = {settings!r}, expected a dataclass all of whose fields have defaults"
        )
    return TeacherEntry(source, inspect.getdoc(found) or "", source, f"{source}.configuration_type")
