"""The options of commands that work in parallel."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from procgen_bench.engine.parallel import Workers

WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, metavar="N", help="Processes that play physics tracks; one per processor by default."
    ),
]
RunsOption = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, metavar="N", help="Runs at a time, one thread each; one per processor by default."
    ),
]
RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="local|ADDRESS",
        help="A Ray cluster that does it instead, with the same files as here; `local` starts one on this machine.",
    ),
]


def workers_of(number: int | None, ray: str | None) -> "Workers":
    """Who works: ``number`` processes, by default one per processor; or a Ray cluster, ``number`` jobs at a time."""
    from procgen_bench.engine.parallel import RayCluster
    from procgen_bench.engine.processors import available_processors

    return (number or available_processors()) if ray is None else RayCluster(ray, number)
