"""The table of teachers: what ``--teacher NAME`` knows, and ``--teacher-options`` sets. Loaded when it is used."""

import dataclasses
import inspect
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
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
    """One teacher, or a name for a teacher with some of its options.

    Attributes:
        name: What the command line calls it.
        description: One sentence, with its source.
        teacher: ``"module:class"`` of the :class:`~procgen_bench.baselines.training.teacher.Teacher`.
        configuration: ``"module:class"`` of its configuration dataclass, whose defaults are the published settings.
        forms: By the name of an option, ``"module:class"`` of the teacher and of the configuration (which has the
            option) that serve where the option is given: what nobody asks for is neither loaded nor in the way.
        of: The teacher that an alias stands for; empty: it is no alias.
        options: The options that it stands for, as ``--teacher-options`` has them. The first makes it what it is, and
            cannot be given another value; the others are its defaults.
    """

    name: str
    description: str
    teacher: str
    configuration: str
    forms: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    of: str = ""
    options: str = ""

    def alias(self, name: str, options: str, description: str) -> "TeacherEntry":
        """Another name, for this teacher with these options."""
        return dataclasses.replace(self, name=name, description=description, of=self.name, options=options)

    @property
    def stands_for(self) -> str:
        """The teacher and the options that an alias is short for; empty: it is none."""
        return f"{self.of} with {self.options}" if self.of else ""

    def configured(self, options: str) -> Any:
        """The configuration with options like ``"replay_probability=0.5,buffer_size=4000"`` in place of its defaults.

        Raises:
            TeacherOptionError: An option is unknown, or given twice, or its value is not of the field's type, or out
                of its range, or an alias stands for another.
        """
        given = self._given(options)
        configuration = pkgutil.resolve_name(self._serving(given)[1])()
        types = get_type_hints(type(configuration))
        for name in given:
            if name not in types:
                known = ", ".join(types | dict(self.forms)) or "none"
                raise TeacherOptionError(f"teacher {self.name!r} has no option {name!r}; its options: {known}")
        changed = {name: self._read(name, types[name], text) for name, text in given.items()}
        try:
            configuration = dataclasses.replace(configuration, **changed)
            check_ranges(configuration)
        except InvalidOptionError as error:
            raise TeacherOptionError(f"teacher {self.name!r}: {error}") from None
        return configuration

    def make(self, options: str, levels: LevelSource, rng: np.random.Generator) -> "Teacher":
        """The teacher with these options."""
        teacher, _ = self._serving(self._given(options))
        return pkgutil.resolve_name(teacher)(levels, rng, self.configured(options))

    def _given(self, options: str) -> dict[str, str]:
        """The values of options as texts, by their names: an alias's own among them."""
        own, given = self._split(self.options), self._split(options)
        first = next(iter(own), "")
        if first in given and given[first] != own[first]:
            raise TeacherOptionError(
                f"teacher {self.name!r}: {first} is {given[first]!r}, expected {own[first]!r}, for which the name "
                f"stands; for another take the teacher {self.of!r}"
            )
        return own | given

    def _split(self, options: str) -> dict[str, str]:
        values: dict[str, str] = {}
        for option in filter(None, options.split(",")):
            name, _, text = option.partition("=")
            if name in values:
                raise TeacherOptionError(f"teacher {self.name!r}: {name} is given twice, in {options!r}; give it once")
            values[name] = text
        return values

    def _serving(self, given: Mapping[str, str]) -> tuple[str, str]:
        """``"module:class"`` of the teacher and of the configuration that serve where these options are given."""
        return next((self.forms[name] for name in given if name in self.forms), (self.teacher, self.configuration))

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
    name: str, module: str, kind: str, description: str, configuration: str = "", **forms: tuple[str, str]
) -> TeacherEntry:
    """A teacher in a module of baselines/, and its configuration: in the module, or where it is said."""
    path = _path(f"{module}:{kind}")
    configuration = _path(configuration) if configuration else f"{path}Configuration"
    return TeacherEntry(name, description, f"{path}Teacher", configuration, forms)


def _path(name: str) -> str:
    return f"procgen_bench.baselines.{name}"


def _with_aliases(entry: TeacherEntry, *aliases: tuple[str, str, str]) -> tuple[TeacherEntry, ...]:
    """An entry, and the names of its variants: name, options and description of each."""
    return entry, *(entry.alias(*one) for one in aliases)


_NO_SETTINGS, _DESIGN_SETTINGS = "training.teacher:NoSettings", "papers.code.design_settings"

_OWN = (
    *_with_aliases(
        _own(
            "uniform",
            "curricula.uniform",
            "Uniform",
            "Levels drawn uniformly: domain randomisation.",
            _NO_SETTINGS,
            designs=(_path("papers.code.designs:DrawnDesignsTeacher"), _path(f"{_DESIGN_SETTINGS}:DrawnConfiguration")),
        ),
        ("random-designs", "designs=random", "Designs drawn uniformly, of as many choices as a generator's."),
        ("scheduled-designs", "designs=scheduled", "Designs of more and more primitives, by a schedule."),
    ),
    _own(
        "targets",
        "training.target_share",
        "Targets",
        "The benchmark's own task, or fresh ones of its distribution.",
        _NO_SETTINGS,
    ),
    *_with_aliases(
        _own("plr", "curricula.plr", "PLR", "Prioritised level replay (Jiang et al. 2021)."),
        ("robust-plr", "robust=true", "PLR-perp: it trains on replayed levels only (Jiang et al. 2021b)."),
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
    *_with_aliases(
        _own(
            "code",
            "papers.code.code",
            "CoDE",
            "CoDE: a generator of designs, paid by regret and difficulty, or as its rivals (Gur et al. 2021).",
            f"{_DESIGN_SETTINGS}:CoDEConfiguration",
        ),
        ("pop-regret", "objective=pop-regret", "The generator, paid by the regret of a population alone."),
        ("difficulty", "objective=difficulty,population=1", "The generator, paid by difficulty alone."),
        (
            "paired",
            "objective=paired,entropy_weight=0.1",
            "PAIRED: the generator, paid by the regret to an antagonist (Dennis et al. 2020).",
        ),
        (
            "flexible-paired",
            "objective=flexible-paired,entropy_weight=0.1",
            "PAIRED with the better of two as the antagonist (Gur et al. 2021).",
        ),
        (
            "alp",
            "objective=alp,population=1",
            "The generator, paid by the change of returns: absolute learning progress.",
        ),
    ),
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
