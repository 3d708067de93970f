"""Pages of environments, methods and teachers, from their docstrings, tables and configuration classes, as Markdown."""

import ast
import dataclasses
import importlib.util
import inspect
import pkgutil
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from procgen_bench.baselines.method_table import METHODS, Method
from procgen_bench.baselines.training.settings import CurriculumConfiguration
from procgen_bench.baselines.training.teacher_table import TEACHERS, TeacherEntry
from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.core.registrations import ENVIRONMENT_IDS, environment_type, find_registration
from procgen_bench.leaderboards.tracks.tables import (
    EXPLORER_HEAD,
    FLOORS,
    MARKED,
    SETS_HEAD,
    explorer_rows,
    floor_cells,
    set_rows,
    tasks_played,
    why_not_measured,
)

#: Picture of an environment, where it is not the one of its folder's name.
PICTURES = {
    "GridWorldLarge-v0": "grid_world_large",
    "FetchProgram-v0": "fetch_program",
    "GMiniWoB-v0": "gminiwob",
    "GMiniWoBLiteral-v0": "gminiwob",
}
#: Extra by folder of ``envs/``; others need none.
EXTRAS = {
    "ant_maze": "`mujoco`",
    "compositional_minigrid": "`minigrid`, for `backend` of the library",
    "fetch_blocks": "`fetch`",
    "table_push": "`pybullet` (Python 3.11)",
    "ued_maze": "`minigrid`, for `backend` of the library",
    "web": "`web`, for the browser",
    "xland": "`mujoco`",
}

ABOUT_FLOORS = (
    "The last columns are scores of players that see nothing: the same actions in every task. Bold: above "
    f"{MARKED:g} of the best possible score, so that as much is earned without having learned anything. "
    "`python -m procgen_bench.leaderboards.tracks.measure` measures them, under physics on some of the scored tasks."
)
ABOUT_EXPLORER = (
    "It tells states apart by what it observes, remembers what each action did, and walks to the nearest action that "
    "it has not tried. Least and greatest of five runs, which differ in the order of trying. Normalised scores do not "
    "count from this floor."
)
ABOUT_SETS = (
    'Scored tasks are the suite\'s. Fresh ones are what the verifier draws. `tasks="training"` draws neither. Training '
    "draws are those without a curriculum, and those that curricula begin from, as many as stand there; two tasks are "
    "the same where what tells them apart is. Up to symmetries a task is also the same when rotated, reflected, "
    "recoloured, or with equal parts in another order, as far as its space has such symmetries: what is met only so is "
    "new to a learner that does not know them. A first observation that is met says little where much of a task is "
    "hidden at first."
)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    cells = [[text.replace("|", "\\|").replace("\n", " ") for text in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *cells))


def plain(docstring: str | None) -> str:
    """A docstring as Markdown: roles, as in ``:class:`Task```, become code, double backquotes single ones."""
    return re.sub(r":\w+:`~?", "`", inspect.cleandoc(docstring or "")).replace("``", "`")


def folder_of(environment_id: str) -> str:
    """The folder of ``envs/`` that an environment is in."""
    return find_registration(environment_id).entry_point.split(".")[2].partition(":")[0]


def picture_of(environment_id: str) -> str:
    """Name of an environment's picture."""
    return PICTURES.get(environment_id, folder_of(environment_id))


def suites_of(environment_id: str) -> str:
    """Suites with their numbers of tasks."""
    space = environment_type(environment_id).task_space
    return ", ".join(f"`{name}` ({len(space.suite(name)):,})" for name in space.suite_names)


def environment_page(environment_id: str) -> str:
    """An environment's page: facts, benchmarks, and its docstring."""
    env_type = environment_type(environment_id)
    summary, _, description = plain(env_type.__doc__).partition("\n")
    trained = [method.name for method in METHODS.values() if method.trainable and method.suits(environment_id)]
    facts = [
        ("Make", f'`gymnasium.make("{environment_id}")`'),
        ("Extra", EXTRAS.get(folder_of(environment_id), "none")),
        ("Time limit", f"{find_registration(environment_id).max_episode_steps} steps"),
        ("Suites (tasks)", suites_of(environment_id)),
        ("Pictures", ", ".join(f"`{mode}`" for mode in env_type.metadata["render_modes"])),
        ("Methods that train", ", ".join(f"[{name}](../methods/{name}.md)" for name in trained)),
    ]
    benchmarks = [found for found in BENCHMARKS.values() if found.environment_id == environment_id]
    scored = [
        (
            f"[{found.id}](../rows.md#{found.id.replace('/', '')})",
            found.description,
            found.metric,
            f"{found.maximum:g}",
            *floor_cells(found),
            tasks_played(found),
        )
        for found in benchmarks
    ]
    parts = [
        f"# {environment_id}",
        summary,
        f"![{summary}](../../pictures/{picture_of(environment_id)}.gif)",
        table(("", ""), facts),
        description.strip(),
    ]
    if scored:
        head = ("Id", "What is scored", "Metric", "Best possible", *FLOORS.values(), "Tasks played")
        parts += ["## Benchmarks", table(head, scored), ABOUT_FLOORS, why_not_measured(benchmarks)]
    if explored := explorer_rows(benchmarks):
        parts += ["## The tabular explorer", table(EXPLORER_HEAD, explored), ABOUT_EXPLORER]
    if sets := set_rows(benchmarks):
        met = env_type.task_space.met_in_training
        parts += [
            "## Tasks to train on, scored and fresh ones",
            ABOUT_SETS,
            table(SETS_HEAD, sets),
            *([met] if met else []),
        ]
    return "\n\n".join(filter(None, parts))


def flag(name: str) -> str:
    """A field's name as the command line has it."""
    return f"--{name.replace('_', '-')}"


def settings_of(configuration: Any, named: Callable[[str], str] = str, left_out: Collection[str] = ()) -> str:
    """A configuration's options by their names, defaults and what they do, but for some; empty: it has no others."""
    rows = [
        (f"`{named(field.name)}`", f"`{field.default!r}`", plain(field.metadata.get("description", "")))
        for field in dataclasses.fields(configuration)
        if field.name not in left_out
    ]
    return table(("Option", "Default", "What it does"), rows) if rows else ""


def names_of(configuration: Any) -> set[str]:
    """Names of a configuration's options."""
    return {field.name for field in dataclasses.fields(configuration)}


def common_to(configuration: Any) -> set[str]:
    """The options that a configuration has as all methods have them, with the same default."""
    defaults = {field.name: field.default for field in dataclasses.fields(CurriculumConfiguration)}
    return {
        field.name
        for field in dataclasses.fields(configuration)
        if field.name in defaults and field.default == defaults[field.name]
    }


def module_text(entry: str) -> str:
    """The docstring of the module of ``"module:name"``, which is not imported."""
    found = importlib.util.find_spec(entry.partition(":")[0])
    assert found and found.origin
    return plain(ast.get_docstring(ast.parse(Path(found.origin).read_text())))


def method_page(method: Method) -> str:
    """A method's page."""
    own, *of_families = method.configurations()
    module = method.make_players or method.loop
    assert module is not None
    environments = method.environments or ENVIRONMENT_IDS
    where = ", ".join(f"[{name}](../environments/{name}.md)" for name in environments if name in ENVIRONMENT_IDS)
    return "\n\n".join(
        (
            f"# {method.name}",
            method.description,
            f"```\nprocgen-bench train {method.name} BENCHMARK\n```",
            module_text(module),
            f"It learns in {where}.",
            "## Settings",
            "Defaults before those of a benchmark, which `procgen-bench train METHOD BENCHMARK --help` shows. It also "
            "has the [common settings](../../methods.md#common-settings).",
            settings_of(own, flag, common_to(own)),
            *(
                f"In {' and '.join(method.families)} also:\n\n{settings_of(kind, flag, names_of(own))}"
                for kind in of_families
            ),
        )
    )


def teacher_page(teacher: TeacherEntry) -> str:
    """A teacher's page: its aliases, and its settings, those of its other forms among them."""
    named = [one for one in TEACHERS.values() if one.of == teacher.name]
    aliases = [(f"`{one.name}`", f"`{one.options}`", one.description) for one in named]
    settings = [settings_of(pkgutil.resolve_name(teacher.configuration)) or "By itself it has none."]
    for option, (_, configuration) in teacher.forms.items():
        settings += [f"Where `{option}` is given:", settings_of(pkgutil.resolve_name(configuration))]
    return "\n\n".join(
        (
            f"# {teacher.name}",
            teacher.description,
            f"```\nprocgen-bench train METHOD BENCHMARK --teacher {teacher.name}\n```",
            module_text(teacher.teacher),
            *(("## Short names", table(("Name", "Settings", "What it is"), aliases)) if aliases else ()),
            "## Settings",
            "Given as `--teacher-options NAME=VALUE,NAME=VALUE`.",
            *settings,
        )
    )


def catalogue() -> dict[str, str]:
    """Every page: path below ``generated/`` -> text."""
    trained = {name: method for name, method in METHODS.items() if method.trainable}
    found = {
        "environments.inc": table(
            ("Environment", "", "What it is", "Suites (tasks)"),
            (
                (
                    f"[{name}](generated/environments/{name}.md)",
                    f"![](pictures/{picture_of(name)}.gif){{width=120px}}",
                    plain(environment_type(name).__doc__).partition("\n")[0],
                    suites_of(name),
                )
                for name in ENVIRONMENT_IDS
            ),
        ),
        "methods.inc": table(
            ("Method", "What it is"),
            ((f"[{name}](generated/methods/{name}.md)", method.description) for name, method in trained.items()),
        ),
        "policies.inc": table(
            ("Policy", "What it is"),
            ((f"`{name}`", method.description) for name, method in METHODS.items() if not method.trainable),
        ),
        "common_settings.inc": settings_of(CurriculumConfiguration, flag),
        "teachers.inc": table(
            ("Teacher", "What it proposes"),
            (
                (f"[{one.name}](generated/teachers/{one.of or one.name}.md)", one.description)
                for one in TEACHERS.values()
            ),
        ),
    }
    found |= {f"environments/{name}.md": environment_page(name) for name in ENVIRONMENT_IDS}
    found |= {f"methods/{name}.md": method_page(method) for name, method in trained.items()}
    return found | {f"teachers/{one.name}.md": teacher_page(one) for one in TEACHERS.values() if not one.of}
