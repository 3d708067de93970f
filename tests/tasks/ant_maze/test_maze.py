from itertools import pairwise

import networkx
import numpy as np
import pytest

from procgen_bench.tasks.ant_maze.maze import HIGH, LOW, is_free, nearest_free, shortest_way, way_length

GAPS = (0.0, 0.5, 1.0, 1.5)


def free_by_hand(x: float, y: float, gap: float) -> bool:
    """The paper's picture: three corridors of width 8 that make a U open to the left."""
    corridors = ((-4, 20, -4, 4), (12, 20, -4, 20), (-4, 20, 12, 20))

    def inside(left: float, right: float, low: float, high: float) -> bool:
        # A corridor's side is a wall where the map ends or the wall inside stands; elsewhere it opens to another.
        return left + gap <= x <= right - (gap if right == 20 else 0) and low + gap <= y <= high - gap

    return any(inside(*corridor) for corridor in corridors)


@pytest.mark.parametrize("gap", GAPS)
def test_free_points_are_those_of_the_three_corridors(gap):
    rng = np.random.default_rng(0)
    points = rng.uniform(-6, 22, (20_000, 2))
    found = [is_free(point, gap) for point in points]
    assert found == [free_by_hand(*point, gap) for point in points.tolist()]
    assert 0.1 < np.mean(found) < 0.9


@pytest.mark.parametrize("gap", GAPS[1:])
def test_nearest_free_point_is_free_and_no_other_is_nearer(gap):
    rng = np.random.default_rng(1)
    lattice = [np.array([x, y]) for x in np.arange(-4, 20.01, 0.25) for y in np.arange(-4, 20.01, 0.25)]
    free = np.array([point for point in lattice if is_free(point, gap)])
    for point in rng.uniform(LOW, HIGH, (500, 2)):
        nearest = nearest_free(point, gap)
        assert is_free(nearest, gap)
        assert np.linalg.norm(nearest - point) <= np.linalg.norm(free - point, axis=1).min() + 1e-12
        assert not is_free(point, gap) or np.array_equal(nearest, point)


def lattice_graph(gap: float) -> networkx.Graph:
    """Lattice points at distance 0.5, joined to those within two steps wherever the straight line between is free."""
    coordinates = np.arange(-8, 41)  # halves
    graph = networkx.Graph()
    nodes = {(x, y) for x in coordinates for y in coordinates if is_free(np.array([x, y]) / 2, gap)}
    moves = [(1, 0), (0, 1), (1, 1), (1, -1), (2, 1), (1, 2), (2, -1), (-1, 2), (3, 1), (1, 3), (3, -1), (-1, 3)]
    for x, y in nodes:
        for dx, dy in moves:
            line = np.array([x, y]) / 2 + np.outer(np.linspace(0, 1, 9), [dx, dy]) / 2
            if (x + dx, y + dy) in nodes and all(is_free(point, gap) for point in line):
                graph.add_edge((x, y), (x + dx, y + dy), weight=np.hypot(dx, dy) / 2)
    return graph


def test_shortest_ways_keep_off_the_wall_and_are_as_short_as_a_lattices():
    gap, graph, rng = 1.0, lattice_graph(1.0), np.random.default_rng(2)
    nodes = sorted(graph)
    turns = set()
    for start in rng.choice(nodes, 12):
        lengths = networkx.single_source_dijkstra_path_length(graph, tuple(start))
        for goal in rng.choice(nodes, 12):
            way = shortest_way(start / 2, goal / 2, gap)
            assert np.array_equal(way[0], start / 2) and np.array_equal(way[-1], goal / 2)
            for one, other in pairwise(way):
                for share in np.linspace(0, 1, 50):
                    assert is_free(np.round(one + share * (other - one), 9), gap)
            lattice = lengths[tuple(goal)]
            # Twelve directions to a half turn are at most 2.8 % longer than straight lines.
            assert way_length(way) <= lattice + 1e-9 and lattice <= 1.03 * way_length(way) + 1e-9
            turns.add(len(way) - 2)
    assert turns == {0, 1, 2}


def test_ways_from_points_that_are_not_free_begin_at_the_nearest_that_are():
    way = shortest_way(np.array([0.0, 3.9]), np.array([0.0, 12.1]), 1.5)
    assert way.tolist() == [[0.0, 2.5], [13.5, 2.5], [13.5, 13.5], [0.0, 13.5]]
    assert way_length(way) == 38.0
