"""``report``: how reliably an agent solves tasks, and what it takes."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from procgen_bench.cli.playing_agents import AgentOption, AtOnceOption, ModelOption, agent_name, check_agent, playing
from procgen_bench.cli.tables import Column, print_table
from procgen_bench.core.command_line import EnvironmentArgument

if TYPE_CHECKING:
    from procgen_bench.core.task import Task

#: A floor that never ends an episode.
_NEVER_ACTS = "null"
_MILLION = 1_000_000


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(report)


def report(
    environment_id: EnvironmentArgument,
    policy: AgentOption,
    tasks: Annotated[str, typer.Option(help="A suite, a task (`test/login-4-0`), or a file of tasks (`faults.json`).")],
    model: ModelOption = None,
    episodes: Annotated[int, typer.Option(min=1, help="Episodes of each task, each by a seed of its own.")] = 4,
    most: Annotated[int, typer.Option(min=1, help="Tasks at most, evenly spread over the suite.")] = 100,
    price: Annotated[
        str | None,
        typer.Option(metavar="IN,OUT", help="Price of a million tokens of a model's input and output, `0.15,0.60`."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE.json", help="Also write it, with each task's episodes.")
    ] = None,
    at_once: AtOnceOption = 8,
) -> None:
    """Play an agent, and the floors that read nothing, and report how reliably they solve tasks.

    pass^k is how likely k episodes of one task are all solved. Of models also the calls that could not be made or
    changed nothing, and the tokens and their price per episode, as far as the server says them. Floors are scripted
    players; nothing of this makes a row of a board, which `evaluate` and `submit` do.

    **Examples**

    ```
    procgen-bench report GMiniWoB-v0 --policy http://127.0.0.1:8000/v1 --model tiny --tasks test --most 20
    procgen-bench report GMiniWoB-v0 --policy site-matcher --tasks faults.json --episodes 2 -o report.json
    ```
    """
    from procgen_bench.core.paths import check_file

    check_agent(policy, model)
    prices = _prices(price, model)
    if out is not None:
        check_file(out)
    played = _tasks(environment_id, tasks, most)
    every = [task for _, task in played for _ in range(episodes)]
    rows = []
    with playing(policy, model, environment_id, at_once, agent_name(policy, model)) as play:
        rows.append(_row(agent_name(policy, model), play(every, _seeds(len(every))), episodes, prices))
    rows += [_row(name, ended, episodes, None) for name, ended in _floors(policy, environment_id, every)]
    print_table(_columns(rows, episodes), caption=f"{len(played)} tasks of {tasks}, {episodes} episodes of each")
    if out is not None:
        from procgen_bench.core.atomic import write_text

        names = [name for name, _ in played]
        about = {"environment": environment_id, "tasks": names, "episodes": episodes}
        write_text(out, json.dumps({**about, "agents": rows}, indent=1) + "\n")
        typer.echo(f"wrote {out}")


def _prices(price: str | None, model: str | None) -> tuple[float, float] | None:
    if price is None:
        return None
    if model is None:
        raise typer.BadParameter("--price is of a model's tokens; leave it out, or give --model")
    try:
        given, taken = map(float, price.split(","))
    except ValueError:
        raise typer.BadParameter(f"--price is {price!r}, expected two numbers, as 0.15,0.60") from None
    if not (0 <= given < float("inf") and 0 <= taken < float("inf")):
        raise typer.BadParameter(f"--price is {price!r}, expected two numbers of at least 0")
    return given, taken


def _tasks(environment_id: str, tasks: str, most: int) -> "list[tuple[str, Task]]":
    """Tasks by name, at most so many, evenly spread."""
    import numpy as np

    from procgen_bench.core.registrations import environment_type
    from procgen_bench.core.task_files import is_task_file, read_tasks

    space = environment_type(environment_id).task_space
    if tasks in space.suite_names:
        suite = space.suite(tasks)
        places = np.unique(np.linspace(0, len(suite) - 1, min(most, len(suite))).round().astype(int)).tolist()
        return [(f"{tasks}/{suite.task_names[place]}", suite.tasks[place]) for place in places]
    read = read_tasks(space, Path(tasks)) if is_task_file(tasks) else space.resolve_many(tasks)
    names = [f"{tasks} {number}" for number in range(len(read))] if is_task_file(tasks) else [tasks]
    return [*zip(names, read, strict=True)][:most]


def _seeds(count: int) -> list[int]:
    from procgen_bench.core.seeding import seed_from_parts

    return [seed_from_parts("report", number) for number in range(count)]


def _floors(policy: str, environment_id: str, tasks: "Sequence[Task]") -> Iterator[tuple[str, Sequence[Any]]]:
    """The floors that play here, with their episodes; the agent itself is none of them."""
    from procgen_bench.baselines.method_table import METHODS
    from procgen_bench.core.errors import InvalidPolicyError

    for name, method in METHODS.items():
        if method.floor and name not in (_NEVER_ACTS, policy):
            try:
                with playing(name, None, environment_id, 1, name) as play:
                    yield name, play(tasks, _seeds(len(tasks)))
            except InvalidPolicyError:
                continue  # it plays other environments


def _row(name: str, ended: Sequence[Any], episodes: int, prices: tuple[float, float] | None) -> dict[str, Any]:
    """What is reported of an agent."""
    import numpy as np

    from procgen_bench.leaderboards.statistics.pass_hat import pass_hat

    successes = np.array([one.success for one in ended], np.bool_).reshape(-1, episodes)
    row: dict[str, Any] = {
        "agent": name,
        "pass": {str(k): pass_hat(successes, k) for k in _shown(episodes)},
        "steps": float(np.mean([one.length for one in ended])),
        "successes": successes.sum(axis=1).tolist(),
    }
    if hasattr(ended[0], "errors"):
        row["errors"] = float(np.mean([one.errors for one in ended]))
        given, taken = (float(np.mean([getattr(one, side) for one in ended])) for side in _SIDES)
        if given + taken:
            row |= {"input_tokens": given, "output_tokens": taken}
            if prices is not None:
                row["price"] = (given * prices[0] + taken * prices[1]) / _MILLION
    return row


_SIDES = ("input_tokens", "output_tokens")


def _shown(episodes: int) -> list[int]:
    """The k of pass^k: 1, its doubles, and all episodes."""
    doubles = [2**power for power in range(episodes.bit_length()) if 2**power < episodes]
    return [*doubles, episodes]


def _columns(rows: Sequence[dict[str, Any]], episodes: int) -> list[Column]:
    def numbers(title: str, key: str, form: str) -> Column:
        return Column(title, [format(row[key], form) if key in row else "" for row in rows], number=True)

    passes = [
        Column("success" if k == 1 else f"pass^{k}", [f"{row['pass'][str(k)]:.3f}" for row in rows], number=True)
        for k in _shown(episodes)
    ]
    return [
        Column("agent", [row["agent"] for row in rows]),
        *passes,
        numbers("steps", "steps", ".1f"),
        numbers("errors", "errors", ".1f"),
        numbers("tokens in", "input_tokens", ",.0f"),
        numbers("tokens out", "output_tokens", ",.0f"),
        numbers("price", "price", ".5f"),
    ]
