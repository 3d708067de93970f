"""``play``: a person plays the environment that the agents play."""

from contextlib import closing
from typing import Annotated

import typer

from procgen_bench.cli.game import Game
from procgen_bench.cli.in_real_time import play_in_real_time
from procgen_bench.cli.key_by_key import play_in_terminal, play_in_window
from procgen_bench.registration import environment_type


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(play)


def play(
    environment_id: Annotated[str, typer.Argument(metavar="ENVIRONMENT_ID", help="For example `GridWorld-v0`.")],
    task: Annotated[
        str | None,
        typer.Option(help="A task (`targets/A`), or a suite to draw from (`graded`). Default: the whole task space."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first episode; every new task takes the next.")] = 0,
    text: Annotated[bool, typer.Option("--text", help="Play in the terminal; keys may also be piped in.")] = False,
) -> None:
    """Play an environment with the keyboard, with the same tasks and seeds that agents get.

    Arrow keys or the environment's own letters act, r restarts the task, n draws a new one, q quits. XLand goes on in
    real time, with the keys that are held; tab shows the player from behind, or the map.

    **Examples**

    ```
    procgen-bench play GridWorld-v0
    procgen-bench play GridWorld-v0 --task graded --seed 3
    procgen-bench play XLand-v0 --task hand_authored/capture_the_cube
    echo ssddd | procgen-bench play GridWorld-v0 --task targets/A --text
    ```
    """
    import gymnasium

    in_real_time = environment_type(environment_id).real_time_controls is not None
    if in_real_time and text:
        raise typer.BadParameter(f"{environment_id} goes on in real time and needs a window; leave --text out")
    # A named task comes from a suite, and "new task" draws from that suite too.
    suite = task.partition("/")[0] if task else None
    env = gymnasium.make(environment_id, render_mode="ansi" if text else "rgb_array", tasks=suite)
    with closing(env):
        game = Game(env, seed, task if task and "/" in task else None)
        if in_real_time:
            play_in_real_time(game)
        elif text:
            play_in_terminal(game)
        else:
            play_in_window(game)
