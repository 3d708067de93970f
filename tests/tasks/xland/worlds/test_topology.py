"""Symmetries keep tiles valid, and canonical forms are those of a world's tiles alone."""

import hashlib
from dataclasses import replace

import networkx
import numpy as np
import pytest
from hypothesis import given, settings

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.measures import renyi_entropy, shortest_path_distribution
from procgen_bench.tasks.xland.worlds.projection import fit_projection, loss_gradient, symmetry_classes, world_vectors
from procgen_bench.tasks.xland.worlds.symmetry import canonical_world, moved_world, symmetries
from procgen_bench.tasks.xland.worlds.tiles import STEPS, TileKind, surface
from procgen_bench.tasks.xland.worlds.topology import playable_area, topology_graph, walkable_sides
from procgen_bench.tasks.xland.worlds.validity import check_tiles
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


RNG = np.random.default_rng(0)
WORLDS = [generate_world(RNG, 9, 9) for _ in range(60)]


def test_fifteen_weights_for_nine_by_nine():
    classes = symmetry_classes(9, 9)
    assert len(np.unique(classes)) == 15
    for image in (classes.T, classes[::-1], classes[:, ::-1], np.rot90(classes)):
        assert (image == classes).all()
    assert np.bincount(classes.ravel()).max() == 8
    oblong = symmetry_classes(6, 9)
    assert len(np.unique(oblong)) == 15 and (oblong == oblong[::-1, ::-1]).all() and (oblong == oblong[::-1]).all()


def test_vectors_are_heights():
    flat, plateau = world_vectors([World.from_text(FLAT), World.from_text(PLATEAU)])
    assert not flat.any() and plateau.shape == (25,)
    assert plateau.reshape(5, 5)[2].tolist() == [0.2, 0.2, 0.2, 0.1, 0.0] and plateau.reshape(5, 5)[1, 0] == 0.1


def test_gradient_is_that_of_the_loss():
    rng = np.random.default_rng(1)
    weights, centre, bias = rng.normal(size=(2, 4)), rng.normal(size=2), 0.3
    vectors, properties = rng.normal(size=(7, 4)), rng.normal(size=7)
    by_weights, by_centre, by_bias, _ = loss_gradient(weights, centre, bias, vectors, properties)

    def loss(weights=weights, centre=centre, bias=bias) -> float:
        return loss_gradient(weights, centre, bias, vectors, properties)[3]

    step = 1e-6
    for index in np.ndindex(2, 4):
        change = step * (np.arange(8).reshape(2, 4) == np.ravel_multi_index(index, (2, 4)))
        slope = (loss(weights=weights + change) - loss(weights=weights - change)) / (2 * step)
        assert by_weights[index] == pytest.approx(slope, abs=1e-6)
    for index in range(2):
        change = step * np.eye(2)[index]
        slope = (loss(centre=centre + change) - loss(centre=centre - change)) / (2 * step)
        assert by_centre[index] == pytest.approx(slope, abs=1e-6)
    assert by_bias == pytest.approx((loss(bias=bias + step) - loss(bias=bias - step)) / (2 * step), abs=1e-6)


def test_a_planted_property_is_found():
    """Distances from a point under a hidden symmetric map are learned, on worlds not fitted to as well."""
    rng = np.random.default_rng(2)
    classes = symmetry_classes(9, 9)
    hidden = rng.uniform(-1, 1, (2, 15))[:, classes].reshape(2, -1) / 10
    offsets = world_vectors(WORLDS) @ hidden.T - np.array([0.3, -0.2])
    properties = np.linalg.norm(offsets, axis=1)
    projection = fit_projection(WORLDS[:45], properties[:45], rng, iterations=6_000)
    assert projection.loss < 0.05 * properties.var()
    distances = np.linalg.norm(projection.project(WORLDS[45:]) - projection.centre, axis=1)
    errors = distances - np.abs(properties[45:] - projection.bias)
    assert np.mean(errors**2) < 0.5 * properties.var()


def test_weights_are_symmetric_and_entropy_is_fitted():
    properties = np.array([renyi_entropy(shortest_path_distribution(world)) for world in WORLDS])
    projection = fit_projection(WORLDS, properties, np.random.default_rng(3), iterations=2_000)
    assert projection.weights.shape == (2, 9, 9) and projection.project(WORLDS).shape == (60, 2)
    for image in (projection.weights.transpose(0, 2, 1), projection.weights[:, ::-1], projection.weights[:, :, ::-1]):
        assert np.array_equal(image, projection.weights)
    assert len(np.unique(projection.weights[0])) == 15
    distances = np.linalg.norm(projection.project(WORLDS) - projection.centre, axis=1)
    assert np.mean((distances - np.abs(properties - projection.bias)) ** 2) == pytest.approx(projection.loss)
    assert projection.loss < properties.var()


def test_bad_arguments_are_refused():
    with pytest.raises(InvalidTaskError, match=r"properties' shape is \(2,\), expected \(1,\), one for each world"):
        fit_projection(WORLDS[:1], np.zeros(2), np.random.default_rng(0))
    with pytest.raises(InvalidTaskError, match=r"shape of a world is \(5, 5\), expected that of the first, \(9, 9\)"):
        world_vectors([WORLDS[0], World.from_text(FLAT)])


def test_reflections_and_rotations_are_valid_and_of_one_canonical_form():
    rng = np.random.default_rng(0)
    for width, height in [(7, 7), (9, 6), (5, 8)] * 5:
        world = generate_world(rng, width, height)
        forms = list(symmetries(world.kinds, world.levels))
        assert (
            len(forms) == 8 and np.array_equal(forms[0][0], world.kinds) and np.array_equal(forms[0][1], world.levels)
        )
        for kinds, levels in forms:
            check_tiles(kinds, levels)
            assert canonical_world(replace(world, kinds=kinds, levels=levels)) == canonical_world(world)
        assert sum(np.array_equal(kinds, world.kinds) for kinds, _ in forms) < 8


def test_canonical_forms_are_hashes_of_the_least_reflection_or_rotation():
    rng = np.random.default_rng(4)
    for width, height in [(7, 7), (9, 6), (5, 10), (10, 5)] * 3:
        world = generate_world(rng, width, height, symmetry=0.5)
        forms = symmetries(world.kinds, world.levels)
        least = min(repr(kinds.shape).encode() + kinds.tobytes() + levels.tobytes() for kinds, levels in forms)
        assert canonical_world(world) == hashlib.sha256(least).hexdigest()


def test_worlds_move_with_all_that_is_in_them():
    rng = np.random.default_rng(2)
    for width, height in [(7, 7), (9, 6)] * 4:
        world = generate_world(rng, width, height, players=2)
        for form, (kinds, levels) in enumerate(symmetries(world.kinds, world.levels)):
            moved = moved_world(world, form)
            moved.validate()
            assert np.array_equal(moved.kinds, kinds) and np.array_equal(moved.levels, levels)
            for thing in ("object", "player"):
                before, after = getattr(world, f"{thing}_positions"), getattr(moved, f"{thing}_positions")
                assert [floor_at(world, *place) for place in before] == [floor_at(moved, *place) for place in after]
            assert np.allclose(distances(moved), distances(world)), "metres between things stay"
            assert np.allclose(bearings(moved), (-1 if form >= 4 else 1) * bearings(world)), "and who sees what where"


def test_worlds_that_move_on_come_back():
    world = generate_world(np.random.default_rng(3), 9, 6, players=2)
    for step in (1, 4):  # a quarter turn, a mirror
        moved = world
        for _ in range(4):
            moved = moved_world(moved, step)
        for name in ("kinds", "floors", "tile_size"):
            assert np.array_equal(getattr(moved, name), getattr(world, name))
        assert np.allclose(moved.object_positions, world.object_positions)
        for now, then in ((moved.light[0], world.light[0]), (moved.player_yaws, world.player_yaws)):
            assert np.allclose(np.exp(1j * now), np.exp(1j * then))


def floor_at(world, x, y):
    """Colour of the floor and its height there, to a millionth."""
    return int(world.floors[int(y), int(x)]), round(world.floor_height(x, y), 6)


def distances(world):
    """Metres between all things."""
    places = np.concatenate([world.object_positions, world.player_positions]) * world.tile_size[:2]
    return np.hypot(*(places[:, np.newaxis] - places).T)


def bearings(world):
    """Sines of the angles between where players face and the light, the objects' directions and the places of those."""
    ahead = world.player_yaws[:, np.newaxis]
    ways = world.object_positions - world.player_positions[:, np.newaxis]
    x, y = (ways * world.tile_size[:2]).transpose(2, 0, 1)
    turned = (world.light[0] - ahead, world.object_yaws - ahead, np.arctan2(y, x) - ahead)
    return np.concatenate([np.sin(angles) for angles in turned], axis=1)


def test_other_tiles_have_another_canonical_form():
    rng = np.random.default_rng(1)
    worlds = [generate_world(rng, 7, 7) for _ in range(100)]
    assert len({canonical_world(world) for world in worlds}) >= 98
    world = worlds[0]
    assert canonical_world(replace(world, tile_size=world.tile_size * 2, floors=world.floors[::-1])) == canonical_world(
        world
    )
    levels = world.levels.copy()
    levels[tuple(np.argwhere(world.kinds == 0)[0])] ^= 1
    assert canonical_world(replace(world, levels=levels)) != canonical_world(world)
