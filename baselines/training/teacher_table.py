"""The table of teachers: what ``--teacher NAME`` knows, and ``--teacher-options`` sets. Loaded when it is used."""

import dataclasses
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_origin, get_type_hints

import numpy as np

from procgen_bench.baselines.training import own_teachers
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
            if not name:
                raise TeacherOptionError(f"teacher {self.name!r}: option {option!r}, expected NAME=VALUE")
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


def _own() -> Iterator[TeacherEntry]:
    """This package's teachers, each followed by its aliases."""
    for name, (description, *served) in own_teachers.TEACHERS.items():
        forms = {option: _paths(*form) for option, form in own_teachers.FORMS.get(name, {}).items()}
        yield (entry := TeacherEntry(name, description, *_paths(*served), forms))
        for alias, (of, options, meaning) in own_teachers.ALIASES.items():
            if of == name:
                yield entry.alias(alias, options, meaning)


def _paths(teacher: str, configuration: str) -> tuple[str, str]:
    return f"procgen_bench.baselines.{teacher}", f"procgen_bench.baselines.{configuration}"


#: Ours, and those of other packages (entry point group ``procgen_bench.teachers``: a :class:`TeacherEntry`).
TEACHERS: PluginTable[TeacherEntry] = PluginTable("teachers", TeacherEntry, {entry.name: entry for entry in _own()})


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
