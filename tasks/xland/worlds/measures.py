"""How hard it is to find one's way in a world, and how far apart two worlds are (sections 3.1.1 to 3.1.3).

Distributions are histograms that add up to 1, on bins that are the same for all worlds, so that any two compare. They
count ordered pairs of different tiles; pairs that nothing joins have a bin of their own, the first.
"""

from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.worlds.tiles import STEPS
from procgen_bench.tasks.xland.worlds.topology import walkable_sides

if TYPE_CHECKING:
    from procgen_bench.tasks.xland.worlds.world import World

#: Greatest length of a path with a bin of its own; longer ones share the last bin.
MAX_PATH = 64
#: Bins of a distribution of shortest paths: no path, the lengths 1 to 64, and those above.
NUM_PATH_BINS = MAX_PATH + 2
#: Width of a bin of resistance, and the number of these; greater resistances share the last bin.
RESISTANCE_WIDTH, NUM_WIDTHS = 0.125, 128
#: Bins of a distribution of resistances: not joined, those centred on 0.125, 0.25 and so on to 16, and those above.
NUM_RESISTANCE_BINS = NUM_WIDTHS + 2
#: Digits to which resistances are rounded first, so that the processor's rounding errors do not decide.
_DIGITS = 9


def shortest_paths(world: "World") -> np.ndarray:
    """Steps of the shortest path from every tile to every other in the topology graph.

    Returns:
        int64 (H W, H W) over the tiles in the order of rows, from the first index to the second; -1 where there is
        none.
    """
    return _shortest_paths(walkable_sides(world.kinds, world.levels))


def resistance_distances(world: "World") -> np.ndarray:
    """Resistance between all tiles, if every walk was a wire of resistance 1 (definition 3; Klein and Randic, 1993).

    The graph is the topology graph without its directions. With G the pseudo-inverse of its Laplacian, the resistance
    is G[i, i] + G[j, j] - 2 G[i, j].

    Returns:
        float64 (H W, H W) over the tiles in the order of rows; infinity between tiles that nothing joins.
    """
    adjacency = _undirected(walkable_sides(world.kinds, world.levels))
    inverse = np.linalg.pinv(np.diag(adjacency.sum(axis=1)) - adjacency, hermitian=True)
    diagonal = np.diag(inverse)
    resistances = diagonal[:, None] + diagonal[None, :] - 2 * inverse
    joined = _joined(adjacency)
    return np.where(joined, np.maximum(resistances, 0.0), np.inf)


def shortest_path_distribution(world: "World") -> np.ndarray:
    """Distribution of the lengths of shortest paths (definition 2): float64 (66,), for no path, 1 to 64, and more."""
    lengths = _off_diagonal(shortest_paths(world))
    bins = np.where(lengths < 0, 0, np.minimum(lengths, NUM_PATH_BINS - 1))
    return np.bincount(bins, minlength=NUM_PATH_BINS) / len(bins)


def resistance_distribution(world: "World") -> np.ndarray:
    """Distribution of resistance distances (definition 3): float64 (130,), on the bins of the module."""
    resistances = _off_diagonal(resistance_distances(world))
    joined = np.isfinite(resistances)
    rounded = np.round(np.where(joined, resistances, 0.0), _DIGITS)
    # At most four wires leave a tile, so no resistance is below a quarter and falls into the first bin.
    bins = np.where(joined, np.minimum(np.floor(rounded / RESISTANCE_WIDTH + 0.5), NUM_RESISTANCE_BINS - 1), 0)
    return np.bincount(bins.astype(np.int64), minlength=NUM_RESISTANCE_BINS) / len(bins)


def cauchy_schwarz_divergence(first: np.ndarray, second: np.ndarray) -> float:
    """Divergence -log(sum p q / sqrt(sum p^2 sum q^2)) of two distributions, float64 (bins,), on the same bins
    (Nielsen, 2012).

    0 for equal distributions, infinity for those that have no bin in common.

    Raises:
        InvalidTaskError: The numbers of bins differ.
    """
    if first.shape != second.shape:
        raise InvalidTaskError("bins of the second distribution", second.shape, f"those of the first, {first.shape}")
    overlap = float(first @ second) / float(np.sqrt((first @ first) * (second @ second)))
    return max(-float(np.log(overlap)), 0.0) if overlap > 0 else float("inf")


def renyi_entropy(distribution: np.ndarray) -> float:
    """Renyi's quadratic entropy -log(sum p^2) of a distribution, float64 (n,): 0 if all lies in one bin, log n if
    evenly in n."""
    return max(-float(np.log(distribution @ distribution)), 0.0)


def world_distance(first: "World", second: "World") -> float:
    """The fraction of tiles whose kind or level differs between two worlds of one shape.

    Raises:
        InvalidTaskError: The worlds have different shapes.
    """
    if first.shape != second.shape:
        raise InvalidTaskError("shape of the second world", second.shape, f"that of the first, {first.shape}")
    return float(((first.kinds != second.kinds) | (first.levels != second.levels)).mean())


def _off_diagonal(matrix: np.ndarray) -> np.ndarray:
    return matrix[~np.eye(len(matrix), dtype=bool)]


@njit
def _shortest_paths(walkable):
    """Breadth-first searches from all tiles."""
    rows, columns = walkable.shape[:2]
    tiles = rows * columns
    lengths, queue = np.full((tiles, tiles), -1), np.empty(tiles, np.int64)
    for start in range(tiles):
        lengths[start, start] = 0
        queue[0], first, last = start, 0, 1
        while first < last:
            tile = queue[first]
            first += 1
            for side in range(4):
                if walkable[tile // columns, tile % columns, side]:
                    other = tile + STEPS[side, 0] * columns + STEPS[side, 1]
                    if lengths[start, other] < 0:
                        lengths[start, other] = lengths[start, tile] + 1
                        queue[last] = other
                        last += 1
    return lengths


@njit
def _undirected(walkable):
    """Adjacency float64 (tiles, tiles) of the graph without directions."""
    rows, columns = walkable.shape[:2]
    adjacency = np.zeros((rows * columns, rows * columns))
    for tile in range(rows * columns):
        for side in range(4):
            if walkable[tile // columns, tile % columns, side]:
                other = tile + STEPS[side, 0] * columns + STEPS[side, 1]
                adjacency[tile, other] = adjacency[other, tile] = 1.0
    return adjacency


@njit
def _joined(adjacency):
    """Whether two tiles lie in one component of an undirected graph: bool (tiles, tiles)."""
    tiles = len(adjacency)
    labels, stack = np.full(tiles, -1), np.empty(tiles, np.int64)
    for start in range(tiles):
        if labels[start] >= 0:
            continue
        labels[start] = start
        stack[0], count = start, 1
        while count > 0:
            count -= 1
            tile = stack[count]
            for other in range(tiles):
                if adjacency[tile, other] > 0.0 and labels[other] < 0:
                    labels[other] = start
                    stack[count] = other
                    count += 1
    joined = np.empty((tiles, tiles), np.bool_)
    for tile in range(tiles):
        for other in range(tiles):
            joined[tile, other] = labels[tile] == labels[other]
    return joined
