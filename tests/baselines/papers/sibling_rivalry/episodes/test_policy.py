"""GoalPolicy: what a run leaves plays as the learner did."""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.sibling_rivalry.episode_learner import EpisodeLearner
from procgen_bench.baselines.papers.sibling_rivalry.episode_settings import EpisodicConfiguration
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic
from procgen_bench.baselines.policies.arrays import network_arrays
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.baselines.stable_baselines3 import TaskVecEnv
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError

FAMILIES = ["BitGrid-v0", "SparsePointMaze-v0"]
ROWS = 30


class Trained:
    """An actor with weights of some size, observations, and the folder that it was written to."""

    def __init__(self, environment_id, path):
        self.environment_id, self.path = environment_id, path
        env = TaskVecEnv(environment_id, ROWS)
        env.seed(1)
        self.observations = env.reset()
        torch.manual_seed(0)
        self.network = GoalActorCritic(env.observation_space, env.action_space)
        with torch.no_grad():
            self.network.actor[-1].weight *= 300
            outputs = self.network.actor.unmasked(tensors_of(self.observations))
            self.network.actor[-1].bias -= outputs.mean(dim=0)  # so that one action is not the best of all everywhere
        self.weights = network_arrays(self.network.actor)
        env.close()

    def load(self, stochastic, weights=None, **settings):
        configuration = {"stochastic": stochastic, **settings}
        PolicyFolder("ppo-naive", self.environment_id, configuration, weights or self.weights).write(self.path)
        return load_policy(self.path, self.environment_id)


@pytest.fixture(params=FAMILIES)
def trained(request, tmp_path):
    return Trained(request.param, tmp_path / "policy")


STARTS = np.ones(ROWS, np.bool_)


def test_a_loaded_policy_plays_as_in_training(trained):
    played = trained.load(stochastic=False).act(trained.observations, STARTS)
    with torch.no_grad():
        outputs = trained.network.actor(tensors_of(trained.observations))
    assert np.array_equal(played, trained.network.actions.play(outputs, None))
    assert len(np.unique(played, axis=0)) > 1


def test_drawn_actions_are_distributed_as_in_training(trained):
    """Both are drawn 60 times in every state; per state, the means agree within the error of such a mean."""
    policy = trained.load(stochastic=True)
    policy.seed(3)
    learner = EpisodeLearner(trained.network, None, EpisodicConfiguration(entropy_weight=0.0), np.random.default_rng(5))
    seen = tensors_of(trained.observations)
    played = np.stack([policy.act(trained.observations, STARTS) for _ in range(60)]).reshape(60, ROWS, -1)
    trained_draws = np.stack([learner.act(seen, None)[0] for _ in range(60)]).reshape(60, ROWS, -1)
    error = np.sqrt((played.var(axis=0) + trained_draws.var(axis=0)) / 60)
    apart = np.abs(played.mean(axis=0) - trained_draws.mean(axis=0)) / np.maximum(error, 1e-9)
    assert np.quantile(apart[error > 1e-6], 0.95) < 2.5
    assert (error > 1e-6).mean() > 0.1


def test_draws_repeat_under_their_seed(trained):
    policy = trained.load(stochastic=True)
    policy.seed(7)
    first, second = (policy.act(trained.observations, STARTS) for _ in range(2))
    policy.seed(7)
    assert np.array_equal(policy.act(trained.observations, STARTS), first)
    assert not np.array_equal(first, second)


def test_folders_that_do_not_fit_are_refused(trained):
    with pytest.raises(InvalidPolicyError, match=r"configuration\.stochastic is 'yes', expected true or false"):
        trained.load(stochastic="yes")
    with pytest.raises(InvalidOptionError, match="takes no option 'observation'"):
        trained.load(True, observation=3)
    name = next(name for name in trained.weights if name.endswith("weight"))
    with pytest.raises(InvalidPolicyError, match="the weights do not fit the network"):
        trained.load(True, {**trained.weights, name: np.zeros((1, 1), np.float32)})
    missing = {kept: array for kept, array in trained.weights.items() if kept != name}
    with pytest.raises(InvalidPolicyError, match="the weights do not fit the network"):
        trained.load(True, missing)
    other = next(family for family in FAMILIES if family != trained.environment_id)
    with pytest.raises(InvalidPolicyError, match=f"expected one that plays '{other}'"):
        load_policy(trained.path, other)
