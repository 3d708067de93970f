"""VoxelBuildSmall-v0: the same rules in a smaller arena, and what its agent observes."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.success import success_info
from procgen_bench.envs.voxel_build import VoxelBuildSmallEnv
from procgen_bench.tasks.voxel_build import VoxelBuildTask
from procgen_bench.tasks.voxel_build.actions import ACTIONS
from procgen_bench.tasks.voxel_build.task import Rectangle
from tests.envs.voxel_build.test_dynamics import NUMBER, random_builder
from tests.tasks.voxel_build.reference_world import ReferenceWorld, goal_blocks

ID = "VoxelBuildSmall-v0"
SPACE = VoxelBuildSmallEnv.task_space


@pytest.mark.parametrize("reward", ["sparse", "distance"])
def test_random_play_equals_the_reference(reward):
    env, rng = gymnasium.make(ID, reward=reward), np.random.default_rng(4)
    left, climbed, placed = 0, 0, 0
    for episode in range(40):
        task = SPACE.sample_task(rng) if episode % 2 else SPACE.decode(SPACE.sample(rng))
        world = ReferenceWorld.of(task, side=5, distance_reward=reward == "distance")
        env.reset(options={"task": task})
        for action in random_builder(rng, 100):
            expected_reward, expected_success = world.step(int(action))
            observation, earned, terminated, _, info = env.step(int(action))
            assert (earned, terminated, info["success"]) == (expected_reward, expected_success, expected_success)
            assert goal_blocks(observation["achieved_goal"]) == world.blocks, ACTIONS[action]
            x, y, z = world.at
            expected = [*np.clip([x, y], -5, 9), z, world.heading, world.pitch]
            assert observation["observation"].tolist() == expected, ACTIONS[action]
            left, climbed, placed = left + (not 0 <= x < 5), climbed + (z > 0), max(placed, len(world.blocks))
    assert min(left, climbed) > 50 and placed > 10


def test_the_builder_completes_the_suite_in_the_real_environment():
    env, suite = gymnasium.make(ID), SPACE.suite("small")
    for task, length in zip(suite.tasks[::10], suite.records["length"][::10], strict=True):
        env.reset(options={"task": task})
        outcomes = [env.step(int(action))[1:] for action in SPACE.solve(task)]
        assert [outcome[0] for outcome in outcomes] == [0.0] * (length - 1) + [1.0]
        assert outcomes[-1][1:] == (True, False, success_info(True) | {"completion": 1.0})


def test_from_beyond_what_is_observed_no_cell_is_in_reach():
    env = VoxelBuildSmallEnv()
    env.reset(options={"task": "small/0", "start": (4, 2, 1)})
    for _ in range(5):
        env.step(NUMBER["move forward"])
    env.step(NUMBER["turn round"])
    seen = env.step(NUMBER["look down"])[0]
    assert seen["observation"].tolist() == [9, 2, 0, 3, 2]
    for name in ("look down", "look up", "look up", "look up"):  # every pitch that reaches the ground or a block
        assert not env.step(NUMBER["place stone"])[0]["achieved_goal"].any()
        env.step(NUMBER[name])
    for _ in range(4):
        seen = env.step(NUMBER["move backward"])[0]
    assert seen["observation"][0] == 9  # the nearest that is observed


def test_one_vector_is_observed_where_it_is_asked_for():
    vector, _ = gymnasium.make(ID, flat=True).reset(seed=0)
    assert vector.shape == (2 * 75 + 5,) and vector[-5:].tolist()[:3] == [2, 2, 0]


def test_the_arena_and_the_goal_are_drawn():
    goal = Rectangle(0, 0, 4, 4, height=2, material=3).cuboid(5)
    env = VoxelBuildSmallEnv(render_mode="rgb_array")
    env.reset(options={"task": VoxelBuildTask(np.array([2, 2, 0], np.int8), goal)})
    before = env.render()
    for name in ("look down", "look down", "place diamond"):
        env.step(NUMBER[name])
    after = env.render()
    assert before.shape == (320, 720, 3)
    assert (before[:160, 480:] != after[:160, 480:]).any(axis=-1).sum() > 100  # a block more in the arena
    assert np.array_equal(before[160:, 480:], after[160:, 480:])
    turquoise = (before[160:, 480:, 1] > before[160:, 480:, 0].astype(int) + 60).mean()
    assert turquoise > 0.1  # the goal's walls


def test_text_has_five_lines():
    env = VoxelBuildSmallEnv(render_mode="ansi")
    env.reset(options={"task": "small/0"})
    assert len(env.render().split("\n")) == 3 + 5
