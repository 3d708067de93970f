"""``python -m procgen_bench.baselines.ppo BENCHMARK``: the same call as ``procgen-bench train ppo BENCHMARK``."""

from procgen_bench.baselines.command_line import main

if __name__ == "__main__":
    main("ppo")
