import pytest

from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.submission.protocol import Protocol


@pytest.mark.parametrize("benchmark_id", BENCHMARKS)
def test_one_whole_run_is_within_the_usual_limit(benchmark_id):
    protocol = Protocol(BENCHMARKS[benchmark_id])
    longest = len(protocol.task_indices) * protocol.max_episode_steps
    assert protocol.trace_limits(1).max_steps >= longest
