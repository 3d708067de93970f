"""GridWorldLarge-v0: the same rules on a larger map, in lockstep with the plain ones; its pictures and editor."""

from collections import Counter

import gymnasium
import numpy as np
import pytest

from procgen_bench.envs.grid_world import GridWorldLargeEnv, rendering
from procgen_bench.envs.grid_world.editor import GridWorldLargeEditor
from procgen_bench.tasks.grid_world import LARGE_HORIZON, GridWorldLargeTask
from tests.tasks.grid_world.reference_world import ReferenceWorld

SPACE = GridWorldLargeEnv.task_space


def eventful_tasks(count: int, seed: int):
    """Open floors, with everything within a few steps of the start."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        tiles = rng.choice(3, (16, 16), p=[0.86, 0.1, 0.04]).astype(np.int8)
        spots = rng.permutation(64)[:13]
        objects = np.stack([spots % 8 + 1, spots // 8 + 1], axis=1).astype(np.int8)
        objects[rng.random(13) < 0.15] = -1
        for x, y in objects[objects[:, 0] != -1]:
            tiles[y - 1, x - 1] = 0
        yield GridWorldLargeTask(tiles, objects)


def play_in_lockstep(env, task: GridWorldLargeTask, actions) -> Counter:
    """Counts what the episode met."""
    world, seen = ReferenceWorld.of(task), Counter()
    observation, _ = env.reset(options={"task": task})
    for number, action in enumerate([None, *actions]):
        if action is not None:
            expected = world.step(int(action))
            observation, reward, terminated, truncated, info = env.step(int(action))
            assert (reward, terminated, info["success"]) == pytest.approx(expected, abs=1e-12)
            assert truncated == (number == LARGE_HORIZON)
            seen[world.event] += 1
            if terminated:
                break
        for name, values in world.observation().items():
            assert np.array_equal(observation[name], np.array(values)), f"step {number}: {name}\n{task.to_text()}"
    return seen


def test_random_play_equals_the_reference():
    env, rng, seen = gymnasium.make("GridWorldLarge-v0"), np.random.default_rng(5), Counter()
    uniform = [SPACE.decode(SPACE.sample(rng)) for _ in range(50)]
    for task in [*eventful_tasks(250, seed=6), *uniform]:
        seen += play_in_lockstep(env, task, rng.integers(4, size=LARGE_HORIZON))
    for number in range(1, 7):
        assert seen[f"key {number} opened its door"] >= 5, seen
    assert min(seen[event] for event in ("moved", "wall", "lava", "closed door", "goal", "key without a door")) >= 5


def test_solutions_of_the_targets_open_every_door():
    env = gymnasium.make("GridWorldLarge-v0")
    for task in SPACE.suite("targets"):
        seen = play_in_lockstep(env, task, SPACE.solve(task))
        assert seen["goal"] == 1 and all(seen[f"key {number} opened its door"] == 1 for number in range(1, 7))


def test_an_episode_ends_after_200_steps():
    env = gymnasium.make("GridWorldLarge-v0")
    env.reset(options={"task": "targets/A"})
    ends = [env.step(3)[2:4] for _ in range(LARGE_HORIZON)]
    assert ends == [(False, False)] * (LARGE_HORIZON - 1) + [(False, True)]


def test_pictures_show_the_whole_map_and_six_colours():
    env = GridWorldLargeEnv(render_mode="rgb_array")
    env.reset(seed=0, options={"task": "targets/C"})
    frame = env.render()
    assert frame.shape == (576, 576, 3) and frame.dtype == np.uint8
    for colour, (x, y) in zip(rendering.PAIR_COLOURS, env.task.objects[1:7].tolist(), strict=True):
        door = frame[32 * y : 32 * (y + 1), 32 * x : 32 * (x + 1)]
        assert (door == colour).all(axis=2).mean() > 0.4
    text = GridWorldLargeEnv(render_mode="ansi")
    text.reset(seed=0, options={"task": "targets/C"})
    lines = text.render().splitlines()
    assert lines[0] == lines[-1] == "#" * 18 and lines[1].startswith("#@") and lines[15] == "#.AB...CD...EF..G#"


def test_the_editor_draws_all_objects():
    editor = GridWorldLargeEditor()
    task = editor.blank()
    for brush in range(3, 16):
        task = editor.painted(task, brush, brush, brush)
    assert task.objects.tolist() == [[brush + 1, brush + 1] for brush in range(3, 16)]
    assert editor.label(task, 15, 15) == "key 6" and editor.layout(task).width == 576
