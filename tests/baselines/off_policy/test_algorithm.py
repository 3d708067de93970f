"""One phase of updates, and behaviour."""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.episodic.policy import GoalPolicy
from procgen_bench.baselines.off_policy.deterministic_gradient import GoalDDPG
from procgen_bench.baselines.off_policy.q_learning import GoalDQN
from procgen_bench.baselines.off_policy.replay import EpisodeReplay
from procgen_bench.baselines.sb3.vec_env import TaskVecEnv

ROWS = 16


def settings(**changes):
    return {
        "rng": np.random.default_rng(3),
        "epsilon": 0.2,
        "learning_rate": 1e-3,
        "batch_size": 32,
        "buffer_size": 4_000,
        "learning_starts": 0,
        "train_freq": 50,
        "gradient_steps": 3,
        "gamma": 0.9,
        "tau": 0.05,
        "replay_buffer_class": EpisodeReplay,
        "replay_buffer_kwargs": {},
        "seed": 0,
        "device": "cpu",
        **changes,
    }


def make_dqn(**changes):
    return GoalDQN(env=TaskVecEnv("BitGrid-v0", ROWS), **settings(**changes))


def make_ddpg(noise=0.1, action_l2=0.25, **changes):
    env = TaskVecEnv("SparsePointMaze-v0", ROWS)
    return GoalDDPG(env=env, noise=noise, action_l2=action_l2, **settings(**changes))


MAKERS = pytest.mark.parametrize("make", [make_dqn, make_ddpg])


def learn_a_little(algorithm, horizons=2):
    algorithm.learn(horizons * 50 * ROWS)
    return algorithm


@MAKERS
def test_targets_move_once_per_phase(make):
    algorithm = learn_a_little(make())
    moved = [target for _, target in algorithm.targets()]
    before = [[parameter.clone() for parameter in target.parameters()] for target in moved]
    algorithm.train(3, 32)
    for (network, target), old in zip(algorithm.targets(), before):
        for parameter, now, then in zip(network.parameters(), target.parameters(), old):
            assert torch.allclose(now, 0.95 * then + 0.05 * parameter, atol=1e-6)
    assert algorithm._n_updates == 9


@MAKERS
def test_targets_bootstrap_unless_the_goal_is_reached(make):
    algorithm = learn_a_little(make())
    drawn = algorithm.replay_buffer.sample(640)
    assert 0.01 < drawn.dones.mean() < 0.9
    targets = torch.cat([targets for _, _, targets in algorithm._minibatches(drawn, 64)])
    assert targets.shape == (640, 1)
    with torch.no_grad():
        following = algorithm.next_values(drawn.next_observations)
    expected = torch.where(drawn.dones == 1, 1.0, 0.9 * following)
    assert torch.allclose(targets, expected, atol=1e-5)


@MAKERS
def test_values_approach_their_targets(make):
    algorithm = learn_a_little(make())
    observations, actions, targets = next(algorithm._minibatches(algorithm.replay_buffer.sample(64), 64))
    name = "loss" if make is make_dqn else "critic_loss"
    losses = [algorithm.update(observations, actions, targets)[name] for _ in range(150)]
    assert losses[-1] < losses[0] / 4


def test_dqn_acts_at_random_in_a_share_of_the_rows():
    algorithm = learn_a_little(make_dqn())
    greedy, _ = algorithm.policy.predict(algorithm._last_obs, deterministic=True)
    algorithm.epsilon = 0.0
    assert np.array_equal(algorithm._sample_action(0, n_envs=ROWS)[0], greedy)
    algorithm.epsilon = 0.2
    other = np.mean([algorithm._sample_action(0, n_envs=ROWS)[0] != greedy for _ in range(1_000)])
    assert abs(other - 0.2 * 8 / 9) < 0.02


def test_ddpg_acts_with_noise_or_at_random():
    algorithm = learn_a_little(make_ddpg())
    chosen = algorithm.policy.act(algorithm._last_obs)

    def draws(epsilon, noise):
        algorithm.epsilon, algorithm.noise = epsilon, noise
        actions, scaled = zip(*(algorithm._sample_action(0, n_envs=ROWS) for _ in range(1_000)))
        for batch in actions:
            assert batch.dtype == np.float32
            assert (np.abs(batch) <= algorithm.action_space.high).all()
        assert np.allclose(np.stack(actions), np.stack(scaled) * 0.95, atol=1e-6)
        return np.stack(scaled)

    assert np.array_equal(draws(0.0, 0.0)[0], chosen)
    assert abs((draws(0.0, 0.1) - np.clip(chosen, -0.6, 0.6))[:, np.abs(chosen) < 0.6].std() - 0.1) < 0.005
    uniform = draws(1.0, 0.1)
    assert abs(uniform.mean()) < 0.02
    assert abs(uniform.std() - 1 / np.sqrt(3)) < 0.01
    others = (draws(0.2, 0.0) != chosen).any(axis=2)
    assert abs(others.mean() - 0.2) < 0.02
    assert 0 < others[:10].sum() < others[:10].size, "rows act at random apart from each other"


def test_large_actions_cost():
    def squared_action(action_l2):
        algorithm = learn_a_little(make_ddpg(action_l2=action_l2))
        observations, actions, targets = next(algorithm._minibatches(algorithm.replay_buffer.sample(64), 64))
        return [algorithm.update(observations, actions, targets)["squared_action"] for _ in range(40)][-1]

    assert squared_action(100.0) < 1e-3
    assert squared_action(0.0) > 2e-2


def test_the_actor_climbs_the_critic():
    """And leaves the critic as it is: its last gradients are those of its own loss."""
    algorithm = learn_a_little(make_ddpg(action_l2=0.0))
    observations, actions, _ = next(algorithm._minibatches(algorithm.replay_buffer.sample(64), 64))
    with torch.no_grad():
        perfect = algorithm.critic(observations, actions)
        before = algorithm.critic(observations, algorithm.actor(observations)).mean()
    weights = [parameter.clone() for parameter in algorithm.critic.parameters()]
    algorithm.critic.optimizer.param_groups[0]["lr"] = 0.0
    for _ in range(20):
        algorithm.update(observations, actions, perfect)
    assert all(parameter.grad.abs().max() < 1e-6 for parameter in algorithm.critic.parameters())
    assert all(map(torch.equal, weights, algorithm.critic.parameters()))
    assert algorithm.critic(observations, algorithm.actor(observations)).mean() > before


def test_dqn_leaves_a_policy_that_plays_its_best_actions():
    algorithm = learn_a_little(make_dqn())
    policy = GoalPolicy("BitGrid-v0", stochastic=False)
    policy.load_weights(algorithm.policy_weights())
    played = policy.act(algorithm._last_obs, np.ones(ROWS, np.bool_))
    assert np.array_equal(played, algorithm.policy.predict(algorithm._last_obs, deterministic=True)[0])
