"""``serve``: an environment for language models, over OpenEnv's protocol."""

from typing import Annotated

import typer

from procgen_bench.core.command_line import EnvironmentArgument


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(serve)


def serve(
    environment_id: EnvironmentArgument,
    tasks: Annotated[
        str | None,
        typer.Option(help="Suite or task that resets without a task draw from. Default: the environment draws."),
    ] = None,
    sessions: Annotated[int, typer.Option(min=1, max=4096, help="Sessions at once; each is a row of its own.")] = 64,
    host: Annotated[
        str, typer.Option(help="Address to listen at. One that other machines reach gets a secret path.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0: any that is free.")] = 8000,
    idle: Annotated[float, typer.Option(min=1, help="Seconds after which a session that says nothing ends.")] = 600,
) -> None:
    """Serve an environment to language models by OpenEnv's protocol, over HTTP and WebSocket (extra `serve`).

    A session resets with a seed and a task, steps with a call in writing, and is told what is seen then, the reward,
    and whether the episode is done. Seeds, tasks and rewards are those of `gymnasium.make`. It serves this machine
    alone, unless `--host` says otherwise.

    **Examples**

    ```
    procgen-bench serve GMiniWoB-v0 --tasks test --sessions 64
    procgen-bench serve GridWorld-v0 --tasks solvable --port 8001
    ```
    """
    from procgen_bench.core.extras import check_installed

    check_installed("serve")
    from procgen_bench.text.openenv_server import serve as serve_sessions

    serve_sessions(environment_id, tasks, sessions, host, port, idle)
