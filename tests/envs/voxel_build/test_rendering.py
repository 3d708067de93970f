import gymnasium
import numpy as np
import pytest

from procgen_bench.envs.voxel_build import VoxelBuildEnv, rendering
from procgen_bench.tasks.voxel_build.actions import ACTIONS
from procgen_bench.tasks.voxel_build.task import Rectangle

GOAL = Rectangle(6, 2, 9, 5, height=2, material=3).cuboid()
NUMBER = {name: number for number, name in enumerate(ACTIONS)}


def after(render_mode: str, *names: str, start=(5, 5, 0)) -> VoxelBuildEnv:
    env = VoxelBuildEnv(render_mode=render_mode)
    env.reset(options={"task": "test/0", "start": start, "goal": GOAL})
    for name in names:
        env.step(NUMBER[name])
    return env


def parts(env: VoxelBuildEnv) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The view, the arena and the goal."""
    frame = env.render()
    assert frame.shape == (320, 720, 3) and frame.dtype == np.uint8
    return frame[:, :480], frame[:160, 480:], frame[160:, 480:]


def test_the_view_is_the_observation_in_more_pixels():
    env = after("rgb_array", "look down", "place planks", "move left")
    view, observation = parts(env)[0].astype(int), env.simulation.observations["observation"][0]
    coarse = view.reshape(80, 4, 120, 4, 3).mean(axis=(1, 3))
    assert abs(coarse - observation).mean() < 6
    assert (view[160, 240] == rendering.CROSSHAIR_COLOUR).all()


def test_the_arena_shows_the_agent_and_the_goal_does_not():
    env = after("rgb_array")
    _, arena, goal = parts(env)
    agent = np.argwhere((arena == rendering.AGENT_COLOUR).all(axis=-1))
    assert len(agent) > 30 and abs(agent[:, 1].mean() - 119.5) < 2
    assert not (goal == rendering.AGENT_COLOUR).all(axis=-1).any()
    env.step(NUMBER["move right"])
    moved = np.argwhere((parts(env)[1] == rendering.AGENT_COLOUR).all(axis=-1))
    assert moved[:, 1].mean() > agent[:, 1].mean() + 5


def test_the_goal_shows_its_blocks_and_the_arena_those_that_stand():
    before, after_placing = (parts(after("rgb_array", *names)) for names in ((), ("look down", "place planks")))
    empty = parts(after("rgb_array"))[1]
    assert (before[2] != empty).any(axis=-1).sum() > 100
    assert np.array_equal(before[2], after_placing[2])
    assert (after_placing[1] != before[1]).any(axis=-1).sum() > 30


def test_an_agent_anywhere_can_be_drawn():
    for way in ("move forward", "move backward", "move left"):
        env = after("rgb_array", *[way] * 60)
        parts(env)


def test_text_shows_pose_stock_and_layers():
    env = after("ansi", "look down", "look down", "place planks", "place stone", "move right", "turn left")
    lines = env.render().split("\n")
    assert lines[0] == "at x=6 y=5 z=0, facing west, pitch -50"
    assert lines[1] == "left: stone 63, planks 63, diamond 64"
    assert lines[2] == "arena z=0    arena z=1    arena z=2    goal z=0     goal z=1     goal z=2"
    empty = "." * 11
    rows = [[empty] * 6 for _ in range(11)]
    rows[4][0], rows[4][1] = ".....p.....", ".....s....."
    rows[5][0] = "......<...."
    for y in (2, 3, 4, 5):
        rows[y][3] = rows[y][4] = "......d..d." if y in (3, 4) else "......dddd."
    assert [line.split("  ") for line in lines[3:]] == rows


def test_text_of_an_agent_on_top_or_outside_has_no_agent_in_it():
    pillar = after("ansi", *["look down"] * 3, *["jump and place stone"] * 3)
    assert "z=3" in pillar.render().split("\n")[0] and "^" not in pillar.render()
    assert "^" not in after("ansi", "move left", start=(0, 5, 0)).render()


@pytest.mark.parametrize("render_mode", ["rgb_array", "ansi"])
def test_a_vector_environment_renders_every_row_as_the_single_one(render_mode):
    env = gymnasium.make_vec("VoxelBuild-v0", num_envs=3, render_mode=render_mode)
    env.reset(seed=0)
    for picture, task in zip(env.render(), env.unwrapped.tasks, strict=True):
        single = VoxelBuildEnv(render_mode=render_mode)
        single.reset(options={"task": task})
        assert np.array_equal(picture, single.render())


def test_every_action_has_a_key():
    env = VoxelBuildEnv()
    assert sorted(env.keys_to_action.values()) == list(range(21)) == list(range(len(ACTIONS)))
    for key, way in {"w": (5, 4), "s": (5, 6), "a": (4, 5), "d": (6, 5)}.items():
        env.reset(options={"task": "test/0", "start": (5, 5, 0)})
        env.step(env.keys_to_action[key])
        assert tuple(env.simulation.poses[0, :2].tolist()) == way
