"""The file of a sweep: methods x teachers x benchmarks x seeds, with the steps and the options of their runs.

methods = ["ppo", "a2c"]
benchmarks = ["grid-world/graded"]
teachers = ["uniform", "accel"]   # of the methods that have one; by default each method's own
seeds = 5                         # 0 to 4; or a list of seeds
steps = 200_000                   # by default each benchmark's budget

[options]                         # of every method that has them
evaluate_every = 20_000

[options.a2c]                     # of one method
learning_rate = 5e-4

[teacher_options.accel]
buffer_size = 1000
"""

import dataclasses
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_type_hints

import pydantic

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.checks import check_count
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.leaderboards.errors import brief
from procgen_bench.leaderboards.sweeps.cell import Cell

_MOST_SEED = 2**32 - 1
_NEEDED = ("methods", "benchmarks")
_KNOWN = (*_NEEDED, "teachers", "seeds", "steps", "options", "teacher_options")
#: Options that have a key of their own.
_ELSEWHERE = {"teacher": "teachers", "teacher_options": "teacher_options"}
_EXACT = pydantic.ConfigDict(strict=True, allow_inf_nan=False)


class SweepFileError(ProcgenBenchError, ValueError):
    """The file of a sweep is not what one is."""


@dataclass(frozen=True)
class Sweep:
    """What a sweep trains.

    Attributes:
        methods, benchmarks: Names and ids, at least one each.
        teachers: Names; none: each method's own.
        seeds: Seeds of the runs.
        steps: Environment steps of a run; ``None``: each benchmark's budget.
        options: Of every method, those that are not left at their defaults, by field name.
        teacher_options: Of teachers, as ``--teacher-options`` takes them.
    """

    methods: tuple[str, ...]
    benchmarks: tuple[str, ...]
    teachers: tuple[str, ...]
    seeds: tuple[int, ...]
    steps: int | None
    options: dict[str, dict[str, Any]]
    teacher_options: dict[str, str] = field(default_factory=dict)

    def cells(self, out: Path) -> list[Cell]:
        """Its training runs below the folder ``out``, first seeds first."""
        return [
            Cell(method, benchmark, options, seed, self.steps or get_benchmark(benchmark).interaction_budget, out)
            for seed in self.seeds
            for benchmark in self.benchmarks
            for method in self.methods
            for options in self._options_of(method)
        ]

    def _options_of(self, method: str) -> Iterator[dict[str, Any]]:
        """A method's options under each teacher; once, where it has none."""
        own = self.options.get(method, {})
        if not self.teachers or "teacher" not in option_types(method):
            yield own
            return
        for teacher in self.teachers:
            given = self.teacher_options.get(teacher)
            yield {"teacher": teacher, **({"teacher_options": given} if given else {}), **own}


def read_sweep(path: Path) -> Sweep:
    """The sweep that a TOML file describes.

    Raises:
        SweepFileError: It cannot be read, or says what no sweep can be.
    """
    content = read_toml(path)
    with naming(str(path)):
        return _checked(content)


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file says.

    Raises:
        SweepFileError: It cannot be read.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SweepFileError(f"{path} cannot be read as TOML: {error}") from error


def _checked(content: dict[str, Any]) -> Sweep:
    for key in content:
        check(key in _KNOWN, "key", key, f"one of {list(_KNOWN)}")
    for key in _NEEDED:
        check(key in content, "the file", f"without {key}", f"a list, e.g. {key} = [...]")
    methods = _names("methods", content["methods"], get_method)
    benchmarks = _names("benchmarks", content["benchmarks"], get_benchmark)
    teachers = _names("teachers", content["teachers"], get_teacher) if "teachers" in content else ()
    for name in methods:
        check(get_method(name).trainable, "methods", name, "methods that are trained (`procgen-bench list`)")
        for benchmark in benchmarks:
            with naming(f"methods, benchmarks: {benchmark} is of another environment"):
                get_method(name).check_environment(get_benchmark(benchmark).environment_id)
    have_teachers = any("teacher" in option_types(name) for name in methods)
    check(not teachers or have_teachers, "teachers", list(teachers), f"none: {', '.join(methods)} has no teacher")
    if "steps" in content:
        check_count("steps", content["steps"])
    return Sweep(
        methods,
        benchmarks,
        teachers,
        seeds_of(content.get("seeds", 1)),
        content.get("steps"),
        _options(content.get("options", {}), methods),
        dict(_teacher_options(content.get("teacher_options", {}), teachers)),
    )


def _names(key: str, value: Any, find: Callable[[str], Any]) -> tuple[str, ...]:
    texts = isinstance(value, list) and value and all(isinstance(name, str) for name in value)
    check(bool(texts) and len(set(value)) == len(value), key, value, "a list of different names")
    with naming(key):
        for name in value:
            find(name)
    return tuple(value)


def seeds_of(value: Any) -> tuple[int, ...]:
    """Seeds, from their number or a list of them."""
    if not isinstance(value, list):
        check_count("seeds", value)
        return tuple(range(value))
    fine = all(type(seed) is int and 0 <= seed <= _MOST_SEED for seed in value) and len(set(value)) == len(value)
    check(bool(value) and fine, "seeds", value, "their number, or a list of different integers of at least 0")
    return tuple(value)


def _options(tables: Any, methods: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """The options of each method: those of all, where it has them, and its own."""
    check(isinstance(tables, dict), "options", tables, "a table")
    own = {name: table for name, table in tables.items() if isinstance(table, dict)}
    shared = {name: value for name, value in tables.items() if name not in own}
    for name in own:
        check(name in methods, "options", name, f"options, or a table of one of the methods {list(methods)}")
    for name in shared:
        known = sorted({field for method in methods for field in option_types(method)})
        check(name in known, "options", name, f"one of {known}")
    return {method: _options_of(method, shared, own.get(method, {})) for method in methods}


def _options_of(method: str, shared: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """In the order of the configuration's fields, so that the order of a file decides nothing."""
    chosen = {name: value for name, value in shared.items() if name in option_types(method)} | own
    read = {name: _value(method, name, value) for name, value in chosen.items()}
    return {name: read[name] for name in option_types(method) if name in read}


def _value(method: str, name: str, value: Any) -> Any:
    """A method's option that has no key of its own, as its configuration takes it."""
    check(name not in _ELSEWHERE, f"options.{method}", name, f"its own key at the top, {_ELSEWHERE.get(name)}")
    return option_value(method, name, value)


def option_value(method: str, name: str, value: Any) -> Any:
    """A method's option, as its configuration takes it.

    Raises:
        SweepFileError: The method has none of this name, or it is of another type.
    """
    place, known = f"options.{method}", option_types(method)
    check(name in known, place, name, f"one of {sorted(known)}")
    try:
        return pydantic.TypeAdapter(known[name], config=_EXACT).validate_python(value)
    except pydantic.ValidationError as error:
        expected = error.errors(include_url=False)[0]["msg"].removeprefix("Input should be ")
        raise SweepFileError(f"{place}.{name} is {brief(value)}, expected {expected}") from None


def _teacher_options(tables: Any, teachers: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    check(isinstance(tables, dict), "teacher_options", tables, "a table for each teacher")
    for name, table in tables.items():
        check(name in teachers, "teacher_options", name, f"tables of the sweep's teachers {list(teachers)}")
        check(isinstance(table, dict), f"teacher_options.{name}", table, "a table")
        written = {option: str(value).lower() if isinstance(value, bool) else value for option, value in table.items()}
        text = ",".join(f"{option}={value}" for option, value in written.items())
        with naming("teacher_options"):
            get_teacher(name).configured(text)
        yield name, text


def option_types(method: str) -> dict[str, Any]:
    """Type of every option of a method."""
    return {
        one.name: types[one.name]
        for configuration in get_method(method).configurations()
        for types in [get_type_hints(configuration)]
        for one in dataclasses.fields(configuration)
    }


def check(fine: bool, name: str, value: Any, expected: str) -> None:
    """Raise :class:`SweepFileError` unless all is fine: what it is of which name, and what is expected."""
    if not fine:
        raise SweepFileError(f"{name} is {brief(value)}, expected {expected}")


@contextmanager
def naming(place: str) -> Iterator[None]:
    """What is wrong inside says where that is."""
    try:
        yield
    except ProcgenBenchError as error:
        raise SweepFileError(f"{place}: {error}") from error
