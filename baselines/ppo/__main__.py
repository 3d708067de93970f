"""``python -m procgen_bench.baselines.ppo BENCHMARK``: the same call as ``procgen-bench train ppo BENCHMARK``."""

import typer

from procgen_bench.baselines.command_line import training_function
from procgen_bench.baselines.methods import METHODS

if __name__ == "__main__":
    typer.run(training_function(METHODS["ppo"]))
