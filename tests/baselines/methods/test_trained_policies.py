"""What learners from a replay leave: how their policies explore, and that training hands on whether they do."""

import math

import gymnasium
import numpy as np
import pytest
import torch

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.methods import dqn
from procgen_bench.baselines.methods.dqn_settings import DQNConfiguration
from procgen_bench.baselines.methods.sac import SquashedPolicy
from procgen_bench.baselines.parts.value_policy import ValuePolicy
from procgen_bench.baselines.policies.arrays import named_space
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.training.method import rng_of
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.run_folder import curve_of
from procgen_bench.core.benchmarks import get_benchmark

COUNT = 8_000


def nothing_seen(space):
    return {name: torch.zeros(COUNT, *leaf.shape, dtype=torch.float32) for name, leaf in space.items()}


@pytest.mark.parametrize("stochastic", [False, True])
def test_a_value_policy_takes_a_random_action_in_one_of_twenty_steps_or_never(stochastic):
    policy = ValuePolicy("GridWorld-v0", stochastic, width=8, layers=1)
    head = policy.network["head"][-1]
    with torch.no_grad():
        head.weight.zero_()
        head.bias.copy_(torch.tensor([0.0, 0.0, 1.0, 0.0]))
    seen = nothing_seen(policy.network["features"].observation_space)
    noise = torch.as_tensor(np.random.default_rng(0).random((COUNT, 2), np.float32))
    counts = np.bincount(policy.step(seen, {}, noise)[0].numpy(), minlength=4) / COUNT
    each = 0.05 / 4 if stochastic else 0.0
    assert counts == pytest.approx([each, each, 1 - 3 * each, each], abs=0.005 * stochastic)


@torch.no_grad()
@pytest.mark.parametrize("stochastic", [False, True])
def test_a_squashed_policy_takes_the_mean_or_draws_by_mean_and_deviation(stochastic):
    policy = SquashedPolicy("SparsePointMaze-v0", stochastic, width=8, layers=1)
    for name, value in (("mean", 0.2), ("log_deviation", math.log(0.3))):
        policy.network[name].weight.zero_()
        policy.network[name].bias.fill_(value)
    seen = nothing_seen(policy.network["features"].observation_space)
    noise = torch.as_tensor(np.random.default_rng(0).random((COUNT, policy.noise_width), np.float32))
    actions = policy.step(seen, {}, noise)[0]
    low, high = policy._range._low, policy._range._high
    reals = torch.atanh((actions - low) / (high - low) * 2 - 1)
    assert reals.mean(dim=0).numpy() == pytest.approx(0.2, abs=0.02)
    assert reals.std(dim=0).numpy() == pytest.approx(0.3 if stochastic else 0, abs=0.01)


@pytest.fixture
def trained(monkeypatch, tmp_path):
    """trained(seed, **settings) -> a run of 30 steps, and its player."""
    made = []
    monkeypatch.setattr(dqn, "Player", lambda *parts: made.append(Player(*parts)) or made[-1])

    def of(seed=0, **settings):
        configuration = DQNConfiguration(learning_starts=200, evaluation_episodes=1, width=8, **settings)
        run = METHODS["dqn"].train(get_benchmark("grid-world/target-a"), configuration, seed, 30, tmp_path / "run")
        return run, made[-1]

    return of


@pytest.mark.parametrize("stochastic", [False, True])
def test_the_policy_that_is_evaluated_and_kept_explores_only_if_it_is_to(stochastic, trained):
    run, player = trained(stochastic=stochastic)
    assert player.policy.stochastic == stochastic
    assert PolicyFolder.read(run.policy_path).configuration["stochastic"] == stochastic


def test_the_learner_hears_of_every_evaluation_and_is_of_the_runs_seed(trained):
    run, player = trained(seed=3)
    learner = player.learner
    assert curve_of(run.path)[-1].keys() >= {"restored", "evaluated_return"}
    with gymnasium.make("GridWorld-v0") as env:
        spaces = named_space(env.observation_space), env.action_space
    twin = dqn.DQN(*spaces, learner.configuration, 30, rng_of("learner", 3))
    weights, others = learner.policy_weights(), twin.policy_weights()
    assert all(np.array_equal(weights[name], others[name]) for name in weights), "nothing was learned yet"
