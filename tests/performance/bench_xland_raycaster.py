"""XLand's raycaster beside MuJoCo's own renderer, in one run and on one thread: ``make bench``.

A step is a picture of 72 x 96 pixels; worlds have 12 objects and 2 players, every one of which sees four ways. No time
is asserted.
"""

import numpy as np
import pytest

from procgen_bench.envs.xland.raycaster import draw_players
from procgen_bench.envs.xland.rays.scenery import scenery
from procgen_bench.envs.xland.views import draw_map
from procgen_bench.tasks.xland.predicates.camera import PICTURE_SHAPE
from procgen_bench.tasks.xland.worlds.generation import generate_world
from tests.envs.xland.mujoco_pictures import MujocoPictures
from tests.envs.xland.overview import draw_overview
from tests.envs.xland.stages import begin, repeated
from tests.performance.stepping import in_processor_seconds, time_steps

PLAYERS, YAWS, WORLDS = 2, 4, 25
#: Sides and highest levels of the worlds.
KINDS = {"open room of 9 x 9": (9, 0), "rough world of 9 x 9": (9, 5), "rough world of 15 x 15": (15, 5)}


def worlds_of(side: int, max_level: int) -> list:
    rng = np.random.default_rng(0)
    return [generate_world(rng, side, side, players=PLAYERS, max_level=max_level) for _ in range(WORLDS)]


@in_processor_seconds
@pytest.mark.parametrize("kind", KINDS)
def test_players_pictures(benchmark, kind):
    worlds = worlds_of(*KINDS[kind])
    states, scene = repeated(begin(worlds), YAWS), scenery(worlds)
    states.player_yaws[:] = np.random.default_rng(1).uniform(-np.pi, np.pi, states.player_yaws.shape)
    pictures = np.empty((len(states), PLAYERS, *PICTURE_SHAPE, 3), np.uint8)
    time_steps(
        benchmark, f"raycaster, {kind}", "ours", len(states) * PLAYERS, lambda: draw_players(states, scene, pictures)
    )
    assert len(np.unique(pictures.reshape(-1, 3), axis=0)) > 100


@in_processor_seconds
def test_one_state_at_a_time(benchmark):
    """What an environment of one row pays: the call, and the scenery's checks."""
    world = worlds_of(*KINDS["rough world of 9 x 9"])[0]
    states, scene = begin([world]), scenery([world])
    pictures = np.empty((1, PLAYERS, *PICTURE_SHAPE, 3), np.uint8)

    def advance() -> None:
        for yaw in range(YAWS):
            states.player_yaws[:] = 1.5 * yaw
            draw_players(states, scene, pictures)

    time_steps(benchmark, "raycaster, a call for a state", "ours", YAWS * PLAYERS, advance)


@in_processor_seconds
@pytest.mark.parametrize("draw", [draw_map, draw_overview])
def test_views(benchmark, draw):
    world = worlds_of(*KINDS["rough world of 15 x 15"])[0]
    states, scene = begin([world]), scenery([world])
    time_steps(benchmark, f"{draw.__name__}, 480 rows", "view", 1, lambda: draw(states, scene))


@in_processor_seconds
@pytest.mark.parametrize("kind", KINDS)
def test_mujocos_pictures(benchmark, kind):
    """The same pictures of the first world by MuJoCo's renderer: neither shadows nor multisampling."""
    world = worlds_of(*KINDS[kind])[0]
    states, scene = repeated(begin([world]), YAWS), scenery([world])
    states.player_yaws[:] = np.random.default_rng(1).uniform(-np.pi, np.pi, states.player_yaws.shape)
    out = np.empty((len(states), PLAYERS, *PICTURE_SHAPE, 3), np.uint8)
    with MujocoPictures() as pictures:
        time_steps(
            benchmark,
            f"MuJoCo's renderer, {kind}",
            "peer",
            len(states) * PLAYERS,
            lambda: pictures.draw_players(states, scene, out),
        )
    by_rays = draw_players(states, scene)
    assert (np.abs(out.astype(int) - by_rays) <= 24).all(axis=-1).mean() > 0.98
