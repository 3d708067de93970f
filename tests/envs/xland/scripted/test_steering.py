"""Steering: the best of the discrete actions, and how precisely a player comes to a point."""

import math

import numpy as np
import pytest

from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.scripted.gaze import best_gaze
from procgen_bench.envs.xland.scripted.steering import look_choice, pace_choice, turn_choice, wrap
from tests.envs.xland.scenes import FLAT, player, simulate


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
