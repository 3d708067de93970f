"""``python -m procgen_bench.baselines.dqn_dense BENCHMARK``, as ``procgen-bench train dqn-dense`` does."""

from procgen_bench.baselines.command_line import main

if __name__ == "__main__":
    main("dqn-dense")
