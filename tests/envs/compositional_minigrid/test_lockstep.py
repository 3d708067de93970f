"""The compiled rules, the Minigrid library and the specification in plain Python, in lockstep."""

from collections import Counter
from itertools import islice

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTask
from tests.envs.compositional_minigrid.policies import POLICIES, SPACE, Policy
from tests.envs.conformance.trajectory import assert_equal, check_backends_are_equal
from tests.tasks.compositional_minigrid.reference_room import ReferenceRoom
from tests.tasks.compositional_minigrid.strategies import crowded_rooms

ID = "CompositionalMiniGrid-v0"
#: What must have happened, and how often, for a lockstep to have shown anything.
EVENTS = (
    "key picked up",
    "ball picked up",
    "key dropped",
    "ball dropped",
    "ball dropped in box",
    "box opened",
    "door opened",
    "door closed",
    "door opened again",
    "walked through the door",
    "goal, all done",
    "goal, too early",
    "out of time",
)


def play_in_lockstep(ours, library, task, seed: int, policy: Policy, steps: int) -> Counter:
    """Play one episode in both backends and by the specification; counts what it met."""
    begun = [env.reset(seed=seed, options={"task": task}) for env in (ours, library)]
    assert_equal(*begun, "reset")
    task = ours.unwrapped.task
    assert task == library.unwrapped.task
    room, seen = ReferenceRoom(task), Counter()
    state, share = room.start, 1 / (len(room.asked) + 1)
    for number, action in enumerate(islice(policy(task, np.random.default_rng(seed)), steps), start=1):
        place = f"step {number} ({action}) of\n{task.to_text()}\n"
        before = state
        state, at_goal = room.step(state, action)
        found, expected = ours.step(action), library.step(action)
        assert_equal(found, expected, place)
        observation, reward, terminated, truncated, info = found
        success = at_goal and state[-1] == room.asked
        assert (terminated, truncated, info["success"]) == (at_goal, number == 256, success), place
        assert reward == (share if success or state[-1] != before[-1] else 0.0), place
        assert observation["finished"].tolist() == [k in state[-1] for k in range(5)], place
        assert observation["position"].tolist() == list(state[:2]), place
        seen += events(room, before, state, at_goal, success)
        seen["out of time"] += truncated
        if terminated or truncated:
            break
    return seen


def events(room: ReferenceRoom, before, after, at_goal: bool, success: bool) -> Counter:
    """What has happened between two states."""
    (*_, key, ball, door, box, _), (*_, new_key, new_ball, new_door, new_box, _) = before, after
    return Counter(
        {
            "key picked up": key != "hand" and new_key == "hand",
            "ball picked up": ball != "hand" and new_ball == "hand",
            "key dropped": key == "hand" and new_key != "hand",
            "ball dropped": ball == "hand" and new_ball not in ("hand", "box"),
            "ball dropped in box": ball == "hand" and new_ball == "box",
            "box opened": box == "closed" and new_box == "open",
            "door opened": door == "locked" and new_door == "open",
            "door closed": door == "open" and new_door == "closed",
            "door opened again": door == "closed" and new_door == "open",
            "walked through the door": after[:2] == room.door,
            "goal, all done": success,
            "goal, too early": at_goal and not success,
        }
    )


def check_lockstep(tasks: list[CompositionalMiniGridTask | None], steps: int, at_least: int) -> None:
    ours, library = gymnasium.make(ID), gymnasium.make(ID, backend="minigrid")
    seen: Counter = Counter()
    for seed, task in enumerate(tasks):
        seen += play_in_lockstep(ours, library, task, seed, POLICIES[seed % len(POLICIES)], steps)
    for event in EVENTS:
        assert seen[event] >= at_least or (event == "out of time" and steps < 256), f"'{event}': {seen}"


@pytest.mark.parametrize("apart", [9, pytest.param(3, marks=pytest.mark.slow)])
def test_backends_are_equal(apart):
    """Some of the suite, crowded rooms, and tasks that the environments draw themselves."""
    tasks = [*SPACE.suite("test").tasks[::apart], *crowded_rooms(558 // apart, seed=1), *[None] * (300 // apart)]
    check_lockstep(tasks, steps=60, at_least=30 // apart)


def test_backends_run_out_of_time_alike():
    ours, library = gymnasium.make(ID), gymnasium.make(ID, backend="minigrid")
    room = CompositionalMiniGridTask.from_text(
        "subtasks: reach goal\n########\n#>....G#\n" + "#......#\n" * 5 + "########"
    )
    seen = play_in_lockstep(ours, library, room, 0, lambda task, rng: iter([6] * 300), 300)
    assert seen["out of time"] == 1


@pytest.mark.slow
def test_backends_are_equal_over_10_000_episodes():
    uniform = [SPACE.decode(SPACE.sample(np.random.default_rng(seed))) for seed in range(3_000)]
    tasks = [*SPACE.suite("test").tasks, *crowded_rooms(4_360, seed=2), *uniform, *[None] * 2_000]
    assert len(tasks) == 10_000
    check_lockstep(tasks, steps=256, at_least=50)


@pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.name)
def test_vector_environments_are_equal(mode):
    check_backends_are_equal(ID, mode)
