"""The beam: what is held, carried, thrown, pulled and lost."""

import math

import numpy as np
import pytest

from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.beam import BEAM_FORCE
from procgen_bench.envs.xland.model import STEP_SECONDS
from tests.envs.xland.scenes import FLAT, FORWARD, GRAB, PILLAR, RAMP, act, look_at, player, simulate

#: Turning by 8 degrees to the left, and walking forwards, while the beam is on.
TURN_LEFT, CARRY = (1, 2, 5, 2, 1, 0), (2, 2, 3, 2, 1, 0)
CUBE = "purple cube 0.6 m at 3.5 3.5 facing 0"


def taken(*things: str, tiles: str = FLAT):
    """A simulation whose first player has taken the first object."""
    simulation = simulate(tiles, *things)
    look_at(simulation, 0, simulation.states.object_positions[0, 0])
    act(simulation, 1, GRAB)
    assert simulation.states.held[0, 0, 0] and simulation.hand_is_holding[0]
    return simulation


def test_a_held_object_hangs_still_in_the_air():
    simulation = taken(CUBE, player("blue", 3.5, 2.4))
    for _ in range(5):
        act(simulation, 1, (1, 2, 3, 4, 1, 0))  # look up by 60 degrees in all
    act(simulation, 10, GRAB)
    before = simulation.states.object_positions[0, 0].copy()
    assert before[2] > 1.5
    act(simulation, 50, GRAB)
    assert np.abs(simulation.states.object_positions[0, 0] - before).max() < 0.005
    weight = 50.0 * 0.6**3 * 9.81
    assert simulation.hand_force[0] == pytest.approx(weight, rel=0.01)
    eye = simulation.states.player_positions[0, 0] + (0, 0, 1.5 - 1.65 / 2)
    assert simulation.hand_distance[0] == pytest.approx(math.dist(before, eye), abs=0.005)
    act(simulation, 10)
    assert not simulation.states.held.any() and simulation.hand_distance[0] == simulation.hand_force[0] == 0.0
    assert simulation.states.object_positions[0, 0, 2] == pytest.approx(0.3, abs=0.01)


def test_an_object_is_thrown_up_a_level():
    """Walking and looking up: it leaves the beam as fast as it was swung, flies on a parabola, and lands upstairs."""
    simulation = taken("purple cube 0.5 m at 1.5 3.5 facing 0", player("blue", 1.5, 2.6), tiles=RAMP)
    act(simulation, 4, (2, 2, 3, 4, 1, 0))
    place, velocity = simulation.states.object_positions[0, 0].copy(), simulation.bodies.object_motions[0, :3].copy()
    assert place[1] < 10.0 - 1.0 and velocity[2] > 3.0  # before the ledge, at y = 10 m
    for step in range(1, 5):
        act(simulation, 1)
        seconds = step * STEP_SECONDS
        flown = place + seconds * velocity - (0.0, 0.0, 9.81 / 2 * seconds**2)
        np.testing.assert_allclose(simulation.states.object_positions[0, 0], flown, atol=0.04)
    act(simulation, 15)
    assert simulation.states.object_positions[0, 0, 1] > 10.0
    assert simulation.states.object_positions[0, 0, 2] == pytest.approx(1.2 + 0.25, abs=0.01)


def test_what_is_near_is_held_near():
    distances = []
    for y in (2.7, 2.0):
        simulation = taken(CUBE, player("blue", 3.5, y))
        act(simulation, 20, GRAB)
        distances.append(float(simulation.hand_distance[0]))
    assert distances[1] - distances[0] > 0.7


def test_a_held_object_follows_round_a_corner():
    """Along the pillar's western side, and round its corner to the east: held throughout, at arm's length, and never
    inside the pillar, whose sides are at 6 and 8 m."""
    simulation = taken("purple cube 0.6 m at 2.5 2.5 facing 0", player("blue", 2.5, 1.5), tiles=PILLAR)
    path = []

    def go(steps: int, action) -> None:
        for _ in range(steps):
            act(simulation, 1, action)
            assert simulation.hand_is_holding[0] and 1.0 < simulation.hand_distance[0] < 2.5
            path.append(simulation.states.object_positions[0, 0].copy())

    go(17, CARRY)
    for _ in range(5):
        go(1, (1, 2, 1, 2, 1, 0))
        go(2, (2, 2, 1, 2, 1, 0))
        go(2, GRAB)
    x, y, _ = np.array(path).T
    outside = (x < 5.73) | (y > 8.27) | (y < 5.73)  # by half its edge, less 3 cm
    assert outside.all() and ((x < 6.0) & (abs(y - 7.0) < 1.0)).any()
    assert x[-1] > 7.0 and y[-1] > 8.27


def test_an_object_behind_a_wall_is_lost():
    """The pillar holds the cube back with more than the beam's force, as the player walks on along its side."""
    simulation = taken("purple cube 0.6 m at 3.5 2.5 facing 0", player("blue", 4.2, 2.5, math.pi), tiles=PILLAR)
    forces = []
    for _ in range(20):
        act(simulation, 1, (1, 4, 3, 2, 1, 0))  # to the right, which is the north
        forces.append(float(simulation.hand_force[0]))
        assert simulation.states.object_positions[0, 0, 1] < 6.0
    assert max(forces) == pytest.approx(BEAM_FORCE)
    assert not simulation.hand_is_holding[0] and forces[-1] == 0.0


def test_what_is_too_heavy_is_lost_at_the_beams_greatest_force():
    """205 kg, 2,009 N: the beam pulls upwards with its 800 N, in vain, until the point it pulls to is too far away."""
    simulation = taken("purple cube 1.6 m at 3.5 3.5 facing 0", player("blue", 3.5, 2.2))
    forces = []
    for _ in range(8):
        act(simulation, 1, (1, 2, 3, 4, 1, 0))
        assert simulation.states.object_positions[0, 0, 2] == pytest.approx(0.8, abs=0.02)
        if not simulation.hand_is_holding[0]:
            break
        forces.append(float(simulation.hand_force[0]))
    assert forces[-1] == pytest.approx(BEAM_FORCE) and max(forces) <= BEAM_FORCE * (1 + 1e-9)
    assert not simulation.hand_is_holding[0] and simulation.hand_force[0] == 0.0


def test_two_players_pull_one_object():
    simulation = simulate(FLAT, CUBE, player("blue", 3.5, 2.3), player("red", 3.5, 4.7, -math.pi / 2))
    for p in range(2):
        look_at(simulation, p, simulation.states.object_positions[0, 0])
    act(simulation, 1, GRAB, GRAB)
    assert simulation.states.held[0, :, 0].tolist() == [True, True]
    act(simulation, 2, (0, 2, 3, 2, 1, 0), (0, 2, 3, 2, 1, 0))
    assert simulation.states.held.all() and (simulation.hand_force > 300.0).all()
    assert simulation.states.object_positions[0, 0, 1] == pytest.approx(7.0, abs=0.05)  # as strong as each other
    act(simulation, 6, (0, 2, 3, 2, 1, 0), NOOP)
    assert simulation.states.object_positions[0, 0, 1] < 6.0


@pytest.mark.parametrize("players", [1, 2])
def test_two_players_lift_what_one_cannot(players):
    """86 kg, 848 N: a beam pulls with 800 N."""
    simulation = simulate(
        FLAT, "purple cube 1.2 m at 3.5 3.5 facing 0", player("blue", 3.5, 2.4), player("red", 3.5, 4.6, -math.pi / 2)
    )
    for p in range(players):
        look_at(simulation, p, simulation.states.object_positions[0, 0])
    act(simulation, 1, *[GRAB] * players)
    assert simulation.hand_is_holding[:players].all()
    highest = 0.6
    for step in range(20):
        look = 4 if step < 2 else 2
        act(simulation, 1, *[(1, 2, 3, look, 1, 0)] * players)
        highest = max(highest, float(simulation.states.object_positions[0, 0, 2]))
    assert (highest > 0.9) == (players == 2) and (players == 2 or highest < 0.62)


def test_nobody_carries_himself():
    """A player who stands on a slab and lifts it stays where he is: the beam acts back."""
    simulation = simulate(FLAT, "black slab 2.6 m at 3.5 3.5 facing 1.5708", player("blue", 3.5, 2.0))
    act(simulation, 6, FORWARD)
    act(simulation, 3)
    assert simulation.states.player_positions[0, 0, 2] > 1.1
    look_at(simulation, 0, simulation.states.object_positions[0, 0] + (0, 0.5, 0.16))
    act(simulation, 1, GRAB)
    act(simulation, 8, (1, 2, 3, 4, 1, 0))
    act(simulation, 30, GRAB)
    assert simulation.states.player_positions[0, 0, 2] < 1.3


def test_a_beam_takes_the_first_object_on_its_axis_within_its_range():
    simulation = simulate(FLAT, CUBE, "black cube 1.2 m at 3.5 4.3 facing 0", player("blue", 3.5, 2.4))
    look_at(simulation, 0, simulation.states.object_positions[0, 1] - (0, 0.6, 0.3))
    act(simulation, 1, GRAB)
    assert simulation.states.held[0, 0].tolist() == [True, False]
    far = simulate(FLAT, CUBE, player("blue", 3.5, 1.2))
    look_at(far, 0, far.states.object_positions[0, 0])
    act(far, 3, GRAB)
    assert not far.hand_is_holding[0]
