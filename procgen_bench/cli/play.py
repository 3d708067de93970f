"""``play``: a person plays the environment that the agents play."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from procgen_bench.apps.game import Game
from procgen_bench.apps.in_real_time import play_in_real_time
from procgen_bench.apps.key_by_key import play_in_terminal, play_in_window
from procgen_bench.cli.browser_options import OpenOption, PortOption, opener
from procgen_bench.core.command_line import EnvironmentArgument
from procgen_bench.core.registrations import environment_type
from procgen_bench.core.task_files import is_task_file, read_tasks

if TYPE_CHECKING:
    from procgen_bench.engine.task_env import TaskEnv


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(play)


def play(
    environment_id: EnvironmentArgument,
    task: Annotated[
        str | None,
        typer.Option(
            help="A task (`targets/A`), a file of tasks (`level.json`), which begins with the first, or a suite to "
            "draw from (`graded`). Default: the whole task space."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first episode; every new task takes the next.")] = 0,
    text: Annotated[bool, typer.Option("--text", help="Play in the terminal; keys may also be piped in.")] = False,
    browser: Annotated[
        bool, typer.Option("--browser", help="Play in your browser what goes on in real time, not in a window.")
    ] = False,
    port: PortOption = None,
    open_browser: OpenOption = None,
    co_players: Annotated[
        str | None,
        typer.Option(
            help="Who takes the other seats, separated by commas: co-players by name, `trained` (XLandSmall-v0's own "
            "policy), or policies' folders or files. Default: as the task has it."
        ),
    ] = None,
) -> None:
    """Play an environment as a person, with the same tasks and seeds that agents get.

    Arrow keys or the environment's own letters act, r restarts the task, n draws a new one, q quits. XLand and the
    Fetch arm go on in real time, with the keys that are held, in a window or, with `--browser`, in your browser; tab
    shows XLand's player from behind, or the map. GMiniWoB's sites open in your browser, with the instruction beside
    them: each text you put in and each click is a step of the agent's environment.

    **Examples**

    ```
    procgen-bench play GridWorld-v0
    procgen-bench play GridWorld-v0 --task graded --seed 3
    procgen-bench play GridWorld-v0 --task level.json
    procgen-bench play XLand-v0 --task hand_authored/capture_the_cube
    procgen-bench play XLandSmall-v0 --co-players trained
    procgen-bench play XLandSmall-v0 --co-players trained --browser
    procgen-bench play XLandSmall-v0 --co-players runs/ppo/xland/small/seed-0/policy
    procgen-bench play GMiniWoB-v0 --task flight/4
    echo ssddd | procgen-bench play GridWorld-v0 --task targets/A --text
    ```
    """
    import gymnasium

    env_type = environment_type(environment_id)
    in_real_time, on_site = env_type.real_time_controls is not None, env_type.browser_controls is not None
    if text and (in_real_time or on_site):
        reason = "runs in real time, in a window or with --browser" if in_real_time else "is played in a browser"
        raise typer.BadParameter(f"{environment_id} {reason}; leave --text out")
    if browser and not (in_real_time or on_site):
        raise typer.BadParameter(f"{environment_id} is not played in a browser; leave --browser out")
    if not (browser or on_site):
        _check_no_page(environment_id, in_real_time, port, open_browser)
    in_file = read_tasks(env_type.task_space, Path(task)) if task is not None and is_task_file(task) else ()
    given, drawn = (in_file[0], in_file[1:] and in_file) if in_file else (None, _suite(env_type, task))
    options = env_type.play_options() | {"tasks": drawn or None}
    if co_players is not None:
        options["co_players"] = _seated(env_type, environment_id, co_players)
    env = gymnasium.make(environment_id, render_mode="ansi" if text else "rgb_array", **options)
    with closing(env):
        game = Game(env, seed, task if given or "/" in (task or "") else None, given)
        if on_site:
            from procgen_bench.apps.in_browser import play_in_browser

            play_in_browser(game, port or 0, opener(open_browser))
        elif browser:
            from procgen_bench.apps.real_time_page.session import play_on_page

            play_on_page(game, port or 0, opener(open_browser))
        elif in_real_time:
            play_in_real_time(game)
        elif text:
            play_in_terminal(game)
        else:
            play_in_window(game)


def _check_no_page(environment_id: str, in_real_time: bool, port: int | None, open_browser: bool | None) -> None:
    """Refuse options of the browser's page where there is none."""
    reason = "is played in a browser only with --browser" if in_real_time else "is not played in a browser"
    mend = "add it, or leave" if in_real_time else "leave"
    for name, value in (("--port", port), ("--open and --no-open", open_browser)):
        if value is not None:
            raise typer.BadParameter(f"{environment_id} {reason}; {mend} {name} out")


def _suite(env_type: "type[TaskEnv]", task: str | None) -> str | None:
    """The suite that new tasks are drawn from: the one that is named, or that the named task comes from, if any."""
    suite, slash, _ = (task or "").partition("/")
    return None if slash and suite not in env_type.task_space.suite_names else suite or None


def _seated(env_type: "type[TaskEnv]", environment_id: str, names: str) -> list[Any]:
    """Who is named: co-players that the environment knows by name, and policies."""
    if "co_players" not in env_type.reset_options:
        raise typer.BadParameter(f"tasks of {environment_id} have no seats for co-players; leave --co-players out")
    return [_co_player(env_type, environment_id, name.strip()) for name in names.split(",")]


def _co_player(env_type: "type[TaskEnv]", environment_id: str, name: str) -> Any:
    from procgen_bench.baselines.policies.folders import TRAINED
    from procgen_bench.baselines.policies.loading import load_policy

    if name != TRAINED and not Path(name).exists():
        env_type.check_co_player(name)
        return name
    return load_policy(name, environment_id)
