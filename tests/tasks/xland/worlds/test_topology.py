import networkx
import numpy as np
from hypothesis import given, settings

from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.tiles import STEPS, TileKind, surface
from procgen_bench.tasks.xland.worlds.topology import playable_area, topology_graph, walkable_sides
from procgen_bench.tasks.xland.worlds.world import World
from tests.tasks.xland.worlds.makers import FLAT, PLATEAU, worlds

#: Middles of the sides, (u, v).
MIDDLES = ((0.5, 1.0), (1.0, 0.5), (0.5, 0.0), (0.0, 0.5))


def reference_graph(world: World) -> networkx.DiGraph:
    """The rule by heights: no step up at the middle of the side, and none up on a diagonal from its lower half."""
    graph = networkx.DiGraph()
    rows, columns = world.shape
    for row in range(rows):
        for column in range(columns):
            graph.add_node((row, column))
            kind, level = int(world.kinds[row, column]), int(world.levels[row, column])
            for side, (u, v) in enumerate(MIDDLES):
                other = row + int(STEPS[side, 0]), column + int(STEPS[side, 1])
                if not (0 <= other[0] < rows and 0 <= other[1] < columns):
                    continue
                here = surface(kind, level, u, v)
                there = surface(int(world.kinds[other]), int(world.levels[other]), *MIDDLES[(side + 2) % 4])
                if there <= here and not (kind >= TileKind.DIAGONAL_NORTH_EAST and here > level):
                    graph.add_edge((row, column), other)
    return graph


@settings(max_examples=60)
@given(worlds())
def test_graph_is_the_reference_s(world):
    assert_graph_and_area(world)


def test_graph_of_generated_worlds_is_the_reference_s():
    rng = np.random.default_rng(0)
    for _ in range(40):
        assert_graph_and_area(generate_world(rng, *rng.integers(5, 16, size=2)))


def assert_graph_and_area(world: World) -> None:
    graph, expected = topology_graph(world), reference_graph(world)
    assert set(graph.nodes) == set(expected.nodes) and set(graph.edges) == set(expected.edges)
    walkable = walkable_sides(world.kinds, world.levels)
    adjacent = {
        ((row, column), (row + int(STEPS[side, 0]), column + int(STEPS[side, 1])))
        for row, column, side in np.argwhere(walkable).tolist()
    }
    assert adjacent == set(expected.edges)
    components = list(networkx.strongly_connected_components(expected))
    size = max(map(len, components))
    first = min(min(component) for component in components if len(component) == size)
    area = {tuple(tile) for tile in np.argwhere(playable_area(world)).tolist()}
    assert area == next(component for component in components if first in component)


def test_flat_world_is_walkable_everywhere():
    graph = topology_graph(World.from_text(FLAT))
    assert len(graph) == 25 and graph.number_of_edges() == 2 * 2 * 5 * 4
    assert playable_area(World.from_text(FLAT)).all()


def test_ways_on_the_plateau():
    graph = topology_graph(World.from_text(PLATEAU))
    plateau, ramp, below, diagonal, south = (2, 2), (2, 3), (2, 4), (1, 0), (0, 0)
    assert graph.has_edge(plateau, ramp) and graph.has_edge(ramp, plateau)
    assert graph.has_edge(below, ramp) and graph.has_edge(ramp, below)
    assert graph.has_edge((1, 1), (0, 1)) and not graph.has_edge((0, 1), (1, 1))  # a drop
    assert graph.has_edge((1, 3), ramp) and not graph.has_edge(ramp, (1, 3))  # onto the middle of a ramp, half a level
    assert graph.has_edge(ramp, (3, 3)) and not graph.has_edge((3, 3), ramp)
    # Its higher half is in the south-west: from the plateau in the north one drops into the lower one, which is as high
    # as what lies in the north and east, if that is at level 0; the south and west cannot be left to.
    assert graph.has_edge((2, 0), diagonal) and not graph.has_edge(diagonal, (2, 0))
    assert not graph.has_edge(south, diagonal) and not graph.has_edge(diagonal, south)


def test_playable_area_leaves_out_what_cannot_be_left_or_reached():
    area = playable_area(World.from_text(PLATEAU))
    assert not area[0].any()  # the ditch in the south, into which one drops
    assert not area[1, 0]  # the diagonal beside the plateau
    assert area[2:].all() and area[1, 1:].all()
    pillar = playable_area(World.from_text(FLAT.replace("0.", "3.", 1)))
    assert not pillar[4, 0] and pillar.sum() == 24


def test_diagonals_are_entered_over_the_higher_side_and_left_over_the_lower():
    world = World.from_text(FLAT.replace("0.", "1.", 2).replace("1. 1. 0.", "1. 0◤ 0.", 1))
    graph = topology_graph(world)
    assert graph.has_edge((4, 0), (4, 1)) and not graph.has_edge((4, 1), (4, 0))
    assert graph.has_edge((4, 1), (4, 2)) and graph.has_edge((4, 2), (4, 1))
    assert graph.has_edge((4, 1), (3, 1)) and graph.has_edge((3, 1), (4, 1))
