"""The policy that DDPG leaves."""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.parts.deterministic import Critic, DeterministicPolicy, make_deterministic_actor
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.registrations import environment_type

ID = "SparsePointMaze-v0"
ENV = environment_type(ID)


def observations(count):
    rng = np.random.default_rng(0)
    return {name: rng.uniform(-0.5, 9.5, (count, 2)).astype(np.float32) for name in ENV.observation_space}


def test_the_policy_plays_the_actor_scaled_to_the_range():
    torch.manual_seed(0)
    actor = make_deterministic_actor(ENV.observation_space, ENV.action_space)
    policy = DeterministicPolicy(ID, stochastic=False)
    policy.load_weights({name: tensor.numpy() for name, tensor in actor.state_dict().items()})
    actions = policy.act(observations(50), np.ones(50, np.bool_))
    assert actions.dtype == np.float32
    with torch.no_grad():
        expected = actor(tensors_of(observations(50))).numpy() * 0.95
    assert np.allclose(actions, expected, atol=1e-6)
    assert np.array_equal(actions, policy.act(observations(50), np.zeros(50, np.bool_)))
    with torch.no_grad():
        outputs = actor[:-1](tensors_of(observations(50))).numpy()
    assert np.allclose(actions, 0.95 * np.tanh(0.005 * outputs), atol=1e-6)
    assert 1e-4 < np.ptp(actions) < 0.05, "the first actions are near the middle, and not alike"


def test_saturated_actions_are_in_the_space():
    policy = DeterministicPolicy(ID, stochastic=False)
    with torch.no_grad():
        policy.network[1].bias += torch.tensor([1e4, -1e4])
    actions = policy.act(observations(8), np.ones(8, np.bool_))
    assert (actions == np.array([0.95, -0.95], np.float32)).all()
    assert all(ENV.action_space.contains(action) for action in actions)


def test_a_stochastic_policy_is_refused():
    with pytest.raises(InvalidPolicyError, match=r"stochastic is True, expected False"):
        DeterministicPolicy(ID, stochastic=True)


def test_the_networks_are_the_papers():
    def layers(module):
        return [tuple(weight.shape) for name, weight in module.named_parameters() if name.endswith("weight")]

    hidden = [(128, 128), (128, 128)]
    assert layers(make_deterministic_actor(ENV.observation_space, ENV.action_space)) == [(128, 4), *hidden, (2, 128)]
    assert layers(Critic(ENV.observation_space, ENV.action_space)) == [(128, 6), *hidden, (1, 128)]
