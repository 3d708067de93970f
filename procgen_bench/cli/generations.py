"""``generations``: runs that learn from the best of those before them, from one file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from procgen_bench.baselines.training.command_line import WandbOption
from procgen_bench.cli.parallel import RayOption, RunsOption, workers_of
from procgen_bench.cli.tables import Column, print_table
from procgen_bench.core.paths import check_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from procgen_bench.leaderboards.sweeps.generations import BestMember


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(generations)


def generations(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE.toml", help="Method, benchmark and generations.", exists=True, dir_okay=False),
    ],
    workers: RunsOption = None,
    ray: RayOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Folder of runs; runs/FILE by default.")
    ] = None,
    wandb: WandbOption = None,
) -> None:
    """Train generations: the best of each is the teacher of the next, and a co-player of those that follow.

    Every generation is one run or several, of which the best has the greatest fitness. The same command continues
    where it was stopped.

    A small file (`seeds`, `steps`, `options` and all keys of a generation may be left out):

    ```
    method = "vmpo"
    benchmark = "xland/small"
    seeds = 2
    steps = 2_000_000

    [options]
    action_repeat = 4

    [[generations]]
    objective = "reward-play"
    fitness = ["success"]

    [[generations]]
    fitness = ["success", "percentile_10"]
    teacher_policy = "last"
    co_players = ["noop", "random", "learner", "earlier"]
    ```

    **Examples**

    ```
    procgen-bench generations plan.toml
    procgen-bench generations plan.toml --workers 2 --out runs/two
    ```
    """
    from procgen_bench.leaderboards.sweeps.generations import train_generations
    from procgen_bench.leaderboards.sweeps.plan_file import read_plan

    folder = out or Path("runs") / file.stem
    check_folder(folder)
    best = train_generations(read_plan(file), folder, workers_of(workers, ray), wandb)
    print_table(_columns(best))
    typer.echo(f"wrote {folder / 'generations.json'}")


def _columns(best: "Sequence[BestMember]") -> list[Column]:
    fitness = [", ".join(f"{name} {value:.3f}" for name, value in one.fitness.items()) for one in best]
    return [
        Column("generation", [str(one.generation) for one in best]),
        Column("best seed", [str(one.seed) for one in best]),
        Column("fitness", fitness, sentence=True),
    ]
