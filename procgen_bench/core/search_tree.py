"""The way that a search has found, from the node from which it reached each node."""

import numpy as np

from procgen_bench.core.compiled import njit


@njit
def nodes_on_way(parents, start, end):
    """The nodes behind ``start`` on the way to ``end``, ``end`` the last of them, int64.

    Args:
        parents: int (nodes,), from which node each was reached.
        start, end: Nodes.
    """
    length, at = 0, np.int64(end)
    while at != start:
        length, at = length + 1, np.int64(parents[at])
    nodes, at = np.empty(length, np.int64), np.int64(end)
    for step in range(length - 1, -1, -1):
        nodes[step] = at
        at = np.int64(parents[at])
    return nodes
