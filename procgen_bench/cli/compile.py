"""``compile``: what Numba compiles at the first use of environments and learners, beforehand."""

import time
from collections.abc import Sequence
from contextlib import closing
from typing import Annotated

import typer

from procgen_bench.cli.parallel import workers_of

#: What trains, which is compiled beside the environments.
_LEARNERS = "learners"
#: Families that take longest, and so come first.
_LONGEST = ("procgen_bench.envs.xland", _LEARNERS)


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command("compile")(compile_beforehand)


def compile_beforehand(
    environment_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ENVIRONMENT_ID]", help="For example `XLand-v0`; by default all of them, and learners."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, metavar="N", help="Processes that compile; one per processor by default."),
    ] = None,
) -> None:
    """Compile what environments and learners need, so that their first use does not wait for it.

    Without an id, for every environment whose packages are installed, and for what trains, which does so for a moment.
    What has been compiled is kept on disk: the second time takes seconds. At the end a line says where, or why nothing
    is kept: in `NUMBA_CACHE_DIR`, else beside the source files, else in your cache folder.

    **Examples**

    ```
    procgen-bench compile
    procgen-bench compile XLand-v0
    ```
    """
    from procgen_bench.core.kernel_cache import describe_cache
    from procgen_bench.core.registrations import find_registration
    from procgen_bench.engine.parallel import finished_jobs

    began = time.perf_counter()
    if environment_id is not None:
        typer.echo(_compile(find_registration(environment_id).id))
        typer.echo(describe_cache())
    else:
        families = [(names,) for names in _families()]
        processes = workers_of(workers, None)
        places = set()
        with closing(finished_jobs(compile_family, families, None if processes == 1 else processes)) as finished:
            for _, (lines, where) in finished:
                typer.echo("\n".join(lines))
                places.add(where)
        typer.echo("\n".join(sorted(places)))
    typer.echo(f"ready after {time.perf_counter() - began:.1f} s")


def _families() -> list[list[str]]:
    """Ids of the environments that share what is compiled, family by family, and the learners."""
    from procgen_bench.core.registrations import REGISTRATIONS

    families = {_LEARNERS: [_LEARNERS]}
    for registration in REGISTRATIONS:
        families.setdefault(registration.entry_point.partition(":")[0], []).append(registration.id)
    return [families.pop(family) for family in _LONGEST] + list(families.values())


def compile_family(names: Sequence[str]) -> tuple[list[str], str]:
    """Use everything of a family once, and say of each what that compiled, or what it misses, and where it is kept."""
    from procgen_bench.core.errors import MissingExtraError
    from procgen_bench.core.kernel_cache import describe_cache

    lines = []
    for name in names:
        try:
            lines.append(_compile(name))
        except MissingExtraError as missing:
            lines.append(f"{name}: left out, {missing}")
    return lines, describe_cache()


def _compile(name: str) -> str:
    """Use an environment, or the learners, once, and say what that compiled."""
    from procgen_bench.baselines.first_use import train_once
    from procgen_bench.core.compiling import ANNOUNCER
    from procgen_bench.engine.first_use import use_once

    began, before = time.perf_counter(), ANNOUNCER.num_compiled
    if name == _LEARNERS:
        train_once()
    else:
        use_once(name)
    count, seconds = ANNOUNCER.num_compiled - before, time.perf_counter() - began
    return f"{name}: " + (f"{count} functions in {seconds:.1f} s" if count else "compiled before")
