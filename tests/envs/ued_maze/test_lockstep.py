"""The compiled rules, the Minigrid library and the specification in plain Python, in lockstep."""

from collections import Counter

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from procgen_bench.tasks.ued_maze import UEDMazeTask, UEDMazeTaskSpace
from tests.envs.conformance.trajectory import assert_equal, check_backends_are_equal
from tests.tasks.ued_maze.reference_maze import ReferenceMaze

ID = "UEDMaze-v0"
SPACE = UEDMazeTaskSpace()
#: What must have happened, and how often, for a lockstep to have shown anything.
EVENTS = ("moved", "blocked", "turned", "nothing done", "goal seen", "goal reached", "out of time")


def chosen_actions(task: UEDMazeTask, rng: np.random.Generator) -> list[int]:
    """Those of a shortest solution, after some random ones have been taken back, or random ones throughout."""
    solution = SPACE.solve(task)
    if solution is None or rng.random() < 0.3:
        return rng.choice(7, 250, p=[0.15, 0.15, 0.5, 0.05, 0.05, 0.05, 0.05]).tolist()
    idle = [[0, 1], [1, 0], [3], [4], [5], [6]]
    return [action for place in rng.integers(6, size=rng.integers(20)) for action in idle[place]] + solution.tolist()


def play_in_lockstep(ours, library, task: UEDMazeTask | None, seed: int) -> Counter:
    """Play one episode in both backends and by the specification; counts what it met."""
    begun = [env.reset(seed=seed, options={"task": task}) for env in (ours, library)]
    assert_equal(*begun, "reset")
    task = ours.unwrapped.task
    assert task == library.unwrapped.task
    maze, seen = ReferenceMaze(task), Counter()
    pose = maze.start
    assert np.array_equal(begun[0][0]["image"], maze.image(pose))
    for number, action in enumerate(chosen_actions(task, np.random.default_rng(seed)), start=1):
        place = f"step {number} ({action}) of\n{task.to_text()}\n"
        before = pose
        pose, solved = maze.step(pose, action)
        found, expected = ours.step(action), library.step(action)
        assert_equal(found, expected, place)
        observation, reward, terminated, truncated, info = found
        assert (terminated, truncated, info["success"]) == (solved, number == 250, solved), place
        assert reward == (1 - 0.9 * (number / 250) if solved else 0.0), place
        assert np.array_equal(observation["image"], maze.image(pose)), place
        assert observation["direction"].tolist() == [direction == pose[2] for direction in range(4)], place
        seen["moved"] += pose[:2] != before[:2]
        seen["turned"] += pose[2] != before[2]
        seen["blocked"] += action == 2 and pose == before and not solved
        seen["nothing done"] += action > 2
        seen["goal seen"] += (observation["image"][..., 0] == 8).any()
        seen["goal reached"] += solved
        seen["out of time"] += truncated
        if terminated or truncated:
            break
    return seen


def check_lockstep(tasks: list[UEDMazeTask | None], at_least: int) -> None:
    ours, library = (gymnasium.make(ID, actions="published", backend=backend) for backend in ("numba", "minigrid"))
    seen: Counter = Counter()
    for seed, task in enumerate(tasks):
        seen += play_in_lockstep(ours, library, task, seed)
    for event in EVENTS:
        assert seen[event] >= at_least, f"'{event}': {seen}"


def test_backends_are_equal():
    """The published mazes, some of the random ones, and levels that the environments draw themselves."""
    check_lockstep([*SPACE.suite("named"), *SPACE.suite("random").tasks[::250], *[None] * 30], at_least=5)


@pytest.mark.slow
def test_backends_are_equal_over_10_000_episodes():
    few = list(UEDMazeTaskSpace(25).draw_solvable(np.random.default_rng(0), 3_000))
    check_lockstep([*SPACE.suite("named"), *SPACE.suite("random").tasks[::2], *few, *[None] * 1_992], at_least=50)


@pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.name)
def test_vector_environments_are_equal(mode):
    check_backends_are_equal(ID, mode)
