"""``python -m procgen_bench.baselines.ppo_grid_oracle BENCHMARK``, as ``procgen-bench train ppo-grid-oracle`` does."""

from procgen_bench.baselines.command_line import main

if __name__ == "__main__":
    main("ppo-grid-oracle")
