"""Near, in scenes made by hand whose truth is known: sizes and gaps are sums of powers of two, so a metre is exact.

See between objects, in scenes made by hand whose truth is known.

See from players, in scenes made by hand whose truth is known.
"""

import math

import numpy as np
import pytest

from tests.tasks.xland.predicates.makers import scene_of
from tests.tasks.xland.predicates.truths import EAST, EYE, FAR_PLAYER, MIDDLE, NORTH, WEST, holds, quarter_turn


@pytest.mark.parametrize(
    ("x", "near"), [(-1.0, True), (-1.25, True), (np.nextafter(-1.25, -2.0), False), (-1.5, False)]
)
@pytest.mark.parametrize("shapes", ["cube cube", "cube sphere", "sphere sphere"])
def test_things_up_to_a_metre_apart_are_near(shapes, x, near):
    # The second one begins at 0, the first one ends at x + 0.25.
    first, second = (f"{colour} {shape}" for colour, shape in zip(("black", "yellow"), shapes.split()))
    states = scene_of({first: (0.5, (x, 1, 1)), second: (0.5, (0.25, 1, 1))}, [FAR_PLAYER])
    assert holds(f"near({first},{second})", states) == near


@pytest.mark.parametrize(("distance", "near"), [(1.0, True), (1.25, True), (1.5, False)])
def test_near_of_a_pyramid_is_measured_from_its_surface(distance, near):
    # Side by side on the floor, the bases' edges are closest: 0.25 from the middles.
    objects = {"black pyramid": (0.5, (3, 3, 0.125)), "purple pyramid": (0.5, (3 + distance + 0.25, 3, 0.125))}
    assert holds("near(black pyramid,purple pyramid)", scene_of(objects, [FAR_PLAYER])) == near


@pytest.mark.parametrize(("height", "near"), [(2.5, True), (3.0, True), (3.0625, False)])
def test_near_of_a_pyramid_is_measured_from_its_apex(height, near):
    # Apex at 1, above it a cube whose lower face is a quarter metre below its centre.
    objects = {"black pyramid": (1.0, (3, 3, 0.25)), "yellow cube": (2.0, (3, 3, height))}
    assert holds("near(black pyramid,yellow cube)", scene_of(objects, [FAR_PLAYER])) == near


def test_near_follows_the_construction_even_where_it_misses_the_closest_points():
    # A large cube leans towards another by 0.2 radians: its edge comes closer than a metre, but the points closest to
    # the centres lie further down, and so does all that follows from them.
    lean, middle = 0.2, 7.2
    edge = middle - 1.5 * (math.cos(lean) + math.sin(lean))
    assert 0.9 < edge - 4.5 < 1.0
    tilted = [math.cos(lean / 2), 0, math.sin(lean / 2), 0]
    objects = {"black cube": (3.0, (3, 5, 1.5)), "purple cube": (3.0, (middle, 5, 1.5), tilted)}
    states = scene_of(objects, [FAR_PLAYER])
    assert not holds("near(black cube,purple cube)", states)
    states.object_positions[0, 1, 0] -= 0.25
    assert holds("near(black cube,purple cube)", states)


@pytest.mark.parametrize(("distance", "near"), [(1.5, True), (1.5499, True), (1.5501, False)])
def test_near_of_a_player_is_measured_from_its_capsule(distance, near):
    objects = {"purple sphere": (0.5, (4 + distance, 4, MIDDLE))}
    states = scene_of(objects, [((4, 4, MIDDLE), EAST, 0.0), FAR_PLAYER])
    assert holds("near(me,purple sphere)", states) == near == holds("near(opponent,purple sphere)", states, 1)
    assert not holds("near(opponent,purple sphere)", states)


def test_near_asks_for_no_line_of_sight():
    levels = np.zeros((10, 10), np.int8)
    levels[:, 4] = 5
    objects = {"black cube": (0.25, (3.875, 4, 0.25)), "purple cube": (0.25, (5.0, 4, 0.25))}
    states = scene_of(objects, [FAR_PLAYER], levels=levels)
    assert holds("near(black cube,purple cube)", states) and not holds("see(black cube,purple cube)", states)


PAIR = {"black cube": (0.25, (2.5, 4.5, 0.5)), "yellow cube": (0.25, (7.5, 4.5, 0.5))}


def pair_is_seen(obstacles=None, players=(FAR_PLAYER,), **world) -> bool:
    """Whether the two small cubes half a metre above the floor, five metres apart along x, see each other."""
    states = scene_of({**PAIR, **(obstacles or {})}, list(players), **world)
    return holds("see(black cube,yellow cube)", states)


def test_nothing_between_is_seen_through():
    assert pair_is_seen()
    assert not pair_is_seen(kinds=np.zeros((10, 10), np.int8), levels=np.full((10, 10), 1))


@pytest.mark.parametrize("shape", ["cube", "sphere", "pyramid"])
@pytest.mark.parametrize(("aside", "seen"), [(0.0, False), (0.55, True)])
def test_objects_hide_what_is_behind_them(shape, aside, seen):
    assert pair_is_seen({f"purple {shape}": (1.0, (5, 4.5 + aside, 0.5))}) == seen


@pytest.mark.parametrize(("height", "seen"), [(0.49, False), (0.51, True)])
def test_a_pyramid_narrows_upwards(height, seen):
    # Halfway up it reaches 0.25 to either side; the segment passes there, this high above the base.
    assert pair_is_seen({"purple pyramid": (1.0, (5, 4.5 + 0.25, 0.5 - height + 0.25))}) == seen


def test_a_cube_stood_on_its_edge_reaches_further():
    turned = [math.cos(math.pi / 8), 0, 0, math.sin(math.pi / 8)]
    assert pair_is_seen({"purple cube": (1.0, (5, 4.5 + 0.6, 0.5))})
    assert not pair_is_seen({"purple cube": (1.0, (5, 4.5 + 0.6, 0.5), turned)})


@pytest.mark.parametrize(("rotation", "reach"), [((2, 0), 0.25), ((2, 1), 0.5), ((0, 1), 0.0625)])
def test_a_slab_hides_by_its_edges(rotation, reach):
    # Along y: half a size; turned about z, a whole one; tipped about x, an eighth.
    slab = (1.0, (5, 4.5 + reach - 0.01, 0.5), quarter_turn(*rotation))
    beside = (1.0, (5, 4.5 + reach + 0.01, 0.5), quarter_turn(*rotation))
    assert not pair_is_seen({"purple slab": slab}) and pair_is_seen({"purple slab": beside})


@pytest.mark.parametrize(("height", "seen"), [(0.55, False), (0.57, True)])
def test_a_lying_slab_is_thin(height, seen):
    assert pair_is_seen({"purple slab": (1.0, (5, 4.5, height))}) == seen


@pytest.mark.parametrize(("place", "seen"), [((5, 4.79, 0.825), False), ((5, 4.81, 0.825), True)])
def test_players_hide_what_is_behind_them(place, seen):
    assert pair_is_seen(players=[(place, 0.0, 0.0)]) == seen


@pytest.mark.parametrize(("gap", "seen"), [(-0.1, False), (0.25, False), (0.27, True), (0.29, True)])
def test_a_player_is_round_on_top(gap, seen):
    # The segment passes 0.15 m aside of the axis, and ``gap`` above the centre of the upper round end: there it reaches
    # up to sqrt(0.3^2 - 0.15^2) = 0.26.
    assert pair_is_seen(players=[((5, 4.65, 0.5 - gap - 0.525), 0.0, 0.0)]) == seen


def test_a_gone_thing_hides_nothing():
    states = scene_of({**PAIR, "purple cube": (1.0, (5, 4.5, 0.5))}, [((5, 4.5, 0.8), 0.0, 0.0)])
    states.objects_present[0, 2] = False
    assert not holds("see(black cube,yellow cube)", states)
    states.players_present[0, 0] = False
    assert holds("see(black cube,yellow cube)", states)


def one_tile(kind: int) -> np.ndarray:
    """Tiles at level 0, flat but for one over x = 4 to 5 and y = 4 to 5."""
    kinds = np.zeros((10, 10), np.int8)
    kinds[4, 4] = kind
    return kinds


@pytest.mark.parametrize("kind", range(1, 9))
def test_ramps_and_diagonals_hide_by_their_surface(kind):
    # At y = 4.75, the tile is a wall up to this height (levels).
    tops = {1: 0.75, 2: 1.0, 3: 0.25, 4: 1.0, 5: 1.0, 6: 1.0, 7: 1.0, 8: 1.0}
    for height, seen in ((tops[kind] - 0.01, False), (tops[kind] + 0.01, True)):
        objects = {name: (0.25, (x, 4.75, height)) for name, x in (("black cube", 3.5), ("yellow cube", 5.5))}
        states = scene_of(objects, [FAR_PLAYER], kinds=one_tile(kind))
        assert holds("see(black cube,yellow cube)", states) == seen


@pytest.mark.parametrize(("kind", "high"), [(5, (1, 1)), (6, (1, 0)), (7, (0, 0)), (8, (0, 1))])
def test_a_diagonal_hides_by_its_higher_half_alone(kind, high):
    # Segments across the two corners that the cut leaves whole, parallel to the cut.
    for corner in (high, (1 - high[0], 1 - high[1])):
        x, y = 4 + 0.5 + 0.4 * (2 * corner[0] - 1), 4 + 0.5 + 0.4 * (2 * corner[1] - 1)
        along = np.array([1, -1 if corner[0] == corner[1] else 1]) * 0.5
        places = [(x + sign * along[0], y + sign * along[1], 0.5) for sign in (-1, 1)]
        objects = {name: (0.125, place) for name, place in zip(("black cube", "yellow cube"), places)}
        states = scene_of(objects, [FAR_PLAYER], kinds=one_tile(kind))
        assert holds("see(black cube,yellow cube)", states) == (corner != high)


def test_a_segment_through_corners_of_tiles_misses_the_tiles_beside_it():
    levels = np.ones((10, 10), np.int8) * 3
    np.fill_diagonal(levels, 0)
    objects = {"black cube": (0.25, (1.5, 1.5, 0.5)), "yellow cube": (0.25, (8.5, 8.5, 0.5))}
    assert holds("see(black cube,yellow cube)", scene_of(objects, [FAR_PLAYER], levels=levels))
    levels[5, 5] = 1
    assert not holds("see(black cube,yellow cube)", scene_of(objects, [FAR_PLAYER], levels=levels))


@pytest.mark.parametrize(("x", "seen"), [(2.99, True), (3.01, False)])
def test_segments_straight_up_and_along_one_axis(x, seen):
    levels = np.zeros((10, 10), np.int8)
    levels[:, 3] = 1
    upright = {"black cube": (0.25, (x, 4.5, 0.5)), "yellow cube": (0.25, (x, 4.5, 3.0))}
    along = {"black cube": (0.25, (x, 1.5, 0.5)), "yellow cube": (0.25, (x, 8.5, 0.5))}
    for objects in (upright, along):
        assert holds("see(black cube,yellow cube)", scene_of(objects, [FAR_PLAYER], levels=levels)) == seen


def test_the_ground_is_measured_in_metres():
    levels = np.zeros((10, 10), np.int8)
    levels[:, 4] = 1
    wide = {"black cube": (0.25, (9.0, 3.0, 0.75)), "yellow cube": (0.25, (11.0, 3.0, 0.75))}
    for size, seen in (((2.0, 0.5, 0.5), True), ((2.0, 0.5, 1.0), False), ((3.0, 0.5, 1.0), True)):
        objects = dict(wide)
        states = scene_of(objects, [((1, 1, MIDDLE), 0.0, 0.0)], levels=levels, tile_size=size)
        assert holds("see(black cube,yellow cube)", states) == seen


def test_an_object_sees_a_player_by_the_middle_of_it():
    # A wall hides the player's middle; its head, above the wall, is not asked for.
    levels = np.zeros((10, 10), np.int8)
    levels[:, 4] = 1
    objects = {"black sphere": (0.5, (2.5, 4.5, MIDDLE))}
    player = ((6.5, 4.5, MIDDLE), WEST, 0.0)
    states = scene_of(objects, [player], levels=levels)
    assert not holds("see(black sphere,me)", states)
    assert holds("see(black sphere,me)", scene_of(objects, [player], levels=levels, tile_size=(1, 1, 0.75)))


TARGET = {"purple cube": (0.5, (7, 5, 0.25))}


@pytest.mark.parametrize(
    ("yaw", "pitch", "seen"),
    [
        (EAST, 0.0, True),
        (NORTH, 0.0, False),
        (WEST, 0.0, False),
        (EAST, -0.5, True),
        (EAST, 0.9, False),
        # The horizontal field of view is 75.2 degrees: 37.6 to either side.
        (math.radians(36), 0.0, True),
        (math.radians(-36), 0.0, True),
        (math.radians(46), 0.0, False),
        (math.radians(-46), 0.0, False),
    ],
)
def test_players_see_what_is_in_their_picture(yaw, pitch, seen):
    states = scene_of(TARGET, [((3, 5, MIDDLE), yaw, pitch)])
    assert holds("see(me,purple cube)", states) == seen
    assert holds("see(purple cube,me)", states)  # wherever it looks


@pytest.mark.parametrize(("angle", "seen"), [(29.0, True), (30.6, False), (-29.0, True), (-30.6, False)])
def test_the_picture_ends_thirty_degrees_above_and_below(angle, seen):
    """A sphere of 7 cm, 4 m away: a pixel's width is 6.4 cm there."""
    height = 3 + EYE + 4 * math.tan(math.radians(angle))
    states = scene_of({"purple sphere": (0.07, (7, 5, height))}, [((3, 5, 3 + MIDDLE), EAST, 0.0)])
    assert holds("see(me,purple sphere)", states) == seen


def test_a_part_in_the_picture_is_enough():
    # The centre lies 20 cm beyond the border.
    slope = math.tan(math.radians(30)) * 96 / 72
    for aside, seen in ((0.2, True), (0.3, False)):
        states = scene_of({"purple sphere": (0.5, (5, 5 + 2 * slope + aside, EYE))}, [((3, 5, MIDDLE), EAST, 0.0)])
        assert holds("see(me,purple sphere)", states) == seen


@pytest.mark.parametrize(("height", "seen"), [(0.7, False), (0.9, True)])
def test_players_see_what_looks_out_behind_something(height, seen):
    # From the eye at 1.5 m over a wall of 1 m at x = 4 to 5, what stands at x = 6 is seen above 0.25 + ...
    levels = np.zeros((10, 10), np.int8)
    levels[:, 4] = 1
    # The line over the wall's far edge falls 0.5 on 2 m: at x = 6 it is at 0.75.
    states = scene_of({"purple cube": (0.5, (6, 5.5, height - 0.25))}, [((3, 5.5, MIDDLE), EAST, -0.2)], levels=levels)
    assert holds("see(me,purple cube)", states) == seen


def test_players_are_hidden_by_slabs_and_by_each_other():
    facing = [((3, 5, MIDDLE), EAST, 0.0), ((6, 5, MIDDLE), WEST, 0.0)]
    wall = {"black slab": (8.0, (4.5, 5, 2.0), quarter_turn(1))}
    for objects, seen in (({}, True), (wall, False)):
        states = scene_of({**TARGET, **objects}, facing)
        assert [holds("see(me,opponent)", states, p) for p in range(2)] == [seen, seen]
        assert [holds("see(opponent,me)", states, p) for p in range(2)] == [seen, seen]
    behind = scene_of({"purple sphere": (0.25, (7, 5, 1.3))}, facing)
    assert not holds("see(me,purple sphere)", behind) and not holds("see(opponent,purple sphere)", behind, 1)
    assert holds("see(me,purple sphere)", scene_of({"purple sphere": (0.25, (7, 5, 1.3))}, facing[:1]))


def test_players_do_not_stand_in_their_own_way():
    states = scene_of({"purple cube": (0.5, (3.5, 5, 0.25))}, [((3, 5, MIDDLE), EAST, -1.0)])
    assert holds("see(me,purple cube)", states) and holds("see(purple cube,me)", states)
