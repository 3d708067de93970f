"""XLand's raycaster beside MuJoCo's own renderer, in one run and on one thread: ``make bench``.

A step is a picture of 72 x 96 pixels; worlds have 12 objects and 2 players, every one of which sees four ways. No time
is asserted.
"""

import os

import numpy as np
import pytest

from procgen_bench.envs.xland.colours import FLOOR_COLOURS, OBJECT_COLOURS
from procgen_bench.envs.xland.raycaster import draw_players
from procgen_bench.envs.xland.rays.scenery import WALL_HEIGHT, scenery
from procgen_bench.envs.xland.views import draw_map, draw_overview
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, PLAYER_HEIGHT, PLAYER_RADIUS, SLAB, SPHERE
from procgen_bench.tasks.xland.predicates.camera import PICTURE_SHAPE, VERTICAL_FIELD_OF_VIEW
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.tiles import TileKind
from tests.envs.xland.stages import begin, repeated
from tests.performance.stepping import in_processor_seconds, time_steps

PLAYERS, YAWS, WORLDS, PEER_PICTURES = 2, 4, 25, 20
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
        benchmark,
        f"raycaster, {kind}",
        "ours",
        len(states) * PLAYERS,
        lambda: draw_players(states, scene, pictures),
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
def test_mujoco_renderer(benchmark, kind):
    """A model of the first world from boxes, spheres and capsules; neither shadows nor multisampling."""
    os.environ.setdefault("MUJOCO_GL", "egl")
    import mujoco  # it reads the variable

    world = worlds_of(*KINDS[kind])[0]
    states = begin([world])
    model = mujoco.MjModel.from_xml_string(model_of(world, states))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with mujoco.Renderer(model, *PICTURE_SHAPE) as renderer:
        pictures = []

        def advance() -> None:
            pictures.clear()
            for number in range(PEER_PICTURES):
                renderer.update_scene(data, number % model.ncam)
                pictures.append(renderer.render())

        time_steps(benchmark, f"MuJoCo's renderer, {kind}", "peer", PEER_PICTURES, advance)
        assert np.mean([picture.std() for picture in pictures]) > 5


def model_of(world, states) -> str:
    """The world's tiles, walls, objects and players' cameras in MuJoCo's language; ramps and the like are boxes."""
    rows, columns = world.shape
    width, depth, level = world.tile_size.tolist()
    tops = (world.levels + 0.5 * (world.kinds != TileKind.FLAT)) * level
    wall = tops.max() + WALL_HEIGHT
    across, along = columns * width / 2, rows * depth / 2
    lines = [box((across, along, -0.5), (across, along, 0.5), (140, 140, 140))]
    for row, column in np.argwhere(tops > 0).tolist():
        half = tops[row, column] / 2
        colour = FLOOR_COLOURS[FLOORS[world.floors[row, column]]]
        centre = (column + 0.5) * width, (row + 0.5) * depth, half
        lines.append(box(centre, (width / 2, depth / 2, half), colour))
    for x, y, half_x, half_y in (
        (-0.5, along, 0.5, along),
        (2 * across + 0.5, along, 0.5, along),
        (across, -0.5, across, 0.5),
        (across, 2 * along + 0.5, across, 0.5),
    ):
        lines.append(box((x, y, wall / 2), (half_x, half_y, wall / 2), (206, 210, 216)))
    for k, shape in enumerate(world.object_shapes):
        half, colour = world.object_sizes[k] / 2, OBJECT_COLOURS[COLOURS[world.object_colours[k]]]
        sides = (half, half / 2, half / 8) if shape == SLAB else (half, half, half)
        lines.append(box(states.object_positions[0, k], sides, colour, "sphere" if shape == SPHERE else "box"))
    for p, (x, y, z) in enumerate(states.player_positions[0]):
        half = PLAYER_HEIGHT / 2 - PLAYER_RADIUS
        lines.append(box((x, y, z), (PLAYER_RADIUS, half, 0), (40, 84, 214), "capsule"))
        for yaw in np.arange(YAWS) * np.pi / 2 + world.player_yaws[p]:
            right, back = (np.sin(yaw), -np.cos(yaw), 0), (0.35 * np.cos(yaw), 0.35 * np.sin(yaw))
            lines.append(
                f'<camera pos="{x + back[0]} {y + back[1]} {z + 0.675}" xyaxes="{right[0]} {right[1]} 0 0 0 1" '
                f'fovy="{np.degrees(VERTICAL_FIELD_OF_VIEW)}"/>'
            )
    quality = '<visual><quality shadowsize="0" offsamples="0"/></visual>'
    return (
        f'<mujoco>{quality}<worldbody><light directional="true" dir="-1 -1 -2"/>{"".join(lines)}</worldbody></mujoco>'
    )


def box(centre, sides, colour, kind: str = "box") -> str:
    """A geom."""
    place, size = (" ".join(str(float(number)) for number in numbers) for numbers in (centre, sides))
    rgba = " ".join(str(part / 255) for part in colour)
    return f'<geom type="{kind}" pos="{place}" size="{size}" rgba="{rgba} 1"/>'
