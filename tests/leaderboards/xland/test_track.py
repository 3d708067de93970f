"""The track: episodes of one to three players are played, and what cannot be played is refused."""

import numpy as np
import pytest

from procgen_bench.baselines.policies.scripted.policies import ConstantPolicy
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError
from procgen_bench.envs.xland.actions import ACTION_CHOICES, NOOP
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.leaderboards.evaluation import evaluation, playing
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.tasks.xland import load_suite

#: A test task of three players, two of whom draw their actions.
THREE_AND_CHANCE = next(task for task in load_suite("evaluation").tasks if task.co_players == ("random", "random"))
TESTS = MethodDescription(authors="Tests", command="pytest")


@pytest.mark.parametrize(
    "task", [load_suite("hand_authored")["choose_wisely_3p"], load_suite("evaluation")["4-random"]]
)
def test_the_actions_alone_decide_whatever_is_observed(task):
    def trajectory(**options):
        env, rng = XLandEnv(**options), np.random.default_rng(1)
        env.reset(seed=5, options={"task": task})
        moments = []
        for _ in range(120):
            reward = env.step(rng.integers(0, ACTION_CHOICES))[1]
            moments.append((reward, *env.simulation.bodies.positions.tolist()))
        return moments

    states = trajectory(observation="state", privileged=True)
    assert states == trajectory(observation="state") == trajectory()


def test_physics_that_diverges_ends_an_episode_with_what_was_earned(small, tmp_path, monkeypatch):
    step = XLandSimulation.step

    def diverging(world, actions):
        if world.steps == 100:
            world.bodies.data.qvel[:] = np.nan
        return step(world, actions)

    monkeypatch.setattr(XLandSimulation, "step", diverging)
    result = evaluate(small, [("constant", 0)], tmp_path / "diverged", TESTS)
    assert result.verification.episode_scores[0, 0] == 100.0
    assert result.verification.unfinished_episodes == 0


def test_who_never_acts_scores_the_minimum(small, tmp_path):
    null = evaluate(small, [("null", 0)], tmp_path / "null", TESTS)
    assert (null.verification.score, null.verification.unfinished_episodes) == (small.minimum, 3)


def test_the_no_op_of_xland_does_nothing(small):
    policy = ConstantPolicy(small.environment_id)
    actions = policy.act({}, np.ones(3, np.bool_))
    assert actions.tolist() == [list(NOOP)] * 3 and actions.dtype == np.int8
    assert policy.environment_options == {"observation": "state"}


def with_options(monkeypatch, options):
    class Wanting(ConstantPolicy):
        environment_options = options

    for room in (evaluation, playing):
        monkeypatch.setattr(room, "load_policy", lambda source, environment_id: Wanting(environment_id))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"view": "state"}, InvalidOptionError, r"XLand-v0 takes no option 'view', expected some of \['players', "),
        ({"tasks": "test"}, InvalidOptionError, "takes no option 'tasks'"),
        ({"observation": "smell"}, InvalidOptionError, "observation is 'smell', expected one of"),
        ({"observation": object}, InvalidOptionError, "expected a plain JSON value"),
    ],
)
def test_options_that_the_environment_does_not_take_are_refused_before_playing(
    small, tmp_path, monkeypatch, options, error, message
):
    with_options(monkeypatch, options)
    with pytest.raises(error, match=message):
        evaluate(small, [("constant", 0)], tmp_path / "new", TESTS)
    assert list(tmp_path.iterdir()) == []


def test_options_that_change_the_actions_are_refused(tmp_path, monkeypatch):
    with_options(monkeypatch, {"control": "subgoal"})
    with pytest.raises(
        InvalidPolicyError, match="asks for the environment's option 'control', expected only mask, observation"
    ):
        evaluate(get_benchmark("ant-maze/test"), [("constant", 0)], tmp_path / "new", TESTS)
