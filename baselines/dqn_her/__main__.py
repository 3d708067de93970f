"""``python -m procgen_bench.baselines.dqn_her BENCHMARK``, as ``procgen-bench train dqn-her`` does."""

from procgen_bench.baselines.command_line import main

if __name__ == "__main__":
    main("dqn-her")
