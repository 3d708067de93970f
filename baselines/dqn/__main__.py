"""``python -m procgen_bench.baselines.dqn BENCHMARK``: the same call as ``procgen-bench train dqn BENCHMARK``."""

from procgen_bench.baselines.command_line import main

if __name__ == "__main__":
    main("dqn")
