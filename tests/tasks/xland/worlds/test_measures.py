import networkx
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.measures import (
    NUM_PATH_BINS,
    NUM_RESISTANCE_BINS,
    cauchy_schwarz_divergence,
    renyi_entropy,
    resistance_distances,
    resistance_distribution,
    shortest_path_distribution,
    shortest_paths,
    world_distance,
)
from procgen_bench.tasks.xland.worlds.topology import topology_graph
from procgen_bench.tasks.xland.worlds.world import World
from tests.tasks.xland.worlds.makers import FLAT, PLATEAU

#: A tower that stands alone: one drops from it, and never gets up.
TOWER = World.from_text(FLAT.replace("0.", "5.", 1))


def some_worlds() -> list[World]:
    rng = np.random.default_rng(0)
    return [generate_world(rng, 6, 5, playable=0.0) for _ in range(15)] + [World.from_text(PLATEAU), TOWER]


def test_shortest_paths_are_networkx_s():
    for world in some_worlds():
        graph, lengths = topology_graph(world), shortest_paths(world)
        nodes = sorted(graph)
        expected = dict(networkx.all_pairs_shortest_path_length(graph))
        for one, first in enumerate(nodes):
            assert lengths[one].tolist() == [expected[first].get(second, -1) for second in nodes]


def test_resistances_are_networkx_s():
    for world in some_worlds():
        graph, found = topology_graph(world).to_undirected(), resistance_distances(world)
        nodes = sorted(graph)
        place = {node: index for index, node in enumerate(nodes)}
        for component in networkx.connected_components(graph):
            inside = [place[node] for node in component]
            assert np.isinf(np.delete(found[inside], inside, axis=1)).all()
            if len(component) > 1:
                expected = networkx.resistance_distance(graph.subgraph(component))
                for first in component:
                    row = [expected[first][second] for second in component]
                    assert found[place[first], inside] == pytest.approx(np.array(row), abs=1e-9)


def test_distribution_of_paths_by_hand():
    """On open ground a path is as long as the steps to the east and north; nothing comes up to the tower."""
    lengths = [abs(a - c) + abs(b - d) for a in range(5) for b in range(5) for c in range(5) for d in range(5)]
    flat = shortest_path_distribution(World.from_text(FLAT))
    assert flat.shape == (NUM_PATH_BINS,) and flat[0] == 0
    for length in range(1, 9):
        assert flat[length] == pytest.approx(lengths.count(length) / 600)
    tower = shortest_path_distribution(TOWER)
    assert tower[0] == pytest.approx(24 / 600) and tower.sum() == pytest.approx(1)


def test_resistances_by_hand():
    """Between neighbours on open ground, of all wires' resistances those of a spanning tree are left (Foster, 1949)."""
    resistances = resistance_distances(World.from_text(FLAT))
    wires = [(5 * r + c, 5 * r + c + 1) for r in range(5) for c in range(4)]
    wires += [(5 * r + c, 5 * r + c + 5) for r in range(4) for c in range(5)]
    assert sum(resistances[wire] for wire in wires) == pytest.approx(24)
    assert (np.diag(resistances) == pytest.approx(0, abs=1e-12)) and (resistances == pytest.approx(resistances.T))


def test_drops_join_whatever_their_direction():
    cliffs = World.from_text("\n".join(" ".join(f"{(r + 2 * c) % 6}." for c in range(5)) for r in range(5)))
    assert np.isfinite(resistance_distances(cliffs)).all() and (shortest_paths(cliffs) < 0).any()


def test_distribution_of_resistances_by_its_bins():
    distribution = resistance_distribution(World.from_text(FLAT))
    resistances = resistance_distances(World.from_text(FLAT))[~np.eye(25, dtype=bool)]
    assert distribution.shape == (NUM_RESISTANCE_BINS,) and not distribution[:2].any()
    for place in range(2, 20):
        low, high = 0.125 * (place - 0.5), 0.125 * (place + 0.5)
        assert distribution[place] == pytest.approx(((resistances >= low) & (resistances < high)).mean())


def test_measures_of_world_are_distributions():
    for world in some_worlds():
        for distribution in (shortest_path_distribution(world), resistance_distribution(world)):
            assert distribution.sum() == pytest.approx(1) and (distribution >= 0).all()


def test_divergence():
    half, quarter = np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.25, 0.5])
    assert cauchy_schwarz_divergence(half, half) == pytest.approx(0, abs=1e-12)
    assert cauchy_schwarz_divergence(half, quarter) == pytest.approx(-np.log(0.25 / np.sqrt(0.5 * 0.375)))
    assert cauchy_schwarz_divergence(half, quarter) == cauchy_schwarz_divergence(quarter, half)
    assert cauchy_schwarz_divergence(half, np.array([0.0, 0.0, 1.0])) == np.inf
    with pytest.raises(InvalidTaskError, match="bins of the second distribution"):
        cauchy_schwarz_divergence(half, np.ones(2) / 2)


def test_entropy():
    assert renyi_entropy(np.array([0.0, 1.0])) == 0
    assert renyi_entropy(np.full(8, 1 / 8)) == pytest.approx(np.log(8))
    assert renyi_entropy(np.array([0.5, 0.25, 0.25])) == pytest.approx(-np.log(0.375))


def test_distance_of_worlds():
    flat = World.from_text(FLAT)
    assert world_distance(flat, flat) == 0
    assert world_distance(flat, TOWER) == world_distance(TOWER, flat) == 1 / 25
    assert world_distance(flat, World.from_text(FLAT.replace("0.", "0◥", 3))) == 3 / 25
    with pytest.raises(InvalidTaskError, match=r"shape of the second world is \(6, 5\), expected that of the first"):
        world_distance(flat, World.from_text("0. 0. 0. 0. 0.\n" + FLAT))
