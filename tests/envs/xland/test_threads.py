"""Worlds shared out among threads of one process go as they go alone, bit for bit."""

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.envs.xland import XLandVectorEnv, parallel_env
from procgen_bench.envs.xland.actions import ACTION_CHOICES
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.envs.xland.simulation import DIVERGED
from procgen_bench.tasks.xland import load_suite
from tests.envs.conformance.trajectory import assert_equal
from tests.envs.xland.scenes import FLAT, player, simulate

THINGS = ["black cube 0.6 m at 3.5 3.5 facing 0", "purple sphere 0.8 m at 4.5 2.5 facing 0"]
TASKS = [
    simulate(FLAT, *THINGS, player("blue", 2.5 + 0.5 * k, 2.5), player("red", 5.5, 3.5, 3.0), game=game).task
    for k, game in enumerate(("near(me,black cube)\nsee(me,opponent)", "hold(me,purple sphere)\nsee(me,black cube)"))
]


def random_actions(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Of players that hold on to what they take, and walk more often than not."""
    actions = rng.integers(0, ACTION_CHOICES, (rows, 6)).astype(np.int8)
    actions[:, 0], actions[:, 4] = np.maximum(actions[:, 0], rng.integers(0, 3, rows)), rng.random(rows) < 0.9
    return actions


def compare_with_single_environments(tasks: list, steps: int, num_threads: int) -> None:
    """One player of each world, with saved states half-way."""
    env = XLandVectorEnv(len(tasks), observation="state", co_players="random", num_threads=num_threads)
    singles, rng = [XLandEnv(observation="state", co_players="random") for _ in tasks], np.random.default_rng(0)
    seen = env.reset(seed=5, options={"task": tasks})[0]
    expected = [single.reset(seed=5 + k, options={"task": tasks[k]})[0] for k, single in enumerate(singles)]
    for step in range(steps):
        for k, own in enumerate(expected):
            assert_equal({name: array[k] for name, array in seen.items()}, own, f"row {k} before step {step}")
        if step == steps // 2:
            env.reset(options={"state": [single.save_state() for single in singles]})
        actions = random_actions(rng, len(tasks))
        seen, rewards, _, truncations, infos = env.step(actions)
        found = [single.step(action) for single, action in zip(singles, actions)]
        expected = [own[0] for own in found]
        assert rewards.tolist() == [own[1] for own in found] and truncations.tolist() == [own[3] for own in found]
        assert_equal(infos["rewards"], np.array([own[4]["rewards"] for own in found]), "rewards of all players")
    env.close()


def compare_with_parallel_env(tasks: list, steps: int, num_threads: int) -> int:
    """All players of each world, with saved states half-way; returns how many rewards there were."""
    env = XLandVectorEnv(len(tasks), players="all", observation="state", tasks=tasks, num_threads=num_threads)
    worlds, rng, rewarded = [parallel_env(task, observation="state") for task in tasks], np.random.default_rng(0), 0
    env.reset(seed=5, options={"task": tasks})
    for k, world in enumerate(worlds):
        world.reset(seed=5 + k)
    for step in range(steps):
        if step == steps // 2:
            env.reset(options={"state": [world.save_state() for world in worlds]})
        actions = random_actions(rng, env.num_envs)
        seen, rewards, *_ = env.step(actions)
        for k, world in enumerate(worlds):
            found = world.step(dict(zip(world.agents, actions[env.seats * k :])))
            for row, (agent, own) in enumerate(found[0].items(), start=env.seats * k):
                assert_equal({name: array[row] for name, array in seen.items()}, own, f"{agent} of {k}, step {step}")
                assert rewards[row] == found[1][agent]
                rewarded += int(rewards[row])
    env.close()
    return rewarded


def test_rows_are_those_of_single_environments():
    compare_with_single_environments(TASKS, 12, 2)


def test_worlds_are_those_of_parallel_environments():
    assert compare_with_parallel_env([*TASKS, TASKS[0]], 12, 2) > 0


@pytest.mark.slow
def test_tasks_of_suites_are_those_of_single_and_parallel_environments():
    tasks = [*load_suite("hand_authored")][::6] + [*load_suite("test")][::170]
    compare_with_single_environments(tasks, 300, 2)
    assert compare_with_parallel_env(tasks, 300, 3) > 100


def test_a_world_that_diverges_ends_alone():
    env = XLandVectorEnv(2, players="all", observation="state", tasks=TASKS, num_threads=2)
    env.reset(seed=0)
    env.simulation._arenas[1].simulation.bodies.positions[0] = np.nan
    _, rewards, _, truncations, infos = env.step(random_actions(np.random.default_rng(0), 4))
    assert truncations.tolist() == [False, False, True, True] and not rewards[2:].any()
    assert infos["_reason"].tolist() == truncations.tolist() and infos["reason"][2] == DIVERGED
    _, _, _, truncations, infos = env.step(random_actions(np.random.default_rng(0), 4))
    assert not truncations.any() and "reason" not in infos
    env.close()


def test_threads_or_processes():
    with pytest.raises(InvalidOptionError, match="num_threads is 2 and num_workers 1, expected one of them"):
        XLandVectorEnv(2, num_threads=2, num_workers=1)
    with pytest.raises(InvalidOptionError, match="num_threads is 3, expected"):
        XLandVectorEnv(2, num_threads=3)
    with pytest.raises(InvalidOptionError, match="num_threads is 0, expected"):
        XLandVectorEnv(2, num_threads=0)
