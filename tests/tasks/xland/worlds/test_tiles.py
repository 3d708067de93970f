from itertools import product
from math import log10

import networkx
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.worlds.counting import count_worlds, strongly_connected
from procgen_bench.tasks.xland.worlds.tiles import (
    MIRRORED_EAST_WEST,
    MIRRORED_NORTH_SOUTH,
    NUM_KINDS,
    OPPOSITE,
    RAMP_ENDS,
    SIDE_HEIGHTS,
    SIDES,
    STEPS,
    TileKind,
    floor_height,
    is_wall,
    surface,
)
from procgen_bench.tasks.xland.worlds.topology import walkable_sides
from procgen_bench.tasks.xland.worlds.validity import check_tiles

#: A hair inside the tile, from the west or south to the east or north end of every side.
NEAR, FAR = 1e-6, 1 - 1e-6
ENDS = {
    "north": ((2 * NEAR, FAR), (1 - 2 * NEAR, FAR)),
    "east": ((FAR, 2 * NEAR), (FAR, 1 - 2 * NEAR)),
    "south": ((2 * NEAR, NEAR), (1 - 2 * NEAR, NEAR)),
    "west": ((NEAR, 2 * NEAR), (NEAR, 1 - 2 * NEAR)),
}


@pytest.mark.parametrize("kind", TileKind)
@pytest.mark.parametrize("side", range(4))
def test_heights_along_sides_are_those_of_the_surface(kind, side):
    for end, (u, v) in enumerate(ENDS[SIDES[side]]):
        assert surface(int(kind), 2, u, v) == pytest.approx(2 + SIDE_HEIGHTS[kind, side, end], abs=1e-5)


def test_ramps_rise_to_the_side_of_their_name_and_end_there_and_opposite():
    for side, name in enumerate(SIDES):
        kind = TileKind[f"RAMP_{name.upper()}"]
        assert SIDE_HEIGHTS[kind, side].tolist() == [1, 1] and SIDE_HEIGHTS[kind, OPPOSITE[side]].tolist() == [0, 0]
        assert np.flatnonzero(RAMP_ENDS[kind]).tolist() == sorted([side, int(OPPOSITE[side])])
    assert not RAMP_ENDS[[0, 5, 6, 7, 8]].any()
    assert (STEPS[OPPOSITE] == -STEPS).all()


@pytest.mark.parametrize("kind", range(NUM_KINDS))
def test_mirrored_kinds_have_the_mirrored_surface(kind):
    rng = np.random.default_rng(kind)
    for u, v in rng.random((20, 2)):
        assert surface(int(MIRRORED_EAST_WEST[kind]), 1, 1 - u, v) == pytest.approx(surface(kind, 1, u, v))
        assert surface(int(MIRRORED_NORTH_SOUTH[kind]), 1, u, 1 - v) == pytest.approx(surface(kind, 1, u, v))


def test_floor_height_looks_up_the_tile():
    kinds, levels = np.zeros((5, 6), np.int8), np.zeros((5, 6), np.int8)
    kinds[1, 2], levels[1, 2], levels[1, 3] = TileKind.RAMP_EAST, 1, 2
    assert floor_height(kinds, levels, 2.25, 1.9) == 1.25
    assert floor_height(kinds, levels, 3.0, 1.0) == 2.0
    assert floor_height(kinds, levels, 6.0, 5.0) == 0.0


def test_walls_stand_where_a_neighbour_is_higher_and_at_the_border():
    kinds, levels = np.zeros((5, 5), np.int8), np.zeros((5, 5), np.int8)
    kinds[2, 2] = TileKind.RAMP_EAST
    levels[2, 3] = 1
    walls = {(row, column, SIDES[side]) for row in range(5) for column in range(5) for side in range(4)
             if is_wall(kinds, levels, row, column, side)}  # fmt: skip
    border = {(4, c, "north") for c in range(5)} | {(0, c, "south") for c in range(5)}
    border |= {(r, 0, "west") for r in range(5)} | {(r, 4, "east") for r in range(5)}
    step = {(3, 2, "south"), (1, 2, "north"), (3, 3, "south"), (1, 3, "north"), (2, 4, "west")}
    assert walls == border | step


def reference_connected(levels: np.ndarray) -> bool:
    graph = networkx.grid_2d_graph(*levels.shape).to_directed()
    graph.remove_edges_from([(one, other) for one, other in list(graph.edges) if levels[other] > levels[one] + 1])
    return networkx.is_strongly_connected(graph)


def test_connection_is_networkx_s():
    rng = np.random.default_rng(0)
    results = []
    for _ in range(600):
        levels = rng.integers(rng.integers(2, 7), size=rng.integers(1, 5, size=2))
        results.append(strongly_connected(levels))
        assert results[-1] == reference_connected(levels)
    assert 100 < sum(results) < 500


def test_probability_is_that_of_all_grids():
    """3 x 3 tiles: all levels of four tiles, counted out."""
    connected = sum(reference_connected(np.array(levels).reshape(2, 2)) for levels in product(range(6), repeat=4))
    count = count_worlds(3, 3, 100_000, rng=np.random.default_rng(0))
    probability = connected / 6**4
    deviation = (probability * (1 - probability) / 100_000) ** 0.5
    assert abs(count.connected / count.samples - probability) < 4 * deviation
    assert count.lower == 6**4 * count.connected // 100_000 and count.lower_unique == count.lower // 8
    assert count.upper == 14**9 and count.log10_upper == pytest.approx(9 * log10(14))
    assert count.log10_lower == pytest.approx(log10(connected), abs=0.05)


def test_even_sides_add_factors_of_two():
    for width, height, columns, rows, doubled in ((1, 1, 1, 1, 0), (2, 1, 1, 1, 1), (2, 2, 1, 1, 2), (4, 3, 2, 2, 3)):
        count = count_worlds(width, height, 1_000, rng=np.random.default_rng(1))
        assert count.lower == 6 ** (columns * rows) * 2**doubled * count.connected // 1_000


def test_more_than_two_tiles_are_safe_beside_an_even_world_s_others_on_average():
    """Why a factor of 2 is a lower bound although nothing is above the top level (4 x 3 tiles, counted out).

    Beside a tile of height h all levels from h on are safe, as one drops from them; the tile between takes the higher.
    """
    choices = []
    for levels in product(range(6), repeat=4):
        grid = np.array(levels).reshape(2, 2)
        if reference_connected(grid):
            low, high = grid[:, 1].tolist()
            choices.append((6 - low) * (6 - high) * (6 - max(low, high)))
    assert np.mean(choices) > 2**3


def filled_world(levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The world of A.1.2: ramps where a step of one level lies between, else the higher floor, the top in the rest."""
    rows, columns = 2 * levels.shape[0] - 1, 2 * levels.shape[1] - 1
    kinds, filled = np.zeros((rows, columns), np.int8), np.full((rows, columns), 5, np.int8)
    filled[::2, ::2] = levels
    for row, column in product(range(rows), range(columns)):
        if (row + column) % 2:
            step = (1, 0) if row % 2 else (0, 1)
            before, after = filled[row - step[0], column - step[1]], filled[row + step[0], column + step[1]]
            filled[row, column] = max(before, after)
            if abs(int(before) - int(after)) == 1:
                filled[row, column] = min(before, after)
                rising = TileKind.RAMP_NORTH if row % 2 else TileKind.RAMP_EAST
                kinds[row, column] = rising if after > before else rising + 2
    return kinds, filled


def test_connected_grids_make_worlds_with_a_large_region_that_is_not_left():
    rng, checked = np.random.default_rng(2), 0
    while checked < 40:
        levels = rng.integers(6, size=(3, 3)).astype(np.int8)
        if not reference_connected(levels):
            continue
        kinds, filled = filled_world(levels)
        check_tiles(kinds, filled)
        graph = networkx.DiGraph()
        for row, column, side in np.argwhere(walkable_sides(kinds, filled)).tolist():
            graph.add_edge((row, column), (row + int(STEPS[side, 0]), column + int(STEPS[side, 1])))
        region = next(each for each in networkx.strongly_connected_components(graph) if (0, 0) in each)
        assert region >= {(row, column) for row, column in np.ndindex(5, 5) if row % 2 == 0 or column % 2 == 0}
        assert not [tile for tile in region for other in graph[tile] if other not in region]
        checked += 1


def test_nine_by_nine():
    """The paper has more than 10^16 (section 3.1.1)."""
    count = count_worlds(9, 9, 50_000, rng=np.random.default_rng(0))
    assert 15.7 < count.log10_lower < 16.4 and count.log10_upper == pytest.approx(92.8, abs=0.1)
    again = count_worlds(9, 9, 50_000, rng=np.random.default_rng(0))
    assert count == again


def test_no_sample_is_connected():
    count = count_worlds(15, 15, 10, rng=np.random.default_rng(0))
    assert count.lower == 0 and count.log10_lower == float("-inf")


@pytest.mark.parametrize("arguments", [(0, 3, 10), (3, -1, 10), (3, 3, 0), (3.0, 3, 10)])
def test_bad_numbers_are_refused(arguments):
    with pytest.raises(InvalidTaskError, match="expected an integer of at least 1"):
        count_worlds(*arguments, rng=np.random.default_rng(0))
