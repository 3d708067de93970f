"""Training the controller: its ants, its network, and two small runs that end alike."""

import importlib.resources
import json
from dataclasses import replace
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from procgen_bench.baselines.papers.sibling_rivalry import ant_controller
from procgen_bench.baselines.papers.sibling_rivalry import ant_controller_scores as scores
from procgen_bench.baselines.papers.sibling_rivalry.ant_controller import (
    AntControllerConfiguration,
    ControllerNetwork,
    NormalActions,
    controller_weights,
    make_players,
)
from procgen_bench.baselines.policies.arrays import network_arrays
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.baselines.training.method import Context
from procgen_bench.baselines.training.refusals import TooFewStepsError
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.envs.ant_maze.controller import WEIGHT_SHAPES, Controller, shipped_controller

SMALL = AntControllerConfiguration(num_envs=4, rollout_steps=32, epochs=1, evaluate_every=128, evaluation_tasks=2)
EVERY_ROW = np.ones(8, np.bool_)


def begun(steps=200, **penalties):
    """Eight ants, and what they see."""
    env = gymnasium.make_vec(
        "AntWalk-v0", num_envs=8, autoreset_mode="Disabled", max_episode_steps=steps, **penalties
    ).unwrapped
    return env, env.reset(seed=0)[0]


def efforts(rng):
    return rng.uniform(-1, 1, (8, 8)).astype(np.float32)


def test_rewards_are_the_speed_of_the_approach():
    env, seen = begun(fall_penalty=0.0, tilt_penalty=0.0)
    rng = np.random.default_rng(0)
    subgoals = []
    for _ in range(45):
        subgoals.append(seen["desired_goal"])
        before = np.linalg.norm(seen["desired_goal"] - seen["achieved_goal"], axis=1)
        following, rewards, ended, _, _ = env.step(efforts(rng))
        assert not ended.any()
        after = np.linalg.norm(seen["desired_goal"] - following["achieved_goal"], axis=1)
        np.testing.assert_allclose(rewards, (before - after) / 0.1, atol=1e-4)
        seen = following
    changes = [t for t in range(1, 45) if (subgoals[t] != subgoals[t - 1]).all()]
    assert changes == [20, 40] == [t for t in range(1, 45) if (subgoals[t] != subgoals[t - 1]).any()]


def test_leaning_costs_a_part_of_the_tilt_penalty():
    (plain, _), (env, _) = begun(tilt_penalty=0.0), begun(tilt_penalty=2.0)
    rng = np.random.default_rng(0)
    for _ in range(15):
        actions = efforts(rng)
        (_, free, _, _, _), (seen, rewards, _, _, _) = plain.step(actions), env.step(actions)
        _, x, y, _ = seen["observation"][:, 3:7].T
        np.testing.assert_allclose(free - rewards, 4 * (x * x + y * y), atol=1e-4)
        assert (free > rewards).all()


def test_episodes_are_truncated():
    env, _ = begun(steps=30)
    ends = [env.step(np.zeros((8, 8), np.float32))[2:4] for _ in range(30)]
    assert not any(terminations.any() for terminations, _ in ends)
    assert [truncations.all() for _, truncations in ends] == [False] * 29 + [True]


def test_a_fall_ends_the_episode_and_costs():
    env, _ = begun()
    env.simulation.bodies.positions[3, 3:7] = [0.0, 1.0, 0.0, 0.0]  # on its back
    _, rewards, terminations, _, infos = env.step(np.zeros((8, 8), np.float32))
    assert terminations.tolist() == [row == 3 for row in range(8)] == (~infos["success"]).tolist()
    assert rewards[3] < -9 and (np.abs(rewards[~terminations]) < 5).all()


def test_what_learns_is_what_walks():
    """The network's means are the controller's torques, in whichever quarter subgoals lie."""
    env, _ = begun()
    rng, network = np.random.default_rng(0), ControllerNetwork()
    with torch.no_grad():
        for parameter in network.actor.parameters():
            parameter.mul_(2).add_(0.01)
    for _ in range(25):
        seen = env.step(efforts(rng))[0]
    means = network(tensors_of(seen), torch.zeros(8, 0))[0][:, :8].detach().clamp(-1, 1)
    walked = Controller(controller_weights(network_arrays(network))).torques(seen["observation"], seen["desired_goal"])
    np.testing.assert_allclose(30 * means.numpy(), walked, atol=1e-3)
    assert np.abs(walked).max() > 3


def test_actions_are_normal():
    actions, logs = NormalActions(), torch.linspace(-1, 0.5, 8)
    outputs = torch.cat([torch.arange(8.0), logs]).expand(20_000, -1)
    drawn = actions.play(outputs, torch.as_tensor(np.random.default_rng(0).random((20_000, 8), np.float32)))
    np.testing.assert_allclose(drawn.mean(dim=0), np.arange(8), atol=0.05)
    np.testing.assert_allclose(drawn.std(dim=0), logs.exp(), rtol=0.03)
    expected = torch.distributions.MultivariateNormal(torch.arange(8.0), torch.diag(logs.exp() ** 2))
    found, entropies = actions.evaluate(outputs[:5], drawn[:5])
    np.testing.assert_allclose(found, expected.log_prob(drawn[:5]), rtol=1e-4)
    np.testing.assert_allclose(entropies, expected.entropy().expand(5), rtol=1e-5)
    assert actions.play(outputs[:1], torch.zeros(1, 8)).isfinite().all()


def test_the_step_size_falls_linearly():
    rows = SimpleNamespace(steps=128)
    context = Context(get_benchmark("ant-maze/test"), SMALL, seed=0, steps=256, rows=rows)
    learner = make_players(context)[0].learner
    half = learner.rate("learning_rate")
    rows.steps = 256
    np.testing.assert_allclose([half, learner.rate("learning_rate")], [(1e-3 + 5e-5) / 2, 5e-5])


@pytest.mark.slow
def test_small_runs_write_the_same_controller_and_its_record(tmp_path, monkeypatch):
    monkeypatch.setattr(scores, "_ANTS", 4)
    monkeypatch.setattr(scores, "_VALIDATION_TASKS", 2)
    monkeypatch.setattr(ant_controller, "maze_scores", lambda controller: {})  # measured in the test below
    for folder in ("one", "other"):
        ant_controller.train(SMALL, 5, 256, tmp_path / folder, "by hand")
    one, other = (load_file(tmp_path / folder / "controller.safetensors") for folder in ("one", "other"))
    assert {name: array.shape for name, array in one.items()} == WEIGHT_SHAPES
    assert all(np.array_equal(one[name], other[name]) and one[name].any() for name in WEIGHT_SHAPES)
    record = json.loads((tmp_path / "one" / "controller.json").read_text())
    assert (record["seed"], record["steps"], record["command"]) == (5, 256, "by hand")
    assert record["configuration"]["num_envs"] == 4 and "commit" in record
    assert [validation["trained"] for validation in record["validation"]] == [128, 256]


@pytest.mark.parametrize(
    ("settings", "steps", "error", "message"),
    [
        ({"discount": 2.0}, 256, InvalidOptionError, "discount is 2.0, expected a number from 0 to 1"),
        ({"device": "nowhere"}, 256, InvalidOptionError, "device is 'nowhere', expected cpu"),
        ({}, 3, TooFewStepsError, "steps is 3, expected at least 4"),
    ],
)
def test_settings_that_no_run_can_have_are_refused(settings, steps, error, message, tmp_path):
    with pytest.raises(error, match=message):
        ant_controller.train(replace(SMALL, **settings), 5, steps, tmp_path / "controller", "by hand")
    assert not (tmp_path / "controller").exists()


def test_scores_tell_a_good_controller_from_one_that_stands(monkeypatch):
    monkeypatch.setattr(scores, "_ANTS", 20)
    still = Controller({name: np.zeros(shape, np.float32) for name, shape in WEIGHT_SHAPES.items()})
    assert abs(scores.plain_scores(still)["approach"]) < 0.05
    assert scores.plain_scores(shipped_controller())["approach"] > 0.6


@pytest.mark.slow
def test_the_shipped_scores_are_those_that_are_measured():
    path = importlib.resources.files("procgen_bench.envs.ant_maze") / "data" / "controller.json"
    recorded = json.loads(path.read_text())["scores"]
    assert scores.plain_scores(shipped_controller()) == recorded["plain"]
    # The maze's were measured before its wall was raised, which changed single episodes.
    measured = scores.maze_scores(shipped_controller())
    assert abs(measured["success"] - recorded["maze"]["success"]) < 0.02
    assert abs(measured["steps"] - recorded["maze"]["steps"]) < 5
