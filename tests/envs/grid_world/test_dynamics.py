"""The compiled rules against the specification in plain Python, in lockstep."""

from collections import Counter

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.success import success_info
from procgen_bench.tasks.grid_world import GridWorldTask, GridWorldTaskSpace
from tests.tasks.grid_world.reference_world import DOWN, LEFT, RIGHT, UP, ReferenceWorld
from tests.tasks.grid_world.strategies import eventful_tasks

SPACE = GridWorldTaskSpace()


def assert_same_observation(found: dict, world: ReferenceWorld, place: str) -> None:
    expected = world.observation()
    assert set(found) == set(expected)
    for name, values in expected.items():
        assert found[name].dtype == np.float32
        assert np.array_equal(found[name], np.array(values)), f"{place}: {name} is {found[name]}, expected {values}"


def play_in_lockstep(env, task: GridWorldTask, actions) -> Counter:
    """Counts what the episode met."""
    world, seen = ReferenceWorld.of(task), Counter()
    opened: set[tuple[int, int]] = set()
    observation, info = env.reset(options={"task": task})
    assert_same_observation(observation, world, "reset")
    assert info == success_info(False)
    for number, action in enumerate(actions, start=1):
        doors = {spot for name, spot in world.places.items() if name.startswith("door")}
        expected = world.step(int(action))
        observation, reward, terminated, truncated, info = env.step(int(action))
        place = f"step {number} ({world.event}) of\n{task.to_text()}\n"
        assert (reward, terminated, info["success"]) == pytest.approx(expected, abs=1e-12), place
        assert truncated == (number == 50), place
        assert_same_observation(observation, world, place)
        seen[world.event] += 1
        opened |= doors - set(world.places.values())
        seen["went through an opened door"] += world.event == "moved" and world.position in opened
        if terminated:
            break
    return seen


def test_random_play_equals_the_reference():
    env, rng = gymnasium.make("GridWorld-v0"), np.random.default_rng(5)
    uniform = [SPACE.decode(SPACE.sample(rng)) for _ in range(300)]
    seen: Counter = Counter()
    for task in [*eventful_tasks(400, seed=6), *uniform]:
        seen += play_in_lockstep(env, task, rng.integers(4, size=50))
    for event in (
        "moved",
        "wall",
        "lava",
        "closed door",
        "goal",
        "started on the goal",
        "key 1 opened its door",
        "key 2 opened its door",
        "key without a door",
        "went through an opened door",
    ):
        assert seen[event] >= 5, f"random play met '{event}' {seen[event]} times: {seen}"


def test_solutions_equal_the_reference():
    env = gymnasium.make("GridWorld-v0")
    for task in [*SPACE.suite("targets"), *SPACE.suite("graded")]:
        seen = play_in_lockstep(env, task, SPACE.solve(task))
        assert seen["goal"] == 1


def world_from(*rows: str) -> GridWorldTask:
    rows = [row.ljust(8, ".") for row in rows]
    return GridWorldTask.from_text("\n".join(rows + ["........"] * (8 - len(rows))))


@pytest.mark.parametrize(
    ("task", "actions", "rewards"),
    [
        (world_from("G"), [RIGHT], [-1.001]),
        (world_from("G"), [LEFT], [-1.001]),
        (world_from(".G"), [RIGHT], [0.999]),
        (world_from("#.G"), [RIGHT, LEFT, RIGHT], [-0.001, -0.002, 0.999]),
        (world_from("~.G"), [RIGHT, LEFT], [-0.001, -0.501]),
        (world_from("A.G"), [RIGHT, LEFT], [-0.001, -0.501]),
        (world_from("a.A"), [RIGHT, LEFT, RIGHT, RIGHT], [-0.001, -0.001, -0.001, -0.001]),
        (world_from("a.A"), [RIGHT, RIGHT], [-0.001, -0.501]),
        (world_from(".aAbB"), [RIGHT] * 4, [-0.001] * 4),
        (world_from(".bA"), [RIGHT, RIGHT], [-0.001, -0.501]),
        (world_from(".a"), [RIGHT, LEFT, RIGHT], [-0.001] * 3),
        (world_from(), [UP, LEFT, DOWN, UP], [-0.002, -0.002, -0.001, -0.001]),
        (world_from(".#"), [RIGHT] * 50, [-0.002] * 50),
    ],
    ids=[
        "start on the goal",
        "start on the goal, into the wall",
        "goal beside",
        "start in a wall, and back",
        "start in lava, and back",
        "start on a door, and back",
        "start on a key: taken on coming back",
        "start on a key: not taken",
        "both keys, both doors",
        "the other door's key",
        "a key without a door",
        "border walls",
        "50 steps against a wall",
    ],
)
def test_rewards_of_the_specification(task, actions, rewards):
    env = gymnasium.make("GridWorld-v0")
    env.reset(options={"task": task})
    assert [env.step(action)[1] for action in actions] == pytest.approx(rewards, abs=1e-12)
    play_in_lockstep(env, task, actions)


def test_uniform_draws_are_played_as_their_tasks():
    """What a reset without a task draws, is the task that ``task`` reports."""
    env, again = (gymnasium.make("GridWorld-v0") for _ in range(2))
    env.reset(seed=7)
    for _ in range(200):
        observation, _ = env.reset()
        expected, _ = again.reset(options={"task": env.unwrapped.task})
        assert all(np.array_equal(observation[name], expected[name]) for name in expected)
        env.unwrapped.task.validate()
