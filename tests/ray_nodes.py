"""A Ray cluster of two nodes, which are sets of processes on this machine."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from procgen_bench.engine.parallel import RayCluster
from tests.envs.conformance.trajectory import CHECKOUT


@contextmanager
def two_nodes() -> Iterator[RayCluster]:
    """Two nodes with a processor each, as a cluster that somebody else has started."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(CHECKOUT), os.environ.get("PYTHONPATH", "")]))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        try:
            cluster.add_node(num_cpus=1)
            cluster.wait_for_nodes()
            yield RayCluster(cluster.address)
        finally:
            cluster.shutdown()
