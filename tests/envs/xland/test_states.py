"""Saved episodes: of all players as agents, with policies as co-players, and at an episode's very end."""

import pickle

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError, ResetNeededError
from procgen_bench.envs.xland import parallel_env
from procgen_bench.envs.xland.actions import ACTION_CHOICES, NOOP
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.envs.xland.simulation import EPISODE_STEPS
from tests.envs.conformance.trajectory import assert_equal
from tests.envs.xland.test_environment import Recorder

TWO, THREE = "hand_authored/capture_the_cube", "hand_authored/choose_wisely_3p"
STEPS = 8


def joint_actions(agents: list[str], seed: int) -> list[dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    return [{agent: rng.integers(0, ACTION_CHOICES) for agent in agents} for _ in range(STEPS)]


def test_all_players_go_on():
    env, other = (parallel_env(players=2, observation="both") for _ in range(2))
    env.reset(seed=3)
    for actions in joint_actions(env.agents, 0):
        last = env.step(actions)
    state, following = env.save_state(), joint_actions(env.agents, 1)
    content = pickle.dumps(state)
    expected = [*(env.step(actions) for actions in following), env.reset()]
    drawn = env.task
    assert pickle.dumps(state) == content
    for one, given in ((env, state), (other, pickle.loads(content))):
        assert_equal(one.reset(options={"state": given}), (last[0], last[4]), "what is seen first")
        assert one.task == state.task and state.elapsed == STEPS
        assert_equal([*(one.step(actions) for actions in following), one.reset()], expected, "all players")
        assert one.task == drawn


def test_after_the_end_there_are_no_agents():
    env, other = (parallel_env(TWO, observation="state") for _ in range(2))
    env.reset()
    env.simulation.steps = EPISODE_STEPS - 1
    observations, _, _, truncations, infos = env.step(dict.fromkeys(env.agents, np.array(NOOP)))
    assert all(truncations.values())
    state = env.save_state()
    assert_equal(other.reset(options={"state": state}), (observations, infos), "after the end")
    assert other.agents == [] and state.ended
    with pytest.raises(ResetNeededError):
        other.step({})


def test_states_that_agents_cannot_go_on_from():
    env, single = parallel_env(players=2, observation="state"), XLandEnv(TWO, observation="state")
    three = parallel_env(THREE, observation="state")
    for one in (single, three):
        one.reset(seed=0)
    with pytest.raises(ResetNeededError, match="call reset first"):
        env.save_state()
    with pytest.raises(InvalidOptionError, match="one of XLandEnv, expected one of XLandParallelEnv"):
        env.reset(options={"state": single.save_state()})
    with pytest.raises(InvalidTaskError, match="number of players of the task is 3, expected at most 2"):
        env.reset(options={"state": three.save_state()})
    with pytest.raises(InvalidOptionError, match="a state and a task, expected one of them"):
        three.reset(options={"state": three.save_state(), "task": THREE})
    with pytest.raises(InvalidOptionError, match="a state and a co_players, expected one of them"):
        single.reset(options={"state": single.save_state(), "co_players": "noop"})


def test_policies_go_on_as_co_players():
    env, other = XLandEnv(TWO, co_players=Recorder(), observation="state"), XLandEnv(observation="state")
    rng = np.random.default_rng(0)
    env.reset(seed=1)
    for _ in range(STEPS):
        env.step(rng.integers(0, ACTION_CHOICES))
    state, actions = env.save_state(), rng.integers(0, ACTION_CHOICES, (STEPS, 6))
    expected = [env.step(action) for action in actions]
    for one in (env, other, other):
        one.reset(options={"state": state})
        assert_equal([one.step(action) for action in actions], expected, "beside a policy")
