"""Compiled gradient steps of Q-learning are those that torch takes on the same minibatches.

The policy that DDPG leaves.
"""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.fast.q_values import CompiledValues
from procgen_bench.baselines.parts import off_policy
from procgen_bench.baselines.parts.deterministic import Critic, DeterministicPolicy, make_deterministic_actor
from procgen_bench.baselines.parts.q_learning import TorchValues
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.registrations import environment_type
from tests.baselines.methods.test_dqn import built
from tests.baselines.parts.off_policy.going_on import trained
from tests.baselines.training.toys import Pairs, Patience

torch.set_num_threads(1)


def run_toy(toy, compiled, **settings):
    """A learner whose replay holds something, and the minibatches that it draws from now on."""
    rows = toy(32)
    learner = built(rows, learning_starts=10**6, max_gradient=0.05, **settings)
    trained(rows, learner, 10)
    if not compiled:
        network, target = learner.networks["q"], learner.target_networks["q"]
        optimizer = torch.optim.Adam(network.parameters(), learner.configuration.learning_rate)
        learner.q = TorchValues(network, target, optimizer, learner.settings, max_gradient=0.05)
    return rows, learner


@pytest.mark.parametrize("toy", [Patience, Pairs])
@pytest.mark.parametrize("clip_next_values", [False, True])
@pytest.mark.parametrize("together", [1, 5])
def test_they_are_those_of_torch(toy, clip_next_values, together, monkeypatch):
    monkeypatch.setattr(off_policy, "_DRAWN_TOGETHER", together)
    (rows, ours), (_, theirs) = (
        run_toy(toy, compiled, clip_next_values=clip_next_values) for compiled in (True, False)
    )
    assert isinstance(ours.q, CompiledValues)
    before = [parameter.detach().clone() for parameter in ours.networks.parameters()]
    losses = [learner.train(5)["loss"] for learner in (ours, theirs)]
    pairs = zip(ours.networks.parameters(), theirs.networks.parameters(), strict=True)
    for own, other in pairs:
        np.testing.assert_allclose(own.detach().numpy(), other.detach().numpy(), rtol=1e-3, atol=2e-4)
    now = [parameter.detach() for parameter in ours.networks.parameters()]
    assert max(float((own - old).abs().max()) for own, old in zip(now, before, strict=True)) > 0.01
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)
    shown = {name: torch.as_tensor(array) for name, array in rows.observations.items()}
    assert torch.allclose(ours.q.values(shown), ours.networks["q"](shown), atol=1e-5), "it acts by what it learned"


class Own(torch.nn.Module):
    """A network of a person's own."""

    features = 1

    def __init__(self, space):
        super().__init__()

    def forward(self, observations):
        return next(iter(observations.values())).float().flatten(1)[:, :1]


def test_a_network_of_a_persons_own_is_left_to_torch():
    assert isinstance(built(Patience(32), network=f"{__name__}:Own").q, TorchValues)


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
