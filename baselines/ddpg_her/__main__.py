"""``python -m procgen_bench.baselines.ddpg_her BENCHMARK``, as ``procgen-bench train ddpg-her`` does."""

from procgen_bench.baselines.command_line import main

if __name__ == "__main__":
    main("ddpg-her")
