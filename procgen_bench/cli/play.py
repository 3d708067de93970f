"""``play``: a person plays the environment that the agents play."""

from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from procgen_bench.cli.game import Game
from procgen_bench.cli.in_real_time import play_in_real_time
from procgen_bench.cli.key_by_key import play_in_terminal, play_in_window
from procgen_bench.core.command_line import EnvironmentArgument
from procgen_bench.core.registrations import environment_type

if TYPE_CHECKING:
    from procgen_bench.engine.task_env import TaskEnv


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(play)


def play(
    environment_id: EnvironmentArgument,
    task: Annotated[
        str | None,
        typer.Option(help="A task (`targets/A`), or a suite to draw from (`graded`). Default: the whole task space."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first episode; every new task takes the next.")] = 0,
    text: Annotated[bool, typer.Option("--text", help="Play in the terminal; keys may also be piped in.")] = False,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port of this machine to play at, in a browser. Default: any.")
    ] = None,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the browser to play in, or only print the address.")
    ] = True,
) -> None:
    """Play an environment as a person, with the same tasks and seeds that agents get.

    Arrow keys or the environment's own letters act, r restarts the task, n draws a new one, q quits. XLand goes on in
    real time, with the keys that are held; tab shows the player from behind, or the map. GMiniWoB's sites open in your
    browser, with the instruction beside them: each text you put in and each click is a step of the agent's environment.

    **Examples**

    ```
    procgen-bench play GridWorld-v0
    procgen-bench play GridWorld-v0 --task graded --seed 3
    procgen-bench play XLand-v0 --task hand_authored/capture_the_cube
    procgen-bench play GMiniWoB-v0 --task flight/4
    echo ssddd | procgen-bench play GridWorld-v0 --task targets/A --text
    ```
    """
    import gymnasium

    env_type = environment_type(environment_id)
    in_real_time, in_browser = env_type.real_time_controls is not None, env_type.browser_controls is not None
    if text and (in_real_time or in_browser):
        reason = "runs in real time and needs a window" if in_real_time else "is played in a browser"
        raise typer.BadParameter(f"{environment_id} {reason}; leave --text out")
    if port is not None and not in_browser:
        raise typer.BadParameter(f"{environment_id} is not played in a browser; leave --port out")
    options = env_type.play_options() | {"tasks": _suite(env_type, task)}
    env = gymnasium.make(environment_id, render_mode="ansi" if text else "rgb_array", **options)
    with closing(env):
        game = Game(env, seed, task if task and "/" in task else None)
        if in_browser:
            from procgen_bench.cli.in_browser import play_in_browser

            play_in_browser(game, port or 0, _open if open_browser else lambda address: None)
        elif in_real_time:
            play_in_real_time(game)
        elif text:
            play_in_terminal(game)
        else:
            play_in_window(game)


def _suite(env_type: "type[TaskEnv]", task: str | None) -> str | None:
    """The suite that new tasks are drawn from: the one that is named, or that the named task comes from, if any."""
    suite, slash, _ = (task or "").partition("/")
    return None if slash and suite not in env_type.task_space.suite_names else suite or None


def _open(address: str) -> None:
    import webbrowser

    webbrowser.open(address)
