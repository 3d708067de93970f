"""``compile``: what Numba compiles at an environment's first use, beforehand."""

import time
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command("compile")(compile_beforehand)


def compile_beforehand(
    environment_id: Annotated[
        str | None, typer.Argument(metavar="[ENVIRONMENT_ID]", help="For example `XLand-v0`; without, all of them.")
    ] = None,
) -> None:
    """Compile what environments need, so that their first use does not wait for it.

    Without an id, for every environment whose packages are installed. What has been compiled is kept on disk: the
    second time takes seconds.

    **Examples**

    ```
    procgen-bench compile
    procgen-bench compile XLand-v0
    ```
    """
    from procgen_bench.core.errors import MissingExtraError
    from procgen_bench.core.registrations import ENVIRONMENT_IDS, find_registration

    began = time.perf_counter()
    if environment_id is not None:
        _compile(find_registration(environment_id).id)
    else:
        for known in ENVIRONMENT_IDS:
            try:
                _compile(known)
            except MissingExtraError as missing:
                typer.echo(f"{known}: left out, {missing}")
    typer.echo(f"ready after {time.perf_counter() - began:.1f} s")


def _compile(environment_id: str) -> None:
    """Use an environment once, and say what that compiled."""
    from procgen_bench.core.compiling import ANNOUNCER
    from procgen_bench.engine.first_use import use_once

    began, before = time.perf_counter(), ANNOUNCER.num_compiled
    use_once(environment_id)
    count = ANNOUNCER.num_compiled - before
    seconds = time.perf_counter() - began
    typer.echo(f"{environment_id}: " + (f"{count} functions in {seconds:.1f} s" if count else "compiled before"))
