"""What a run begins with: its seed decides what is proposed, and targets have the share that is asked for."""

import numpy as np
import pytest

from procgen_bench.baselines.methods.dqn import DQNConfiguration
from procgen_bench.baselines.training.prepare import prepare_run
from procgen_bench.core.benchmarks import get_benchmark

ROWS = np.arange(40)


def proposed(out, seed, benchmark_id="bit-grid/test", **settings):
    """The tasks of the first forty proposals."""
    benchmark, configuration = get_benchmark(benchmark_id), DQNConfiguration(**settings)
    _, rows = prepare_run(benchmark, configuration, seed, 100, out, num_rows=2)
    rows.close()
    return [proposal.task for proposal in rows.propose(ROWS)]


@pytest.mark.parametrize("target_share", [0.0, 1.0])
def test_the_seed_decides_what_is_proposed(target_share, tmp_path):
    first, again, other = (
        proposed(tmp_path / name, seed, target_share=target_share) for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert first == again and not set(first) & set(other)


@pytest.mark.parametrize(("target_share", "count"), [(0.0, 0), (0.25, 10)])
def test_targets_have_their_share(target_share, count, tmp_path):
    (target,) = get_benchmark("grid-world/target-a").task_suite().tasks
    assert proposed(tmp_path / "run", 0, "grid-world/target-a", target_share=target_share).count(target) == count
