"""Near, in scenes made by hand whose truth is known: sizes and gaps are sums of powers of two, so a metre is exact."""

import math

import numpy as np
import pytest

from tests.tasks.xland.predicates.makers import scene_of
from tests.tasks.xland.predicates.truths import EAST, FAR_PLAYER, MIDDLE, holds


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
