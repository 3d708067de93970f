"""How bodies and players move: figures in metres and seconds."""

import math

import mujoco
import numpy as np
import pytest

from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.driving import check
from procgen_bench.envs.xland.model import STEP_SECONDS
from procgen_bench.envs.xland.overlaps import separate
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland import load_suite
from procgen_bench.tasks.xland.entities import CUBE
from tests.envs.xland.scenes import FLAT, FORWARD, RAMP, SLOPE, act, place_object, player, simulate

#: Height of a player's centre above a flat floor, and of a level.
STANDING, LEVEL = 0.825, 1.2
BROWN, OLIVE = 0, 1


def centre(simulation, p: int = 0) -> np.ndarray:
    return simulation.states.player_positions[0, p].copy()


def test_a_sphere_rolls_down_a_ramp_and_others_stay():
    """It rolls with 5/7 of what gravity leaves it down a slope of 1.2 m in 2 m, less a twentieth of its weight."""
    things = [
        f"{thing} 0.6 m at {x} 4.5 facing {yaw}"
        for thing, x, yaw in (("purple sphere", 2.5, 0.0), ("yellow cube", 3.5, 0.3), ("yellow pyramid", 4.5, 0.3))
    ]
    simulation = simulate(SLOPE, *things, player("blue", 0.5, 0.5))
    before = simulation.states.object_positions[0].copy()
    act(simulation, 3)
    slope = math.atan2(1.2, 2.0)
    downhill = 5 / 7 * 9.81 * (math.sin(slope) - 0.05) * (3 * STEP_SECONDS) ** 2 / 2
    rolled = before[0] - simulation.states.object_positions[0, 0]
    assert rolled[1] == pytest.approx(downhill * math.cos(slope), rel=0.05)
    assert rolled[2] == pytest.approx(downhill * math.sin(slope), rel=0.05)
    act(simulation, 17)
    sphere, cube, pyramid = simulation.states.object_positions[0] - before
    assert sphere[1] < -4.0 and before[0, 2] + sphere[2] == pytest.approx(0.3, abs=0.01)
    assert np.abs(cube).max() < 0.01 and np.abs(pyramid).max() < 0.01


def test_a_sphere_comes_to_rest_and_sleeps():
    simulation = simulate(FLAT, "purple sphere 0.6 m at 3.5 3.5 facing 0", player("blue", 0.5, 0.5))
    simulation.bodies.object_motions[0, :3] = (1.0, 0.0, 0.0)
    act(simulation, 100)
    assert not simulation.bodies.awake[1]
    # From sliding at 1 m/s a sphere comes to roll at 5/7 m/s; a twentieth of its weight slows 7/5 of its mass.
    distance = (5 / 7) ** 2 / (2 * 0.05 * 9.81 * 5 / 7)
    assert simulation.states.object_positions[0, 0, 0] - 7.0 == pytest.approx(distance, abs=0.1)


def test_objects_begin_on_the_floor_and_stay_there():
    names = ("black cube", "purple sphere", "yellow pyramid", "black slab")
    things = [f"{name} 0.8 m at {1.5 + k} 2.5 facing {0.4 * k}" for k, name in enumerate(names)]
    simulation = simulate(FLAT, *things, player("blue", 0.5, 0.5))
    heights = simulation.states.object_positions[0, :, 2]
    np.testing.assert_allclose(heights, [0.4, 0.4, 0.2, 0.05], atol=1e-9)
    before = simulation.states.object_positions[0].copy(), simulation.states.object_rotations[0].copy()
    act(simulation, 30)
    np.testing.assert_allclose(simulation.states.object_positions[0], before[0], atol=2e-3)
    np.testing.assert_allclose(simulation.states.object_rotations[0], before[1], atol=2e-3)
    assert simulation.states.contacts[0, :, BROWN].all()


def test_a_pyramids_frame_has_its_base_a_quarter_of_its_height_below_the_centre():
    """Put on its apex's side it would not stand; put upright with its centre at a quarter of its height, it does."""
    simulation = simulate(FLAT, "yellow pyramid 1 m at 3.5 3.5 facing 0", player("blue", 0.5, 0.5))
    place_object(simulation, 0, (7.0, 7.0, 0.25))
    act(simulation, 20)
    np.testing.assert_allclose(simulation.states.object_positions[0, 0], (7.0, 7.0, 0.25), atol=2e-3)
    # On a side face, the centre is as far from the floor as from that face: 0.75 * 0.5 / sqrt(1.25).
    place_object(simulation, 0, (7.0, 7.0, 1.0), (math.cos(1.0), math.sin(1.0), 0.0, 0.0))
    act(simulation, 40)
    height = 0.75 * 0.5 / math.sqrt(1.25)
    assert simulation.states.object_positions[0, 0, 2] == pytest.approx(height, abs=0.01)


def test_a_slabs_longest_edge_lies_along_its_x():
    simulation = simulate(FLAT, "yellow slab 1.6 m at 3.5 3.5 facing 0", player("blue", 0.5, 0.5))
    heights = []
    for rotation in ((1, 0, 0, 0), (math.sqrt(0.5), math.sqrt(0.5), 0, 0), (math.sqrt(0.5), 0, math.sqrt(0.5), 0)):
        place_object(simulation, 0, (7.0, 7.0, 0.81), rotation)
        for _ in range(8):  # 1 s: enough to fall, not to topple
            act(simulation, 1)
        heights.append(float(simulation.states.object_positions[0, 0, 2]))
    np.testing.assert_allclose(heights, [0.1, 0.4, 0.8], atol=0.01)


def test_walking_speed():
    simulation = simulate(FLAT, player("blue", 3.5, 1.5))
    act(simulation, 3, FORWARD)
    y = centre(simulation)[1]
    act(simulation, 15, FORWARD)
    assert centre(simulation)[1] - y == pytest.approx(3.0 * 15 * STEP_SECONDS, rel=0.01)
    act(simulation, 3)
    y = centre(simulation)[1]
    act(simulation, 10)
    assert abs(centre(simulation)[1] - y) < 0.001
    x = centre(simulation)[0]
    act(simulation, 4, (1, 4, 3, 2, 0, 0))  # to the right, which is the east
    act(simulation, 3)
    # One and a half times the weight as force: 3 m/s are reached and lost within 0.2 s, on as long a way.
    assert centre(simulation)[0] - x == pytest.approx(3.0 * 4 * STEP_SECONDS, abs=0.05)


def test_turning_and_looking():
    simulation = simulate(FLAT, player("blue", 3.5, 3.5, 0.0))
    for turn, degrees in enumerate((-24, -8, -2, 0, 2, 8, 24)):
        before = float(simulation.states.player_yaws[0, 0])
        act(simulation, 1, (1, 2, turn, 2, 0, 0))
        assert math.degrees(simulation.states.player_yaws[0, 0] - before) == pytest.approx(degrees)
    for look, degrees in enumerate((-12, -4, 0, 4, 12)):
        before = float(simulation.states.player_pitches[0, 0])
        act(simulation, 1, (1, 2, 3, look, 0, 0))
        assert math.degrees(simulation.states.player_pitches[0, 0] - before) == pytest.approx(degrees)
    act(simulation, 20, (1, 2, 3, 4, 0, 0))
    assert math.degrees(simulation.states.player_pitches[0, 0]) == pytest.approx(80.0)


def test_a_player_walks_up_a_ramp_and_touches_the_upper_floor():
    simulation = simulate(RAMP, player("blue", 3.5, 2.5))
    act(simulation, 20, FORWARD)
    x, y, z = centre(simulation)
    assert (x, z) == pytest.approx((7.0, STANDING + LEVEL), abs=0.02) and y > 10.0
    assert simulation.states.contacts[0, 0].tolist() == [False, True, False, False, False, False]


def test_a_player_does_not_climb_a_level():
    simulation = simulate(RAMP, player("blue", 1.5, 2.5))
    act(simulation, 100, FORWARD)
    x, y, z = centre(simulation)
    assert (x, y, z) == pytest.approx((3.0, 10.0 - 0.3, STANDING), abs=0.02)
    assert simulation.states.contacts[0, 0].tolist() == [True, False, False, False, False, False]


def test_a_player_falls_off_a_ledge_unhurt():
    simulation = simulate(RAMP, player("blue", 1.5, 5.2, -math.pi / 2))
    act(simulation, 14, FORWARD)
    assert centre(simulation)[2] == pytest.approx(STANDING, abs=0.01)
    y = centre(simulation)[1]
    act(simulation, 5, FORWARD)
    assert y - centre(simulation)[1] == pytest.approx(2.0, abs=0.1)


def test_a_player_stands_on_a_ramp():
    simulation = simulate(RAMP, player("blue", 3.5, 4.5))
    act(simulation, 5)
    before = centre(simulation)
    act(simulation, 75)  # 10 s
    assert np.abs(centre(simulation) - before).max() < 0.12


@pytest.mark.parametrize("degrees", [28, 35, 45])
def test_a_leaned_slab_leads_to_the_upper_floor(degrees):
    simulation = simulate(RAMP, "black slab 2.6 m at 2.0 2.5 facing 0", player("blue", 1.5, 1.0))
    lean_on_ledge(simulation, 2.6, math.radians(degrees))
    act(simulation, 40, FORWARD)
    assert centre(simulation)[1] > 10.3 and centre(simulation)[2] == pytest.approx(STANDING + LEVEL, abs=0.02)
    assert simulation.states.contacts[0, 1, OLIVE]


def test_the_way_is_barred_without_the_slab():
    simulation = simulate(RAMP, "black slab 2.6 m at 5.0 2.5 facing 0", player("blue", 1.5, 1.0))
    act(simulation, 60, FORWARD)
    assert centre(simulation)[1] < 9.75


def test_a_slab_is_stepped_upon_and_a_cube_is_not():
    simulation = simulate(FLAT, "black slab 2.6 m at 1.5 3.5 facing 0", player("blue", 1.5, 2.0))
    act(simulation, 8, FORWARD)
    assert centre(simulation)[2] == pytest.approx(STANDING + 2.6 / 8, abs=0.05)
    simulation = simulate(FLAT, "black cube 0.6 m at 1.5 3.5 facing 0", player("blue", 1.5, 2.0))
    act(simulation, 60, FORWARD)
    assert centre(simulation)[2] == pytest.approx(STANDING, abs=0.01)
    assert simulation.states.object_positions[0, 0, 1] == pytest.approx(14.0 - 0.3, abs=0.02)  # pushed to the wall


@pytest.mark.parametrize("thing", ["black cube", "purple sphere", "yellow pyramid", "black slab", "player"])
def test_falls_are_free(thing):
    """7.5 m, five of the highest levels, in sqrt(2 h / g) = 1.24 s; it comes to rest without a hop."""
    things = [] if thing == "player" else [f"{thing} 0.6 m at 3.5 3.5 facing 0"]
    simulation = simulate(FLAT, *things, player("blue", 1.5, 1.5))
    body = simulation.bodies.player_places[0] if thing == "player" else simulation.bodies.object_poses[0]
    floor = float(body[2])
    body[2] += 7.5
    simulation.bodies.object_motions[:] = 0.0
    steps = math.floor(math.sqrt(2 * 7.5 / 9.81) / STEP_SECONDS)
    for step in range(1, steps + 1):
        act(simulation, 1)
        # The physics adds up speeds at the ends of its 10 ms: it is 6 cm ahead at the end.
        assert body[2] - floor == pytest.approx(7.5 - 9.81 / 2 * (step * STEP_SECONDS) ** 2, abs=0.08)
    act(simulation, 1)
    assert abs(body[2] - floor) < 0.05
    act(simulation, 5)
    assert body[2] == pytest.approx(floor, abs=0.01)


def test_what_falls_onto_something_rests_on_it():
    """From 6 m onto a slab of 12.5 cm: neither passes through it, nor is thrown."""
    simulation = simulate(
        FLAT, "black slab 1.0 m at 3.5 3.5 facing 0", "yellow cube 0.5 m at 5.5 5.5 facing 0", player("blue", 1.5, 1.5)
    )
    place_object(simulation, 1, (7.0, 7.0, 6.0))
    act(simulation, 30)
    np.testing.assert_allclose(simulation.states.object_positions[0, :, 2], [0.0625, 0.375], atol=0.01)


@pytest.mark.parametrize(("shape", "hop"), [("cube", 0.01), ("pyramid", 0.03)])
@pytest.mark.parametrize("size", [0.5, 0.8])
@pytest.mark.parametrize("aside", [0.0, 0.1])
def test_what_is_kicked_slides_and_does_not_hop(shape, hop, size, aside):
    """A player runs into it at 3 m/s, and stops: its middle rises by less than a few centimetres, and it slides on."""
    thing = f"black {shape} {size} m at {1.5 + aside} 3.0 facing 0"
    simulation = simulate(FLAT, thing, player("blue", 1.5, 1.5))
    before = simulation.states.object_positions[0, 0].copy()
    highest = fastest = 0.0
    for step in range(30):
        act(simulation, 1, FORWARD if step < 7 else NOOP)
        highest = max(highest, float(simulation.states.object_positions[0, 0, 2] - before[2]))
        fastest = max(fastest, float(np.hypot(*simulation.bodies.object_motions[0, :2])))
    assert highest < hop and 1.0 < fastest <= 4.0
    assert 0.2 < math.dist(simulation.states.object_positions[0, 0], before) < 2.0
    assert not simulation.bodies.awake[1]


def test_a_sliding_cube_stops_within_a_metre():
    simulation = simulate(FLAT, "black cube 0.6 m at 3.5 2.5 facing 0", player("blue", 0.5, 0.5))
    act(simulation, 2)
    simulation.bodies.object_motions[0, 1] = 3.0
    act(simulation, 15)
    slid = simulation.states.object_positions[0, 0, 1] - 5.0
    # From 3 m/s, by friction of about 0.45.
    assert slid == pytest.approx(3.0**2 / (2 * 0.45 * 9.81), rel=0.1)


def test_what_lies_deep_in_something_is_moved_out():
    """What stays fast is left, of two that move each moves by half; what was 10 cm deep is 1.5 cm deep then."""
    things = ["black cube 0.6 m at 1.5 2.5 facing 0", "yellow cube 0.6 m at 3.5 2.5 facing 0"]
    simulation = simulate(RAMP, *things, player("blue", 5.5, 2.5))
    place_object(simulation, 0, (3.0, 9.8, 0.32))
    place_object(simulation, 1, (11.0, 4.5, 0.32))  # the player is 0.3 m thick round (11, 5)
    separate(simulation.bodies.arrays, simulation.effects.arrays)
    places = simulation.bodies.object_poses[:, :3]
    np.testing.assert_allclose(places, [(3.0, 9.7 + 0.015, 0.32), (11.0, 4.5 - 0.0425, 0.32)], atol=1e-6)
    np.testing.assert_allclose(simulation.bodies.player_places[0], (11.0, 5.0 + 0.0425, STANDING), atol=1e-6)
    assert -simulation.bodies.data.contact.dist.min() == pytest.approx(0.015, abs=1e-6)


def test_what_is_thrown_by_no_impact_is_put_back():
    """A wrong contact, as MuJoCo makes one now and then, is made up for: nothing else here changes 30 m/s in 20 ms."""
    simulation = simulate(FLAT, "black cube 0.6 m at 3.5 3.5 facing 0", player("blue", 0.5, 0.5))
    act(simulation, 3)
    bodies, data = simulation.bodies, simulation.bodies.data
    noted = bodies.positions.copy(), bodies.velocities.copy()
    mujoco.mj_step(bodies.model, data, 2)
    data.qvel[:3] = (10.0, 20.0, 20.0)
    data.qpos[:3] += (0.1, 0.2, 0.2)
    assert check(bodies.objects, bodies.positions, bodies.velocities, noted)
    np.testing.assert_array_equal(bodies.object_poses[0], noted[0][:7])
    np.testing.assert_array_equal(bodies.object_motions[0], 0.0)
    before = simulation.states.object_positions[0, 0].copy()
    act(simulation, 1)
    np.testing.assert_allclose(simulation.states.object_positions[0, 0], before, atol=1e-3)
    assert np.abs(bodies.object_motions[0]).max() < 0.05


def test_no_object_begins_in_a_wrong_contact():
    """Of cubes that lie flat over the edge of a box, one in some hundred was thrown about: its edges were parallel to
    the box's to the last bit."""
    simulation = XLandSimulation(load_suite("test")["51"])
    before = simulation.states.object_positions[0].copy()
    act(simulation, 2)
    cubes = simulation.task.world.object_shapes == CUBE
    assert np.abs(simulation.states.object_positions[0] - before)[cubes].max() < 0.02


def test_players_do_not_pass_through_each_other():
    simulation = simulate(FLAT, player("blue", 3.5, 2.0), player("red", 3.5, 4.0, -math.pi / 2))
    act(simulation, 30, FORWARD, FORWARD)
    gap = np.hypot(*(centre(simulation, 1) - centre(simulation, 0))[:2])
    assert gap > 0.6 - 0.03


def test_acceleration_is_felt_in_the_players_axes():
    simulation = simulate(FLAT, player("blue", 3.5, 1.5, 1.0))
    act(simulation, 1, FORWARD)
    assert simulation.acceleration[0] == pytest.approx((1.5 * 9.81, 0.0, 0.0), abs=0.1)
    act(simulation, 5, FORWARD)
    assert np.abs(simulation.acceleration[0]).max() < 0.1
    act(simulation, 1, NOOP)
    assert simulation.acceleration[0, 0] == pytest.approx(-1.5 * 9.81, abs=0.1)


def lean_on_ledge(simulation, length: float, tilt: float) -> None:
    """Lean the slab on the ledge at y = 10 m, its lower edge on the floor and its length to the north."""
    cos, sin = math.cos(tilt), math.sin(tilt)
    along, normal = np.array([0.0, cos, sin]), np.array([0.0, -sin, cos])
    foot = np.array([3.0, 10.0 - LEVEL * cos / sin, 0.002])
    half = np.array([math.cos(tilt / 2), math.sin(tilt / 2)]) * math.sqrt(0.5)
    # A quarter turn to the north, then a tilt about the east.
    rotation = (half[0], half[1], -half[1], half[0])
    place_object(simulation, 0, foot + along * length / 2 + normal * length / 16, rotation)
