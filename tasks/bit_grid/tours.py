"""Shortest tours over many places, by an integer programme (Dantzig, Fulkerson and Johnson, 1954)."""

import networkx
import numpy as np

from procgen_bench.core.extras import import_extra


def shortest_order(ways: np.ndarray) -> np.ndarray:
    """Order (int64 (N,)) of a shortest path from place 0 over all others; it ends anywhere.

    The path is a cycle through one more place, the end, which is no way from anywhere and stands before place 0. Every
    place has two of the cycle's edges; sets of places that close a cycle of their own are forbidden as they turn up.

    Args:
        ways: Whole numbers (N, N), symmetric: the length of the way between two places. N is at least 3.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    optimize = import_extra("scipy.optimize")
    end = len(ways)
    first, second = np.triu_indices(end + 1, k=1)
    lengths = np.where(second == end, 0, np.pad(ways, (0, 1))[first, second])
    ends_of_edges = np.arange(end + 1)[:, np.newaxis]
    rules = [optimize.LinearConstraint((first == ends_of_edges) | (second == ends_of_edges), 2, 2)]
    least = ((first == 0) & (second == end)).astype(np.float64)  # the edge from the end to place 0 is in every cycle
    while True:
        found = optimize.milp(
            lengths, integrality=np.ones(len(lengths)), bounds=optimize.Bounds(least, 1), constraints=rules
        )
        cycle = networkx.Graph()
        cycle.add_edges_from(zip(first[found.x > 0.5].tolist(), second[found.x > 0.5].tolist()))
        parts = [np.isin(ends_of_edges.ravel(), list(part)) for part in networkx.connected_components(cycle)]
        if len(parts) == 1:
            break
        rules.append(
            optimize.LinearConstraint(
                np.array([part[first] & part[second] for part in parts]), 0, [part.sum() - 1 for part in parts]
            )
        )
    cycle.remove_edge(0, end)
    return np.array(networkx.shortest_path(cycle, 0, end)[:-1], np.int64)
