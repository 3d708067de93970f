"""``python -m procgen_bench.baselines.ppo_icm BENCHMARK``, as ``procgen-bench train ppo-icm`` does."""

from procgen_bench.baselines.command_line import main

if __name__ == "__main__":
    main("ppo-icm")
