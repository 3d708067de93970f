"""``compile``: what Numba compiles at the first use of environments and learners, beforehand."""

import time
from collections.abc import Callable
from functools import partial
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command("compile")(compile_beforehand)


def compile_beforehand(
    environment_id: Annotated[
        str | None,
        typer.Argument(metavar="[ENVIRONMENT_ID]", help="For example `XLand-v0`; without, all of them, and learners."),
    ] = None,
) -> None:
    """Compile what environments and learners need, so that their first use does not wait for it.

    Without an id, for every environment whose packages are installed, and for what trains, which does so for a moment.
    What has been compiled is kept on disk: the second time takes seconds.

    **Examples**

    ```
    procgen-bench compile
    procgen-bench compile XLand-v0
    ```
    """
    from procgen_bench.baselines.first_use import train_once
    from procgen_bench.core.errors import MissingExtraError
    from procgen_bench.core.registrations import ENVIRONMENT_IDS, find_registration
    from procgen_bench.engine.first_use import use_once

    began = time.perf_counter()
    if environment_id is not None:
        known = find_registration(environment_id).id
        _compile(known, partial(use_once, known))
    else:
        uses = {known: partial(use_once, known) for known in ENVIRONMENT_IDS} | {"learners": train_once}
        for name, use in uses.items():
            try:
                _compile(name, use)
            except MissingExtraError as missing:
                typer.echo(f"{name}: left out, {missing}")
    typer.echo(f"ready after {time.perf_counter() - began:.1f} s")


def _compile(name: str, use: Callable[[], None]) -> None:
    """Use something once, and say what that compiled."""
    from procgen_bench.core.compiling import ANNOUNCER

    began, before = time.perf_counter(), ANNOUNCER.num_compiled
    use()
    count = ANNOUNCER.num_compiled - before
    seconds = time.perf_counter() - began
    typer.echo(f"{name}: " + (f"{count} functions in {seconds:.1f} s" if count else "compiled before"))
