"""``python -m procgen_bench.baselines.ppo_rnd BENCHMARK``, as ``procgen-bench train ppo-rnd`` does."""

from procgen_bench.baselines.command_line import main

if __name__ == "__main__":
    main("ppo-rnd")
