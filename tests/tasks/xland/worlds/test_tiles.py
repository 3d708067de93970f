import numpy as np
import pytest

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
