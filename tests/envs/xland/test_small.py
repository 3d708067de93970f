"""XLandSmall-v0: XLand's environment with other numbers, its suite, and who plays there."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.errors import UnknownNameError
from procgen_bench.envs.xland import XLandEnv, solve_small
from procgen_bench.envs.xland.actions import ACTION_CHOICES
from procgen_bench.tasks.xland import SMALL, TEST_CO_PLAYERS, load_suite
from tests.envs.conformance.trajectory import assert_equal

ID = "XLandSmall-v0"


def played(env: gymnasium.Env, steps: int, task: str) -> list:
    rng = np.random.default_rng(2)
    return [
        env.reset(seed=5, options={"task": task}),
        *(env.step(rng.integers(0, ACTION_CHOICES)) for _ in range(steps)),
    ]


def test_it_is_xland_with_other_numbers():
    small, whole = gymnasium.make(ID), XLandEnv(observation="state", **SMALL)
    assert small.observation_space == whole.observation_space
    assert_equal(played(small, 20, "small/2"), played(whole, 20, "small/2"), "another environment")
    small.reset(seed=3)
    whole.reset(seed=3)
    assert small.unwrapped.task == whole.task and max(whole.task.world.shape) <= 9


def test_draws_can_be_asked_for_and_other_suites_are_none_of_its():
    env = gymnasium.make(ID, sides=5, players=1)
    env.reset(seed=0)
    assert env.unwrapped.task.world.shape == (5, 5) and len(env.unwrapped.task.world.object_shapes) <= 6
    with pytest.raises(UnknownNameError, match="unknown task 'test/0'"):
        env.reset(options={"task": "test/0"})


def test_rows_on_threads_are_small_too():
    rows = gymnasium.make_vec(ID, num_envs=1, vectorization_mode="vector_entry_point", num_threads=1)
    single = gymnasium.make(ID)
    observations, _ = rows.reset(seed=4)
    assert_equal({name: array[0] for name, array in observations.items()}, single.reset(seed=4)[0], "the first row")
    assert rows.tasks == (single.unwrapped.task,)
    rows.close()


def test_all_players_of_small_worlds_are_rows():
    rows = gymnasium.make_vec(ID, num_envs=2, vectorization_mode="vector_entry_point", players="all", num_threads=1)
    observations, _ = rows.reset(seed=0, options={"task": [None, "small/7"]})
    assert rows.num_envs == 4 and "rgb" not in observations
    assert max(rows.tasks[0].world.shape) <= 9 and rows.tasks[2].game == load_suite("small")["7"].game
    rows.close()


def test_the_scripted_player_proves_within_300_steps():
    task = load_suite("small")["0"]
    actions = solve_small(task)
    (played,) = play_episodes(load_policy("xland-scripted", ID), ID, [task], [0], serial=True)
    assert len(actions) == played.length == 300


def test_the_suite_is_as_the_family_draws_and_co_players_take_turns():
    suite = load_suite("small")
    assert len(suite) == 200
    for place, task in enumerate(suite.tasks[:40]):
        assert task.co_players == (TEST_CO_PLAYERS[place % 7],) and task.game.num_players == 2
        assert all(5 <= side <= 9 for side in task.world.shape) and task.world.levels.max() <= 1
        assert 4 <= len(task.world.object_shapes) <= 6
        assert all(len(goal.matrix) <= 2 and abs(goal.matrix).sum(axis=1).max() <= 2 for goal in task.game.goals)


def test_random_play_is_rewarded_in_a_part_of_the_suite_and_doing_nothing_hardly_anywhere():
    records = load_suite("small").records
    assert 0.2 < (records["random_rate"] > 0).mean() < 0.5
    assert (records["noop_rate"] > 0).mean() < 0.05
