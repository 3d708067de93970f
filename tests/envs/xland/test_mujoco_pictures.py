"""MuJoCo's pictures beside the raycaster's, of worlds in motion; and both beside the solids that are simulated."""

import os
import subprocess
import sys

import mujoco
import numpy as np
import pytest
from scipy.ndimage import maximum_filter, minimum_filter

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.engine.mujoco_rendering import OffscreenRenderer
from procgen_bench.envs.xland.actions import ACTION_CHOICES
from procgen_bench.envs.xland.model import GONE_GROUP
from procgen_bench.envs.xland.raycaster import draw_all_players, draw_players
from procgen_bench.envs.xland.rays.scenery import scenery
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.envs.xland.views import draw_map, draw_third_person
from procgen_bench.tasks.xland import XLandTaskSpace
from procgen_bench.tasks.xland.predicates.bodies import BODY, place_bodies
from procgen_bench.tasks.xland.predicates.camera import CAMERA, PICTURE_SHAPE, VERTICAL_FIELD_OF_VIEW
from tests.envs.xland.mujoco_pictures import MujocoPictures, look
from tests.envs.xland.overview import draw_overview
from tests.envs.xland.scenes import act, look_at
from tests.envs.xland.stages import ROOM, body_masks, stage

MOMENTS, STEPS_BETWEEN, PLAYERS = 5, 12, 2
#: Of how many worlds pictures are compared.
worlds = pytest.mark.parametrize("num_worlds", [2, pytest.param(4, marks=pytest.mark.slow)])
#: Colours (0 to 255) that differ by at most this much are alike: OpenGL's lights are not quite the raycaster's, and
#: lines between tiles are blurred in other ways.
ALIKE = 24


def moments(num_worlds: int):
    """Simulations at some steps of random play, in which players then look towards an object."""
    rng = np.random.default_rng(1)
    for _ in range(num_worlds):
        simulation = XLandSimulation(XLandTaskSpace().sample_task(rng, PLAYERS))
        scene = scenery([simulation.task.world])._replace(shadow_darkness=0.0)  # MuJoCo's pictures have none
        for moment in range(MOMENTS):
            actions = rng.integers(0, ACTION_CHOICES, (PLAYERS, len(ACTION_CHOICES)))
            for _ in range(STEPS_BETWEEN):
                simulation.step(actions)
            for p, position in enumerate(simulation.states.object_positions[0, 2 * moment :][:PLAYERS]):
                look_at(simulation, p, position)
            act(simulation, 1)
            yield simulation, scene


@pytest.fixture(scope="module")
def pictures():
    with MujocoPictures() as opened:
        yield opened


def away_from_edges(numbers: np.ndarray) -> np.ndarray:
    """Which pixels of a picture (of what they show, by number) have neighbours that show the same."""
    return minimum_filter(numbers, 3) == maximum_filter(numbers, 3)


def shown(masks: np.ndarray) -> np.ndarray:
    """The body that each pixel of a picture shows, 0 for none, from bool (bodies, rows, columns)."""
    return np.where(masks.any(axis=0), 1 + masks.argmax(axis=0), 0)


@worlds
def test_both_show_the_same_things(pictures, num_worlds):
    alike, alike_bodies, inner, bodies_seen = [], [], [], set()
    for simulation, scene in moments(num_worlds):
        by_rays = body_masks(simulation.states, scene)
        by_mujoco = body_masks(simulation.states, scene, pictures.draw_players)
        for p in range(PLAYERS):
            expected, found = shown(by_rays[:, p]), shown(by_mujoco[:, p])
            either = (expected > 0) | (found > 0)
            alike.append((expected == found).mean())
            alike_bodies.append((expected == found)[either])
            inner.append((expected == found)[away_from_edges(expected) & either])
            bodies_seen.update(expected.ravel().tolist())
    share, share_of_bodies = np.mean(alike), np.concatenate(alike_bodies).mean()
    away = np.concatenate(inner)
    print(
        f"of all pixels {share:.3%} show the same thing, of those that show a body to either {share_of_bodies:.2%}, "
        f"of those away from edges {away.mean():.3%} ({len(away)} pixels)"
    )
    assert len(bodies_seen) > 2.5 * num_worlds and len(away) > 1_000
    assert share > 0.9995
    assert share_of_bodies > 0.99
    assert away.mean() > 0.999


@worlds
def test_both_show_the_same_colours(pictures, num_worlds):
    shares = []
    for simulation, scene in moments(num_worlds):
        by_rays = draw_players(simulation.states, scene)
        by_mujoco = pictures.draw_players(simulation.states, scene)
        shares.append((np.abs(by_rays.astype(int) - by_mujoco) <= ALIKE).all(axis=-1).mean())
    print(f"{np.mean(shares):.2%} of the pixels have the same colour, {np.min(shares):.2%} in the worst moment")
    assert np.mean(shares) > 0.998
    assert np.min(shares) > 0.99


@pytest.mark.parametrize("view", [draw_map, draw_overview, draw_third_person])
def test_views_are_alike(pictures, view):
    simulation, scene = next(moments(1))
    sizes = {"height": 200} if view is draw_map else {"shape": (150, 200)}
    by_rays = view(simulation.states, scene, **sizes).astype(int)
    by_mujoco = view(simulation.states, scene, **sizes, draw=pictures.draw_cameras)
    assert by_mujoco.shape == by_rays.shape
    assert (np.abs(by_rays - by_mujoco) <= ALIKE).all(axis=-1).mean() > 0.99


@worlds
def test_rays_end_at_the_solids_that_are_simulated(num_worlds):
    """The depths of the raycaster's pictures beside MuJoCo's of the physics' own model."""
    errors = []
    for simulation, scene in moments(num_worlds):
        for expected, found in zip(depths_by_rays(simulation, scene), depths_of_solids(simulation)):
            ends = np.isfinite(expected)
            errors.append(np.abs(found[ends] - expected[ends]) / expected[ends])
    share = (np.concatenate(errors) < 0.01).mean()
    print(f"{share:.2%} of depths differ by less than 1 %")
    assert share > 0.998


def depths_by_rays(simulation, scene) -> list[np.ndarray]:
    """Metres ahead of every player at which the rays of its pixels end, infinite for the sky."""
    states, depths = simulation.states, []
    for p in range(PLAYERS):
        # The depths are those of the last picture.
        pictures, of_last = np.empty((1, p + 1, *PICTURE_SHAPE, 3), np.uint8), np.empty(PICTURE_SHAPE)
        tints = np.zeros((1, states.contacts.shape[1], 4), np.uint8)
        draw_all_players(states.scenes, states.arrays, scene, tints, pictures, of_last)
        depths.append(of_last)
    return depths


def depths_of_solids(simulation, near: float = 0.05, far: float = 100.0) -> list[np.ndarray]:
    states, model = simulation.states, simulation.bodies.model
    bodies, cameras = np.empty(states.contacts.shape[1], BODY), np.empty(PLAYERS, CAMERA)
    place_bodies(bodies, cameras, states.scenes, states.arrays, 0)
    depths, option, scene = [], mujoco.MjvOption(), mujoco.MjvScene(model, maxgeom=1000)
    model.vis.quality.offsamples = 0  # one depth a pixel, in its middle
    renderer = OffscreenRenderer(model)
    for p in range(PLAYERS):
        own = model.ngeom - PLAYERS + p
        group, model.geom_group[own] = model.geom_group[own], GONE_GROUP
        all_parts = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mj_kinematics(model, simulation.bodies.data)
        mujoco.mjv_updateScene(
            model, simulation.bodies.data, option, mujoco.MjvPerturb(), mujoco.MjvCamera(), all_parts, scene
        )
        model.geom_group[own] = group
        look(scene, cameras[p], VERTICAL_FIELD_OF_VIEW, near, far)
        shares = np.empty(PICTURE_SHAPE, np.float32)
        renderer.draw(scene, depths=shares)
        depths.append(near / (1 - shares.astype(np.float64) * (1 - near / far)))
    renderer.close()
    return depths


def test_what_is_gone_is_not_drawn_and_who_is_gone_sees_black(pictures):
    states, scene = stage(ROOM + "red player at 0.5 3.5\npurple cube at 2.5 3.5\ngreen player at 5.5 3.5 facing 3.1416")
    both = pictures.draw_players(states, scene)
    assert body_masks(states, scene, pictures.draw_players)[0].sum(axis=(1, 2)).min() > 20
    states.objects_present[:] = False
    states.players_present[0, 1] = False
    picture = pictures.draw_players(states, scene)
    assert (picture[0, 0] != both[0, 0]).any() and (picture[0, 1] == 0).all()
    assert not body_masks(states, scene, pictures.draw_players).any()


def test_worlds_follow_each_other_and_the_first_players_alone_can_be_drawn(pictures):
    rooms = [
        stage(ROOM + f"floors 0 {colour}\nred player at 3.5 3.5\ngreen player at 1.5 1.5")
        for colour in ("blue", "white")
    ]
    for (states, scene), brightest in zip(rooms * 2, (2, 0) * 2):
        first = pictures.draw_players(states, scene, np.empty((1, 1, 40, 60, 3), np.uint8))
        assert first[0, 0, -1, 30].argmax() == brightest or first[0, 0, -1, 30].min() > 150
        every = pictures.draw_players(states, scene, np.empty((1, 2, 40, 60, 3), np.uint8))
        np.testing.assert_array_equal(every[:, :1], first)


def test_pictures_of_any_size_and_after_closing():
    states, scene = stage(ROOM + "red player at 3.5 3.5\npurple cube at 5.5 3.5")
    opened = MujocoPictures()
    for shape in ((30, 40), (900, 1200), (30, 40)):  # more than MuJoCo has room for at first
        picture = opened.draw_players(states, scene, np.empty((1, 1, *shape, 3), np.uint8)).astype(int)
        by_rays = draw_players(states, scene, np.empty((1, 1, *shape, 3), np.uint8))
        assert (np.abs(picture - by_rays) <= ALIKE).all(axis=-1).mean() > 0.98
    opened.close()
    opened.close()
    np.testing.assert_array_equal(opened.draw_players(states, scene, np.empty((1, 1, *shape, 3), np.uint8)), picture)
    opened.close()


def test_bad_arguments_get_the_raycasters_errors(pictures):
    states, scene = stage(ROOM + "red player at 3.5 3.5")
    for draw in (draw_players, pictures.draw_players):
        with pytest.raises(InvalidTaskError, match="pictures"):
            draw(states, scene, np.empty((1, 2, 8, 8, 3), np.uint8))
        with pytest.raises(InvalidTaskError, match="tints"):
            draw(states, scene, tints=np.zeros((1, 2, 4), np.uint8))


PIXELS = """
import sys
import procgen_bench.envs.xland
env = procgen_bench.envs.xland.parallel_env(task="hand_authored/capture_the_cube", render_mode="rgb_array")
observations, _ = env.reset(seed=0)
observations, *_ = env.step(dict.fromkeys(env.agents, [2, 2, 3, 2, 0, 0]))
print(observations["player_1"]["rgb"].std() > 5, env.render().std() > 5)
print("OpenGL" in sys.modules, "procgen_bench.engine.mujoco_rendering" in sys.modules)
"""
DRAWN = """
from tests.envs.xland.mujoco_pictures import MujocoPictures
from procgen_bench.core.errors import ProcgenBenchError
from tests.envs.xland.scenes import act, look_at
from tests.envs.xland.stages import ROOM, stage
try:
    print(MujocoPictures().draw_players(*stage(ROOM + "red player at 3.5 3.5")).shape)
except ProcgenBenchError as error:
    print(error)
"""


def output_without_egl(program: str) -> str:
    clean = {
        name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "MUJOCO_GL")
    }
    environment = clean | {"MUJOCO_EGL_DEVICE_ID": "99"}
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, timeout=120
    ).stdout


def test_without_egl_pixels_come_from_the_raycaster_and_mujocos_are_refused_with_one_line():
    found = output_without_egl(PIXELS + DRAWN)
    by_rays = "True True\nFalse False\n"
    assert found.startswith(by_rays)
    found = found.removeprefix(by_rays)
    assert found.startswith("MuJoCo cannot render here (") and "apt-get install libegl1" in found
    assert found.count("\n") == 1
