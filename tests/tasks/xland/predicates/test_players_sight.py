"""See from players, in scenes made by hand whose truth is known."""

import math

import numpy as np
import pytest

from tests.tasks.xland.predicates.makers import scene_of
from tests.tasks.xland.predicates.truths import EAST, EYE, MIDDLE, NORTH, WEST, holds, quarter_turn

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
