"""``list`` and ``describe``: the catalogue."""

import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from procgen_bench.cli.worlds import describe_world
from procgen_bench.core.command_line import EnvironmentArgument
from procgen_bench.core.errors import MissingExtraError
from procgen_bench.core.registrations import environment_type, find_spec

if TYPE_CHECKING:
    from rich.table import Table

    from procgen_bench.core.task_space import TaskSpace
    from procgen_bench.engine.task_env import TaskEnv


def register(app: typer.Typer) -> None:
    """Add this module's commands to ``app``."""
    app.command("list")(list_everything)
    app.command()(describe)


def list_everything() -> None:
    """List the environments, the methods, the teachers and the benchmarks, and what trains where.

    **Examples**

    ```
    procgen-bench list
    ```
    """
    from rich.console import Console

    console = Console(markup=False)  # square brackets in facts are no markup
    for table in (_environments(), _methods(), _teachers(), _benchmarks(), _matrix()):
        console.print(table)
        console.print()


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
    from rich.console import Console
    from rich.markdown import Markdown

    env_type = environment_type(environment_id)
    facts = _table(environment_id, "What", "Value")
    facts.add_row("observation space", str(env_type.observation_space))
    facts.add_row("action space", str(env_type.action_space))
    facts.add_row("task parameters", str(env_type.task_space.space))
    facts.add_row("time limit", f"{find_spec(environment_id).max_episode_steps} steps")
    facts.add_row("suites", _suites(env_type.task_space))
    facts.add_row("tasks drawn", _drawn(env_type))
    facts.add_row("render modes", ", ".join(env_type.metadata["render_modes"]))
    facts.add_row("methods that train", ", ".join(_methods_for(environment_id)))
    console = Console(markup=False)  # square brackets in facts are no markup
    console.print(facts)
    console.print(Markdown(_documentation(env_type)))


def _environments() -> "Table":
    from procgen_bench.core.registrations import ENVIRONMENT_IDS

    table = _table("Environments", "Id", "What it is", "Suites (tasks)")
    for environment_id in ENVIRONMENT_IDS:
        try:
            env_type = environment_type(environment_id)
        except MissingExtraError as missing:
            table.add_row(environment_id, f"needs {missing.remedy}")
        else:
            summary = _documentation(env_type).partition("\n")[0]
            table.add_row(environment_id, summary, _suites(env_type.task_space))
    return table


def _methods() -> "Table":
    from procgen_bench.baselines.method_table import METHODS

    table = _table("Methods", "Name", "What it is")
    for method in METHODS.values():
        table.add_row(method.name, method.description)
    return table


def _teachers() -> "Table":
    from procgen_bench.baselines.training.teacher_table import TEACHERS

    table = _table("Teachers (--teacher NAME)", "Name", "What it is")
    for teacher in TEACHERS.values():
        table.add_row(teacher.name, teacher.description)
    return table


def _matrix() -> "Table":
    """Which methods are trained for which environments; the others are refused."""
    from procgen_bench.baselines.method_table import METHODS
    from procgen_bench.core.registrations import ENVIRONMENT_IDS

    table = _table("Training (train METHOD BENCHMARK)", "Method", "Environments")
    for method in METHODS.values():
        if method.trainable:
            known = method.environments or ("every one",)
            table.add_row(method.name, ", ".join(name for name in (*ENVIRONMENT_IDS, "every one") if name in known))
    return table


def _benchmarks() -> "Table":
    from procgen_bench.core.benchmarks import BENCHMARKS

    table = _table("Benchmarks", "Id", "Environment", "What is scored", "Metric")
    for benchmark in BENCHMARKS.values():
        table.add_row(benchmark.id, benchmark.environment_id, benchmark.description, benchmark.metric)
    return table


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


def _table(title: str, *columns: str) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(*columns, title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for column in table.columns:
        column.overflow = "fold"  # on a narrow terminal nothing is cut off: a long word goes on in the next line
    table.columns[0].no_wrap = True
    return table
