"""``python -m procgen_bench.baselines.sibling_rivalry BENCHMARK``, as ``procgen-bench train sibling-rivalry`` does."""

from procgen_bench.baselines.command_line import main

if __name__ == "__main__":
    main("sibling-rivalry")
