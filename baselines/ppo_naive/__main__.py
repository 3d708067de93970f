"""``python -m procgen_bench.baselines.ppo_naive BENCHMARK``, as ``procgen-bench train ppo-naive`` does."""

from procgen_bench.baselines.command_line import main

if __name__ == "__main__":
    main("ppo-naive")
