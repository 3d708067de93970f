"""``list`` and ``describe``: the catalogue."""

import inspect
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from procgen_bench.cli.tables import Column, csv_of, print_table
from procgen_bench.cli.worlds import describe_world
from procgen_bench.core.command_line import EnvironmentArgument
from procgen_bench.core.errors import MissingExtraError
from procgen_bench.core.extras import check_installed
from procgen_bench.core.printing import print_rich
from procgen_bench.core.registrations import REGISTRATIONS, environment_type, find_spec

if TYPE_CHECKING:
    from procgen_bench.core.task_space import TaskSpace
    from procgen_bench.engine.task_env import TaskEnv


def register(app: typer.Typer) -> None:
    """Add this module's commands to ``app``."""
    app.command("list")(list_everything)
    app.command()(describe)


def list_everything(
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON document.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print everything as one CSV table.")] = False,
) -> None:
    """List the environments, the methods, the teachers and the benchmarks, and what trains where.

    **Examples**

    ```
    procgen-bench list
    procgen-bench list --json > catalogue.json
    ```
    """
    found = _catalogues()
    if as_json:
        typer.echo(json.dumps({name: one.records for name, one in found.items()}, indent=2))
    elif as_csv:
        records = [{"list": name} | record for name, one in found.items() for record in one.records]
        typer.echo(csv_of([{name: _cell(value) for name, value in record.items()} for record in records]), nl=False)
    else:
        for one in found.values():
            one.show()
            typer.echo()


def describe(
    environment_id: EnvironmentArgument,
    world: Annotated[
        str | None, typer.Option(help="XLand-v0: describe the world of this seed, or of a task (`test/17`).")
    ] = None,
    goal: Annotated[
        list[str] | None, typer.Option(help="XLand-v0: a player's goal in the world (once for each player).")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="XLand-v0: where the world's picture goes.")] = None,
    side: Annotated[int | None, typer.Option(help="XLand-v0: tiles along a generated world's sides, 5 to 15.")] = None,
    max_level: Annotated[int | None, typer.Option(help="XLand-v0: highest level of its floors, 0 to 5.")] = None,
    objects: Annotated[int | None, typer.Option(help="XLand-v0: number of its objects, 0 to 12.")] = None,
    options: Annotated[int | None, typer.Option(help="XLand-v0: options of a random game's goals, 1 to 3.")] = None,
) -> None:
    """Describe an environment: its spaces, its time limit, its suites of tasks and its documentation.

    With --world, describe a world of XLand-v0: in text, as an isometric picture, and with a game that is played in it.

    **Examples**

    ```
    procgen-bench describe GridWorld-v0
    procgen-bench describe XLand-v0 --world 7
    procgen-bench describe XLand-v0 --world 7 --side 5 --max-level 1 --objects 4 --options 1
    procgen-bench describe XLand-v0 --world 7 --goal "see(me,opponent)" --goal "~see(opponent,me)"
    procgen-bench describe XLand-v0 --world hand_authored/find_cube --out find_cube.png
    ```
    """
    if world is not None and environment_id == "XLand-v0":
        describe_world(world, goal or [], out, side=side, max_level=max_level, objects=objects, options=options)
        return
    if world is not None or goal or {out, side, max_level, objects, options} != {None}:
        raise typer.BadParameter("--world and what comes after it describe a world: give XLand-v0 and --world")
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.table import Table

    env_type = environment_type(environment_id)
    facts = Table("What", "Value", title=environment_id, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    facts.columns[0].no_wrap, facts.columns[1].overflow = True, "fold"  # on a narrow terminal nothing is cut off
    facts.add_row("observation space", str(env_type.observation_space))
    facts.add_row("action space", str(env_type.action_space))
    facts.add_row("task parameters", str(env_type.task_space.space))
    facts.add_row("time limit", f"{find_spec(environment_id).max_episode_steps} steps")
    facts.add_row("suites", _suites(env_type.task_space))
    facts.add_row("tasks drawn", _drawn(env_type))
    facts.add_row("render modes", ", ".join(env_type.metadata["render_modes"]))
    facts.add_row("methods that train", ", ".join(_methods_for(environment_id)))
    console = Console(markup=False)  # square brackets in facts are no markup
    print_rich(console, facts, Markdown(_documentation(env_type)))


@dataclass(frozen=True)
class _Catalogue:
    """One of the lists: its title, its records by the names of their values, and which of those are sentences."""

    title: str
    records: list[dict[str, Any]]
    sentences: tuple[str, ...] = ("what it is",)

    def show(self) -> None:
        """Print it as a table."""
        names = list(dict.fromkeys(name for record in self.records for name in record))
        print_table(
            [
                Column(
                    name,
                    [_cell(record.get(name)) for record in self.records],
                    sentence=name in self.sentences,
                    spare=name not in (names[0], "needs", *self.sentences[:1]),
                )
                for name in names
            ],
            self.title,
        )


def _cell(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value or "")


def _catalogues() -> dict[str, _Catalogue]:
    """Everything that is listed, by the name of the list."""
    from procgen_bench.baselines.method_table import METHODS
    from procgen_bench.baselines.training.teacher_table import TEACHERS
    from procgen_bench.core.benchmarks import BENCHMARKS

    methods = [{"name": method.name, "what it is": method.description} for method in METHODS.values()]
    teachers = [
        {"name": teacher.name, "what it is": teacher.description, "short for": teacher.stands_for}
        for teacher in TEACHERS.values()
    ]
    benchmarks = [
        {
            "id": benchmark.id,
            "what is scored": benchmark.description,
            "environment": benchmark.environment_id,
            "metric": benchmark.metric,
        }
        for benchmark in BENCHMARKS.values()
    ]
    return {
        "environments": _Catalogue("Environments", _environments()),
        "methods": _Catalogue("Methods", methods),
        "teachers": _Catalogue("Teachers (--teacher NAME)", teachers),
        "benchmarks": _Catalogue("Benchmarks", benchmarks, ("what is scored",)),
        "training": _Catalogue("Training (train METHOD BENCHMARK)", _matrix(), ("environments",)),
    }


def _environments() -> list[dict[str, Any]]:
    """The environments; one whose package is missing says what installs it. None of them is imported."""
    records: list[dict[str, Any]] = []
    for one in REGISTRATIONS:
        try:
            if one.extra:
                check_installed(one.extra)
        except MissingExtraError as missing:
            records.append({"id": one.id, "needs": missing.remedy})
        else:
            records.append({"id": one.id, "what it is": one.description, "steps": one.max_episode_steps})
    return records


def _matrix() -> list[dict[str, Any]]:
    """Which methods are trained for which environments; the others are refused."""
    from procgen_bench.baselines.method_table import METHODS
    from procgen_bench.core.registrations import ENVIRONMENT_IDS

    known = (*ENVIRONMENT_IDS, "every one")
    return [
        {
            "method": method.name,
            "environments": [name for name in known if name in (method.environments or ("every one",))],
        }
        for method in METHODS.values()
        if method.trainable
    ]


def _methods_for(environment_id: str) -> list[str]:
    from procgen_bench.baselines.method_table import METHODS

    return [method.name for method in METHODS.values() if method.trainable and method.suits(environment_id)]


def _suites(task_space: "TaskSpace") -> str:
    return ", ".join(f"{name} ({len(task_space.suite(name))})" for name in task_space.suite_names)


def _drawn(env_type: "type[TaskEnv]") -> str:
    """Whether what resets draw without the argument ``tasks`` can be solved."""
    if env_type.draws_solvable:
        return "all can be solved"
    if env_type.task_space.draws_solvable_quickly:
        return 'many cannot be solved; the argument tasks="solvable" leaves those out'
    return "some may be unsolvable; nothing quickly decides which"


def _documentation(env_type: type) -> str:
    """The class's docstring as markdown; Sphinx's roles, as in ``:class:`Task```, are dropped."""
    return re.sub(r":\w+:`~?", "`", inspect.getdoc(env_type) or "")
