"""Compiled gradient steps of Q-learning are those that torch takes on the same minibatches."""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.fast.q_values import CompiledValues
from procgen_bench.baselines.parts import off_policy
from procgen_bench.baselines.parts.q_learning import TorchValues
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
