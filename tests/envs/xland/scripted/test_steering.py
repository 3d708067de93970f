"""Steering: the best of the discrete actions, and how precisely a player comes to a point.

Terrain and routes: where players can walk, the shortest ways, and straight walks.
"""

import math
from dataclasses import replace
from itertools import pairwise

import networkx
import numpy as np
import pytest

from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.scripted.gaze import best_gaze
from procgen_bench.envs.xland.scripted.routes import add_tolls, cell_at, explore, is_clear, next_point, way_to
from procgen_bench.envs.xland.scripted.steering import look_choice, pace_choice, turn_choice, wrap
from procgen_bench.envs.xland.scripted.terrain import CELLS_PER_TILE, NEIGHBOURS, terrain_of
from procgen_bench.tasks.xland import World, load_suite, topology_graph
from procgen_bench.tasks.xland.worlds.tiles import TileKind
from tests.envs.xland.scenes import FLAT, PILLAR, RAMP, player, simulate


@pytest.mark.parametrize(
    ("degrees", "choice"), [(0, 3), (1.5, 4), (-3, 2), (6, 5), (15, 5), (17, 6), (170, 6), (-90, 0)]
)
def test_turns(degrees, choice):
    assert turn_choice(math.radians(degrees)) == choice
    assert turn_choice(math.radians(degrees), 2) == min(max(choice, 1), 5)


@pytest.mark.parametrize(("degrees", "choice"), [(0, 2), (1.9, 2), (3, 3), (9, 4), (-60, 0)])
def test_looks(degrees, choice):
    assert look_choice(math.radians(degrees)) == choice
    assert look_choice(math.radians(degrees), 1) == min(max(choice, 1), 3)


def test_angles_are_wrapped():
    for angle in np.linspace(-20, 20, 101).tolist():
        assert -math.pi <= wrap(angle) <= math.pi and math.cos(wrap(angle)) == pytest.approx(math.cos(angle))


@pytest.mark.parametrize("yaw", [0.0, 1.0, -2.5])
def test_a_player_comes_to_a_point_in_any_direction_without_turning(yaw):
    """Within 20 cm, and no slower than three quarters of its speed."""
    for bearing in np.linspace(0, 2 * math.pi, 9)[:-1].tolist():
        simulation = simulate(FLAT, player("blue", 3.5, 3.5, yaw))
        x, y = 7.0 + 4.0 * math.cos(bearing), 7.0 + 4.0 * math.sin(bearing)
        for step in range(30):
            here, velocity = simulation.states.player_positions[0, 0], simulation.players[0]["velocity"].tolist()[:2]
            move, strafe = pace_choice(yaw, x - here[0], y - here[1], velocity, True)
            if step > 14 and (move, strafe) == NOOP[:2] and math.hypot(*velocity) < 0.1:
                break
            simulation.step(np.array([(move, strafe, 3, 2, 0, 0)]))
        here = simulation.states.player_positions[0, 0]
        assert math.hypot(x - here[0], y - here[1]) < 0.2 and step < 20


def test_gaze_has_in_the_picture_what_it_should():
    """Two things a quarter of a turn apart: one, the other, neither, and beside what is held."""
    centre = np.array([0.0, 0.0, 0.825])
    east, north = (4.0, 0.0, 0.5, 0.5), (0.0, 4.0, 0.5, 0.5)

    def off(thing, things, held=0.0):
        yaw, pitch = best_gaze(centre, 0.7, 0.0, np.array(things), held)
        return abs(wrap(math.atan2(thing[1], thing[0]) - yaw)), pitch

    assert off(east, [(*east, 1.0), (*north, -1.0)])[0] < math.radians(37.6)
    assert off(north, [(*east, -1.0), (*north, 1.0)])[0] < math.radians(37.6)
    for thing in (east, north):
        away, pitch = off(thing, [(*east, -1.0), (*north, -1.0)])
        assert away > math.radians(37.6) or abs(pitch) > math.radians(30.0)
    away, pitch = off(east, [(*east, 1.0)], held=0.3)
    assert math.hypot(away, pitch) > 0.2 and away < math.radians(37.6)


FOOT = "tiles 2.0 2.0 m, levels 1.2 m\n"


def ways(terrain, row: int, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Distances and parents from a cell."""
    distances = np.empty(terrain.heights.shape)
    parents = np.empty(terrain.heights.shape, np.int64)
    explore(terrain.passable, terrain.tolls, terrain.cell, row, column, distances, parents)
    return distances, parents


def middle(row: int, column: int) -> tuple[int, int]:
    """The cell in the middle of a tile."""
    return CELLS_PER_TILE * row + 1, CELLS_PER_TILE * column + 1


def test_a_ramp_leads_up_and_a_ledge_down():
    terrain = terrain_of(World.from_text(RAMP + FOOT))
    assert terrain.heights[middle(4, 3)] == pytest.approx(0.6) and terrain.heights[middle(5, 0)] == 1.2
    up, down = ways(terrain, *middle(4, 0)), ways(terrain, *middle(5, 0))
    # Up by the ramp in the fourth column, and down over the ledge.
    assert up[0][middle(5, 0)] > 10.0
    assert down[0][middle(4, 0)] < 3.5
    way = way_to(up[1], *middle(5, 0))
    on_ramp = (way // CELLS_PER_TILE == (4, 3)).all(axis=1)
    assert on_ramp.any() and tuple(way[0]) == middle(4, 0) and tuple(way[-1]) == middle(5, 0)


def test_diagonals_are_climbed_over_their_high_sides_only():
    """The higher half of a diagonal can be walked upon from the upper floor beside it, and not from below."""
    for symbol, from_side in (("◥", (2, 3)), ("◢", (2, 3)), ("◣", (2, 1)), ("◤", (2, 1))):
        level = ["0. 0. 0. 0. 0."] * 5
        row = "0. 0. 0{} 1. 0." if from_side == (2, 3) else "0. 1. 0{} 0. 0."
        level[2] = row.format(symbol)
        terrain = terrain_of(World.from_text("\n".join(level) + "\n" + FOOT))
        high = terrain.heights[6:9, 6:9] > 1.0
        assert high.sum() == 6
        below, above = ways(terrain, 0, 0)[0][6:9, 6:9], ways(terrain, *middle(*from_side))[0][6:9, 6:9]
        assert np.array_equal(np.isfinite(below), ~high) and np.isfinite(above).all()


def test_distances_are_those_of_the_shortest_ways():
    """Against networkx, over the same cells, in generated worlds with things in the way."""
    for number in (5, 800):
        world = load_suite("test")[str(number)].world
        terrain = terrain_of(world)
        add_tolls(terrain.tolls, terrain.heights, terrain.cell, np.array([(7.0, 7.0, 0.5, 0.5, 9.0, 3.0)]))
        graph = networkx.DiGraph()
        for row, column, number in np.argwhere(terrain.passable).tolist():
            step = NEIGHBOURS[number]
            other = row + int(step[0]), column + int(step[1])
            length = float(np.hypot(step[0] * terrain.cell[1], step[1] * terrain.cell[0])) + terrain.tolls[other]
            graph.add_edge((row, column), other, weight=length)
        start = tuple(map(int, np.argwhere(terrain.passable.any(axis=2))[0]))
        distances, parents = ways(terrain, *start)
        expected = networkx.single_source_dijkstra_path_length(graph, start)
        assert {tuple(cell) for cell in np.argwhere(np.isfinite(distances)).tolist()} == set(expected)
        for cell, length in expected.items():
            assert distances[cell] == pytest.approx(length)
            way = way_to(parents, *cell)
            assert tuple(way[0]) == start and all(graph.has_edge(*map(tuple, pair)) for pair in pairwise(way))


@pytest.mark.parametrize(
    "number", [0, *(pytest.param(number, marks=pytest.mark.slow) for number in range(160, 1600, 160))]
)
def test_cells_lead_wherever_the_topology_graph_does(number):
    """Of generated worlds without diagonals, whose halves the graph of tiles cannot tell apart."""
    world = load_suite("test")[str(number)].world
    world = replace(world, kinds=np.where(world.kinds > TileKind.RAMP_WEST, TileKind.FLAT, world.kinds).astype(np.int8))
    terrain, graph = terrain_of(world), topology_graph(world)
    for row, column in [(0, 0), (world.shape[0] // 2, world.shape[1] // 2), (world.shape[0] - 1, 0)]:
        distances, _ = ways(terrain, *middle(row, column))
        for tile in networkx.descendants(graph, (row, column)):
            assert np.isfinite(distances[middle(*tile)]), tile


def test_a_straight_walk_keeps_clear_of_walls_and_things():
    terrain = terrain_of(World.from_text(PILLAR + FOOT))
    tolls = terrain.tolls.copy()
    clear = (terrain.passable, tolls, terrain.cell)
    assert is_clear(*clear, 1.0, 1.0, 13.0, 3.0)
    assert not is_clear(*clear, 3.0, 7.0, 11.0, 7.0)
    add_tolls(tolls, terrain.heights, terrain.cell, np.array([(7.0, 2.0, 0.4, 0.4, 0.4, 3.0)]))
    assert not is_clear(*clear, 1.0, 1.0, 13.0, 3.0)
    distances, parents = ways(terrain, *middle(3, 1))
    way = way_to(parents, *middle(3, 5))
    x, y, place = next_point(*clear, way, 3.0, 7.0)
    assert 0 < place < len(way) - 1 and is_clear(*clear, 3.0, 7.0, x, y)
    assert next_point(*clear, way, 1.0, 13.0)[2] == -1  # it has left the way
    assert np.isfinite(distances[middle(3, 5)])


def test_what_floats_overhead_is_no_obstacle():
    terrain = terrain_of(World.from_text(FLAT + FOOT))
    tolls = terrain.tolls.copy()
    add_tolls(tolls, terrain.heights, terrain.cell, np.array([(7.0, 7.0, 3.5, 0.4, 0.4, 3.0)]))
    assert np.array_equal(tolls, terrain.tolls)
    add_tolls(tolls, terrain.heights, terrain.cell, np.array([(7.0, 7.0, 0.4, 0.4, 0.4, 3.0)]))
    assert tolls[cell_at(terrain.cell, tolls.shape, 7.0, 7.0)] == pytest.approx(3.0)
