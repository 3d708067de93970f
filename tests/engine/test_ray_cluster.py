"""Jobs on a Ray cluster of two nodes."""

import pytest

from procgen_bench.engine.parallel import parallel_map
from tests.engine import worker_jobs
from tests.ray_nodes import two_nodes


@pytest.mark.slow
def test_jobs_are_spread_over_the_nodes_and_come_back_in_order(tmp_path):
    with two_nodes() as cluster:
        nodes = parallel_map(worker_jobs.node_of, [(str(tmp_path), number) for number in range(4)], cluster)
        assert len(set(nodes)) == 2, "of two jobs that wait for each other, a node of one processor does one"
        assert parallel_map(worker_jobs.double, range(5), cluster) == [0, 2, 4, 6, 8]
