"""The compiled rules against the rules in plain Python, in lockstep, and what single actions do."""

from collections import Counter
from itertools import islice

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.success import success_info
from procgen_bench.envs.voxel_build import VoxelBuildEnv
from procgen_bench.tasks.voxel_build import VoxelBuildTask, VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.actions import ACTIONS
from tests.envs.conformance import vector_checks
from tests.tasks.voxel_build.reference_world import ReferenceWorld, goal_blocks

SPACE = VoxelBuildTaskSpace()
NUMBER = {name: number for number, name in enumerate(ACTIONS)}
X, Y, Z = range(3)


def random_builder(rng: np.random.Generator, steps: int) -> np.ndarray:
    """Random actions that look down early and often place, break and climb."""
    likely = [*range(1, 9), 13, 13, *range(14, 21), 14, 17, 18, 19, 20]
    return np.where(rng.random(steps) < 0.3, rng.integers(21, size=steps), rng.choice(likely, size=steps))


def play_in_lockstep(env, task: VoxelBuildTask, actions, **options) -> Counter:
    """Counts what the episode met."""
    world, seen = ReferenceWorld.of(task, **options), Counter()
    simulation = env.unwrapped.simulation
    observation, info = env.reset(options={"task": task})
    assert info == success_info(False) | {"completion": 0.0} and not observation["achieved_goal"].any()
    for number, action in enumerate(actions, start=1):
        before, blocks = world.at, dict(world.blocks)
        expected_reward, expected_success = world.step(int(action))
        observation, reward, terminated, truncated, info = env.step(int(action))
        place = f"step {number}, {ACTIONS[action]}, from {before}"
        expected = (expected_reward, expected_success, expected_success)
        assert (reward, terminated, info["success"]) == expected, place
        assert truncated == (number == 100), place
        assert goal_blocks(observation["achieved_goal"]) == world.blocks, place
        assert goal_blocks(observation["desired_goal"]) == world.goal, place
        assert simulation.poses[0].tolist() == [*world.at, world.heading, world.pitch], place
        assert simulation.inventories[0].tolist() == list(world.stock.values()), place
        assert simulation.distances[0] == world.distance(), place
        name = ACTIONS[action].split(" ")[0] if "and" not in ACTIONS[action] else "pillar"
        changed = len(world.blocks) - len(blocks)
        seen[name + (" changed" if changed or before != world.at else " refused")] += 1
        seen["climbed"] += world.at[2] > before[2] and changed == 0
        seen["fell"] += world.at[2] < before[2]
        seen["stood on the top layer"] += world.at[2] == 3
        seen["left the arena"] += not (0 <= world.at[0] < 11 and 0 <= world.at[1] < 11)
        seen["solved"] += terminated
        seen["paid the distance"] += reward < 0
        if terminated:
            break
    return seen


@pytest.mark.parametrize("reward", [pytest.param("sparse", marks=pytest.mark.slow), "distance"])
def test_random_play_equals_the_reference(reward):
    env, rng = gymnasium.make("VoxelBuild-v0", reward=reward), np.random.default_rng(5)
    seen: Counter = Counter()
    for episode in range(80):
        task = SPACE.sample_task(rng) if episode % 2 else SPACE.decode(SPACE.sample(rng))
        seen += play_in_lockstep(env, task, random_builder(rng, 100), distance_reward=reward == "distance")
    for event in (
        *[
            f"{name} {outcome}"
            for name in ("move", "jump", "place", "pillar", "break")
            for outcome in ("changed", "refused")
        ],
        "climbed",
        "fell",
        "stood on the top layer",
        "left the arena",
    ):
        assert seen[event] >= 5, f"random play met '{event}' {seen[event]} times: {seen}"
    assert (seen["paid the distance"] > 70) == (reward == "distance")


@pytest.mark.parametrize("reward", ["sparse", "distance"])
def test_solutions_equal_the_reference(reward):
    env = gymnasium.make("VoxelBuild-v0", reward=reward)
    for task in SPACE.suite("test").tasks[:40]:
        seen = play_in_lockstep(env, task, SPACE.solve(task), distance_reward=reward == "distance")
        assert seen["solved"] == 1 and seen["paid the distance"] == 0


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.slow)])
def test_the_builder_completes_every_task_of_the_suite_in_the_real_environment(every):
    """The single environment with its time limit of 100 steps, at exactly the recorded lengths."""
    env, suite = gymnasium.make("VoxelBuild-v0"), SPACE.suite("test")
    for number, (task, length) in islice(enumerate(zip(suite, suite.records["length"], strict=True)), 0, None, every):
        env.reset(options={"task": task})
        outcomes = [env.step(int(action))[1:] for action in SPACE.solve(task)]
        assert [outcome[0] for outcome in outcomes] == [0.0] * (length - 1) + [1.0], f"test/{number}"
        assert outcomes[-1][1:] == (True, False, success_info(True) | {"completion": 1.0}), f"test/{number}"


def after(*names: str, start=(5, 5, 0)) -> VoxelBuildEnv:
    """An environment after the named actions, from ``start``, with a far goal."""
    env = VoxelBuildEnv()
    env.reset(options={"task": "test/0", "start": start})
    for name in names:
        env.step(NUMBER[name])
    return env


def blocks(env: VoxelBuildEnv) -> dict:
    return goal_blocks(env.simulation.arenas[0])


DOWN = ("look down", "look down")


def test_two_blocks_are_stacked_without_another_look():
    assert blocks(after(*DOWN, *["place diamond"] * 2)) == {(5, 4, 0): 3, (5, 4, 1): 3}
    assert len(blocks(after(*DOWN, *["place diamond"] * 9))) == 2  # the side of the tower is too close to build on


def test_every_pitch_looks_at_its_own_place():
    assert blocks(after("look down", "place stone")) == {(5, 2, 0): 1}
    assert blocks(after(*DOWN, "place stone")) == {(5, 4, 0): 1}
    for pitch in ([], ["look up"], ["look up"] * 2, ["look up"] * 9, ["look down"] * 9):
        assert blocks(after(*pitch, "place stone")) == {}


def test_blocks_are_placed_in_the_arena_only():
    assert blocks(after(*DOWN, "place stone", start=(5, 0, 0))) == {}
    assert blocks(after("move forward", "turn round", *DOWN, "place stone", start=(5, 0, 0))) == {(5, 0, 0): 1}


def test_a_pillar_lifts_the_agent_to_the_top_layer_and_no_higher():
    env = after(*["look down"] * 3, *["jump and place planks"] * 5)
    assert blocks(env) == {(5, 5, z): 2 for z in range(3)} and env.simulation.poses[0, Z] == 3
    for height in (2, 1, 0, 0):
        env.step(NUMBER["break"])
        assert env.simulation.poses[0, Z] == height
    assert blocks(env) == {} and env.simulation.inventories[0].tolist() == [64] * 3


def test_a_jump_climbs_one_block_and_a_move_none():
    tower = (*DOWN, "place stone")
    assert after(*tower, "move forward").simulation.poses[0, :3].tolist() == [5, 5, 0]
    assert after(*tower, "jump forward").simulation.poses[0, :3].tolist() == [5, 4, 1]
    assert after(*tower, "jump forward", "move forward").simulation.poses[0, :3].tolist() == [5, 3, 0]
    assert after(*tower, "place stone", "jump forward").simulation.poses[0, :3].tolist() == [5, 5, 0]


def test_sixty_four_blocks_of_a_type_are_all():
    env = VoxelBuildEnv()
    env.reset(options={"task": "test/0"})
    env.simulation.inventories[0, 1] = 1
    for name in (*DOWN, "place planks", "move left", "place planks", "place stone"):
        env.step(NUMBER[name])
    assert blocks(env) == {(5, 4, 0): 2, (4, 4, 0): 1}
    assert env.simulation.inventories[0].tolist() == [63, 0, 64]


def test_the_distance_is_paid_at_the_chosen_horizon_only():
    for make in (gymnasium.make, gymnasium.make_vec):
        env = make("VoxelBuild-v0", reward="distance", horizon=7, max_episode_steps=10)
        env.reset(seed=0, options={"task": "test/3"})
        wait = 0 if make is gymnasium.make else np.zeros(1, int)
        rewards = [float(np.squeeze(env.step(wait)[1])) for _ in range(10)]
        assert rewards == [0] * 6 + [-SPACE.suite("test").records["blocks"][3]] + [0] * 3


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reward": "dense"}, "reward is 'dense', expected one of ['sparse', 'distance']"),
        ({"horizon": 0}, "horizon is 0, expected an integer of at least 1"),
    ],
)
def test_bad_arguments_are_refused(make, options, message):
    with pytest.raises(InvalidOptionError) as caught:
        make("VoxelBuild-v0", **options)
    assert str(caught.value) == message


def test_rows_equal_single_with_options():
    vector_checks.check_rows_equal_single(
        lambda **keywords: gymnasium.make_vec("VoxelBuild-v0", reward="distance", tasks="test", **keywords),
        lambda: gymnasium.make("VoxelBuild-v0", reward="distance", tasks="test"),
        AutoresetMode.SAME_STEP,
    )


def test_environments_draw_what_the_space_draws():
    """Sizes of a fresh vector environment's goals are distributed as ``sample_task``'s; starts are the centre."""
    env = gymnasium.make_vec("VoxelBuild-v0", num_envs=1_000)
    observations, _ = env.reset(seed=1)
    sizes = np.count_nonzero(observations["desired_goal"], axis=(1, 2, 3))
    rng = np.random.default_rng(2)
    expected = np.array([np.count_nonzero(SPACE.sample_task(rng).goal) for _ in range(1_000)])
    for limit in (4, 8, 16, 24, 33):
        assert abs(np.mean(sizes <= limit) - np.mean(expected <= limit)) < 0.06
    starts = np.array([task.start for task in env.unwrapped.tasks])
    assert (starts[:, :2] == 5).all() and np.bincount(starts[:, 2]).min() > 200
    assert np.bincount(observations["desired_goal"].max(axis=(1, 2, 3)))[1:].min() > 275


def test_observations_are_the_simulation_s_arrays():
    env = gymnasium.make_vec("VoxelBuild-v0", num_envs=2, copy=False)
    observations, _ = env.reset(seed=0)
    before = observations["observation"].copy()
    for name in (*DOWN, "place planks"):
        env.step(np.full(2, NUMBER[name]))
    assert (observations["achieved_goal"] == 2).sum() == 2
    assert (observations["observation"] != before).any()
