"""What a run begins with: its seed decides what is proposed, and targets have the share that is asked for."""

import numpy as np
import pytest

from procgen_bench.baselines.methods.dqn_settings import DQNConfiguration
from procgen_bench.baselines.training.method import RowsOptions
from procgen_bench.baselines.training.run import make_rows
from procgen_bench.core.benchmarks import get_benchmark

ROWS = np.arange(40)


def proposed(seed, benchmark_id="bit-grid/test", **settings):
    """The tasks of the first forty proposals."""
    benchmark, configuration = get_benchmark(benchmark_id), DQNConfiguration(**settings)
    rows = make_rows(benchmark, configuration, seed, 100, RowsOptions(2, rollout_steps=1))
    rows.close()
    return [proposal.task for proposal in rows.propose(ROWS)]


@pytest.mark.parametrize("target_share", [0.0, 1.0])
def test_the_seed_decides_what_is_proposed(target_share):
    first, again, other = (proposed(seed, target_share=target_share) for seed in (1, 1, 2))
    assert first == again and not set(first) & set(other)


@pytest.mark.parametrize(("target_share", "count"), [(0.0, 0), (0.25, 10)])
def test_targets_have_their_share(target_share, count):
    (target,) = get_benchmark("grid-world/target-a").task_suite().tasks
    assert proposed(0, "grid-world/target-a", target_share=target_share).count(target) == count
