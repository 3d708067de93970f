"""Camera observations: what is seen, that it repeats, and that rows see what the single environment does."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.envs.fetch_blocks.controls import FetchBlocksControls
from procgen_bench.envs.fetch_blocks.rendering import CAMERAS, draw_frame, draw_image
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks import FetchBlocksStart
from procgen_bench.tasks.programs.zones import ZONES
from tests.tasks.fetch_blocks.test_tasks import TASK

SIDE = 480
#: Where nothing of the scene hides what lies on the table: x and y in front of the arm.
FRONT = np.array([[1.42, 0.6], [1.42, 0.9]])


def simulation_of(places=FRONT, gripper=(1.15, 0.75, 0.55)) -> FetchBlocksSimulation:
    simulation = FetchBlocksSimulation(len(places))
    levels = np.zeros(len(places), np.int8)
    simulation.begin(FetchBlocksStart(np.array(places), levels, np.array(gripper)))
    return simulation


def pixel_of(point) -> tuple[int, int]:
    """Row and column at which the camera (looking at (1.27, 0.74, 0.48) from 1.3 m, 45 degrees high) sees a point."""
    azimuth, elevation = np.deg2rad(148.0), np.deg2rad(-35.0)
    forward = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    right = np.cross(forward, [0, 0, 1]) / np.linalg.norm(np.cross(forward, [0, 0, 1]))
    up = np.cross(right, forward)
    offset = np.asarray(point) - (np.array([1.27, 0.74, 0.48]) - 1.3 * forward)
    scale = SIDE / 2 / np.tan(np.deg2rad(22.5)) / (offset @ forward)
    return round(SIDE / 2 - scale * (offset @ up)), round(SIDE / 2 + scale * (offset @ right))


def at(frame: np.ndarray, point) -> np.ndarray:
    row, column = pixel_of(point)
    return frame[row - 1 : row + 2, column - 1 : column + 2].mean(axis=(0, 1))


def is_orange(colour: np.ndarray) -> bool:
    return colour[0] > 1.3 * colour[2]


def is_blue(colour: np.ndarray) -> bool:
    return colour[2] > 1.3 * colour[0]


def test_blocks_goals_and_zones_are_drawn_where_they_are():
    places = np.array([[1.42, 0.55], [1.42, 0.7], [1.42, 0.85], [1.42, 1.0]])
    simulation, goal = simulation_of(places), np.array([[1.3, 0.5 + 0.15 * k, 0.6] for k in range(4)])
    goal[:, 0] = 1.4
    frame = draw_frame(simulation, goal)
    assert frame.shape == (SIDE, SIDE, 3) and frame.dtype == np.uint8
    for block, is_its_colour in enumerate((is_orange, is_orange, is_blue, is_blue)):
        assert is_its_colour(at(frame, [*places[block], 0.45])), f"block {block}"
        assert is_its_colour(at(frame, goal[block])), f"goal {block}"
    for zone, is_its_colour in zip(ZONES, (is_orange, is_blue)):
        x, y = zone.centre
        inside = zone.half_side - 0.01
        for corner in ([x - inside, y - inside], [x - inside, y + inside]):
            assert is_its_colour(at(frame, [*corner, 0.4]))
    assert at(frame, [1.3, 0.75, 0.4]).min() > 200, "between the zones is the white table"


def test_a_block_hides_the_sphere_at_its_place():
    simulation = simulation_of()
    frames = [draw_frame(simulation, simulation.positions), draw_frame(simulation, np.full((2, 3), -5.0))]
    assert np.array_equal(*frames)


@pytest.mark.parametrize("num_blocks", [2, 6])
def test_frames_repeat_and_drawing_keeps_the_state(num_blocks):
    env = gymnasium.make("FetchBlocks-v0", num_blocks=num_blocks, render_mode="rgb_array")
    env.reset(seed=0)
    simulation = env.unwrapped.simulation
    saved, first = simulation.save(), env.render()
    kept = simulation.data.xpos.copy(), simulation.data.time
    env.render()
    assert np.array_equal(simulation.data.xpos, kept[0]) and simulation.data.time == kept[1]
    env.step(np.array([0.5, 0, 0.5, 0], np.float32))
    second = env.render()
    assert not np.array_equal(first, second)
    simulation.load(saved)
    assert np.array_equal(env.render(), first)


def test_keys_lead_the_gripper_as_the_picture_shows_it():
    controls, simulation = FetchBlocksControls(), simulation_of(gripper=(1.3, 0.75, 0.5))
    ways = {"w": (-1, None), "s": (1, None), "a": (None, -1), "d": (None, 1), "up": (-1, None), "down": (1, None)}
    for key, (down, right) in ways.items():
        before = pixel_of(simulation.gripper)
        for _ in range(8):
            simulation.step(controls.action(frozenset({key, "left shift"})))
        row, column = (now - then for now, then in zip(pixel_of(simulation.gripper), before))
        assert down is None or row * down > 3, key
        assert right is None or column * right > 3, key
    assert controls.action(frozenset()).tolist() == [0, 0, 0, 1]
    assert controls.action(frozenset({"space"})).tolist() == [0, 0, 0, -1]
    slow, fast = (abs(controls.action(frozenset({"w", *more}))[:3]).max() for more in ((), ("left shift",)))
    assert slow < fast


def test_a_player_is_shown_what_is_not_in_its_place():
    env = gymnasium.make("FetchBlocks-v0")
    env.reset(options={"task": TASK})
    assert FetchBlocksControls().caption(env) == ("block 2 (blue): 0.11 m from its place",)
    env.reset(options={"task": TASK, "goal": TASK.start.positions})
    assert FetchBlocksControls().caption(env) == ("every block is in its place",)
    assert FetchBlocksControls().draw(env, "table").shape == (SIDE, SIDE, 3)


SIZE = 48
ACTION = np.array([0.2, -0.1, -0.3, -1.0], np.float32)


def make(environment_id="FetchBlocks-v0", camera="front", **keywords):
    return gymnasium.make(environment_id, camera=camera, image_size=SIZE, **keywords)


@pytest.mark.parametrize("environment_id, camera", [("FetchBlocks-v0", "top"), ("FetchProgram-v0", "gripper")])
def test_the_picture_is_one_more_part_of_the_observation(environment_id, camera):
    env, blind = make(environment_id, camera), gymnasium.make(environment_id)
    (observation, _), (without, _) = env.reset(seed=0), blind.reset(seed=0)
    assert env.observation_space.contains(observation) and observation["image"].shape == (SIZE, SIZE, 3)
    for action in (ACTION, ACTION):
        observation, without = env.step(action)[0], blind.step(action)[0]
        assert set(observation) - set(without) == {"image"}
        assert all(np.array_equal(observation[key], without[key]) for key in without)


def test_pictures_repeat_and_cameras_differ():
    simulation = FetchBlocksSimulation(4)
    first, second = ({camera: draw_image(simulation, camera, SIZE) for camera in CAMERAS} for _ in range(2))
    for camera in CAMERAS:
        assert np.array_equal(first[camera], second[camera])
        assert first[camera].std() > 10, "something is seen"
    assert not np.array_equal(first["front"], first["top"]) and not np.array_equal(first["top"], first["gripper"])


def test_from_the_top_a_block_is_where_its_place_says():
    simulation = FetchBlocksSimulation(2)
    places = np.array([[1.42, 0.55, 0.425], [1.42, 0.95, 0.425]])
    simulation.place(places)
    simulation.forward()
    image = draw_image(simulation, "top", 200).astype(float)
    scale = 100 / np.tan(np.deg2rad(22.5)) / (0.95 + 0.42 - 0.45)
    for x, y, _ in places:  # right in the picture is +y or -y, the same for both
        row = round(100 + scale * (x - 1.3))
        around = image[row - 2 : row + 3]
        column = [round(100 + side * scale * (y - 0.75)) for side in (1, -1)]
        orange = [around[:, c - 2 : c + 3].mean(axis=(0, 1)) for c in column]
        assert all(colour[0] > 1.3 * colour[2] for colour in orange), "both are orange, and mirror each other"


def test_rows_and_saved_states_see_what_the_single_environment_sees():
    env, other = make(), make()
    rows = gymnasium.make_vec(
        "FetchBlocks-v0", 3, vectorization_mode="vector_entry_point", num_threads=2, camera="front", image_size=SIZE
    )
    observation, _ = env.reset(seed=5, options={"task": TASK})
    in_rows, _ = rows.reset(seed=[5, 6, 7], options={"task": TASK})
    assert all(np.array_equal(image, observation["image"]) for image in in_rows["image"])
    for _ in range(3):
        observation, in_rows = env.step(ACTION)[0], rows.step(np.stack([ACTION] * 3))[0]
        assert all(np.array_equal(image, observation["image"]) for image in in_rows["image"])
    seen, _ = other.reset(options={"state": env.unwrapped.save_state()})
    assert np.array_equal(seen["image"], observation["image"])
    rows.close()


@pytest.mark.parametrize("keywords", [{"camera": "side"}, {"image_size": 0}, {"image_size": 481}])
def test_what_there_is_not_is_refused(keywords):
    with pytest.raises(InvalidOptionError, match=f"{next(iter(keywords))} is .*expected"):
        gymnasium.make("FetchBlocks-v0", **keywords)
