"""``python -m procgen_bench.baselines.ant_controller``: train the controller that the package ships."""

from pathlib import Path
from typing import Annotated

import typer

from procgen_bench.baselines.ant_controller.configuration import AntControllerConfiguration
from procgen_bench.baselines.ant_controller.train import train
from procgen_bench.core.command_line import run

_COMMAND = "python -m procgen_bench.baselines.ant_controller"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    out: Annotated[Path, typer.Option(help="Folder that the two files are written to.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed of the run.")] = 0,
    steps: Annotated[int, typer.Option(min=1, help="Environment steps to train for.")] = 3_000_000,
) -> None:
    """Train SparseAntMaze's low-level controller with the published settings.

    Example: python -m procgen_bench.baselines.ant_controller --out envs/ant_maze/data
    """
    command = f"{_COMMAND} --out {out} --seed {seed} --steps {steps}"
    train(AntControllerConfiguration(), seed, steps, out, command)


if __name__ == "__main__":
    run(app, _COMMAND)
